"""Memory in use by a process and all its descendants, from /proc."""

import re
from pathlib import Path

_PSS = re.compile(rb"^Pss:\s+(\d+) kB", re.MULTILINE)
_ANON = re.compile(rb"^RssAnon:\s+(\d+) kB", re.MULTILINE)


def resident(pid: int) -> int:
    """Bytes, shared pages counted once where the kernel tells; 0 for a process that is gone or off Linux."""
    return sum(_bytes(process) for process in _family(pid))


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
