"""Memory in use by a process and all its descendants, and disk in use by a folder."""

import os
import re
from pathlib import Path

_PSS = re.compile(rb"^Pss:\s+(\d+) kB", re.MULTILINE)
_ANON = re.compile(rb"^RssAnon:\s+(\d+) kB", re.MULTILINE)


def resident(pid: int) -> int:
    """Bytes, shared pages counted once where the kernel tells; 0 for a process that is gone or off Linux."""
    return sum(_bytes(process) for process in _family(pid))


def stored(folder: Path) -> int:
    """Bytes on disk below a folder, 4 KB counted for each name, because names without bytes fill a disk too."""
    total = 0
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            try:
                total += 4096 + Path(parent, name).lstat().st_blocks * 512
            except OSError:  # removed since it was listed
                continue
    return total


def _family(pid: int) -> list[int]:
    found = [pid]
    for process in found:  # grows while it is walked
        for file in Path(f"/proc/{process}/task").glob("*/children"):
            found.extend(int(word) for word in _read(file).split())
    return found


def _bytes(pid: int) -> int:
    folder = Path(f"/proc/{pid}")
    match = _PSS.search(_read(folder / "smaps_rollup")) or _ANON.search(_read(folder / "status"))
    return int(match[1]) << 10 if match else 0


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""
