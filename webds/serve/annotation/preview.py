"""A file of a try as a table, lines or a picture. It is a stranger's file: only the sandbox of webds.tools opens it."""

import asyncio
import csv
import re
import shutil
import tempfile
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from webds.codec import sha256
from webds.tools.sandbox import Limits, Sandbox

ROWS = 100
MOST = 64 << 20
"""Bytes of a file that is looked into."""
_LIMITS = Limits(seconds=20, memory_mb=1024, output_chars=200_000, file_mb=64, folder_mb=160, processes=16)
_PICTURE = re.compile(r",? ?picture ([0-9a-f]{32}\.png)")
_ROW = re.compile(r"^(row|[0-9]+),")
_KEPT = 64
_TABLES = (".csv", ".tsv", ".tab", ".xlsx", ".ods", ".parquet", ".sqlite", ".sqlite3", ".db", ".zip")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """Part of a file. `heads` say what it is; then `rows` of a table, or `lines` of text, or `picture` (PNG bytes)."""

    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    """The first cell is the row's number."""
    lines: str = ""
    picture: bytes = b""
    why: str = ""
    """Why there is nothing to show, in words."""


class Previews:
    """Previews made one at a time, the last ones kept."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._kept: OrderedDict[tuple[str, str, int], Preview] = OrderedDict()

    async def show(self, path: Path, part: int) -> Preview:
        """Part `part` (from 1) of a file: a page of a PDF, a hundred rows of anything else."""
        if path.stat().st_size > MOST:
            return Preview(why=f"over {MOST >> 20} MB: not shown")
        key = (await asyncio.to_thread(lambda: sha256(path.read_bytes())), path.suffix.lower(), part)
        async with self._lock:
            if key not in self._kept:
                self._kept[key] = await _made(path, part)
                if len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]


async def _made(path: Path, part: int) -> Preview:
    with tempfile.TemporaryDirectory(prefix="webds-preview-", ignore_cleanup_errors=True) as folder:
        work = Path(folder) / "work"
        work.mkdir()
        # A copy under a name of ours: the sandbox owns its folder, and the run's own files stay as they are.
        name = f"file{path.suffix.lower()}"
        await asyncio.to_thread(shutil.copyfile, path, work / name)
        options = {"page": part} if path.suffix.lower() == ".pdf" else {"start": 1 + (part - 1) * ROWS, "rows": ROWS}
        async with Sandbox(work, _LIMITS) as sandbox:
            result = await sandbox.preview(name, options)
        if result.error:
            said = result.error.strip().splitlines()[-1] if result.error.strip() else "unreadable"
            return Preview(why=said.replace(f"{name}: ", "")[:400])
        found = _PICTURE.search(result.text)
        picture = work / ".preview" / found[1] if found else None
        there = picture is not None and picture.is_file() and not picture.is_symlink()
        data = picture.read_bytes() if there and picture is not None else b""
    return _parsed(_PICTURE.sub("", result.text).replace(f"{name}: ", ""), path.suffix.lower(), data)


def _parsed(text: str, suffix: str, picture: bytes) -> Preview:
    lines = text.splitlines()
    if suffix not in _TABLES:
        return Preview(heads=tuple(lines[:1]), lines="\n".join(lines[1:]), picture=picture)
    first = next((number for number, line in enumerate(lines) if _ROW.match(line)), len(lines))
    rows = tuple(tuple(row) for row in csv.reader(lines[first:]) if row)
    width = max((len(row) for row in rows), default=0)
    return Preview(heads=tuple(lines[:first]), rows=tuple((*row, *[""] * (width - len(row))) for row in rows))
