"""What a file says, for whoever looks for secrets in it: bytes, texts of 16 bits a letter, databases, packed members.

Of a stranger's file as of one's own: nothing is believed, everything has an end, and what cannot be read says nothing.
"""

import sqlite3
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import IO

_WINDOW = 1 << 16
_TAIL = 1 << 12
"""Bytes of a window that the next one begins with: no key or canary is longer."""
_UNPACKED = 64 << 20
"""Most bytes that are read of what one archive unpacks to."""
_MEMBERS = 2000
_SECONDS = 10.0
_DATABASE = b"SQLite format 3\0"
_ARCHIVE = b"PK\x03\x04"
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RuntimeError, ValueError)


def texts(path: Path) -> Iterator[bytes]:
    """The file in pieces, each to be searched by itself; a database's values and a zip's members (XLSX) after it."""
    with path.open("rb") as file:
        head = file.read(len(_DATABASE))
        file.seek(0)
        yield from windows(file)
    if head == _DATABASE:
        yield from _values(path)
    if head.startswith(_ARCHIVE):
        yield from _members(path)


def windows(file: IO[bytes], most: int = 1 << 62) -> Iterator[bytes]:
    """At most `most` bytes in overlapping windows; with NULs a second time without them, which makes UTF-16 ASCII."""
    tail = b""
    while most > 0 and (chunk := file.read(min(_WINDOW, most))):
        most -= len(chunk)
        window = tail + chunk
        yield window
        if b"\0" in window:
            yield window.replace(b"\0", b"")
        tail = b"_" + window[-_TAIL:]  # no word begins where a window does


def _values(path: Path) -> Iterator[bytes]:
    """Each row's texts: in the file's bytes, a number of the format may stand before a text like a letter."""
    end = time.monotonic() + _SECONDS
    name = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    with suppress(sqlite3.Error), closing(sqlite3.connect(name, uri=True)) as base:
        base.text_factory = bytes
        base.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _UNPACKED)
        base.set_progress_handler(lambda: time.monotonic() > end, 10_000)
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"  # no view and no program's table
        for (table,) in base.execute(query).fetchall():
            yield from _rows(base, _quoted(table))


def _rows(base: sqlite3.Connection, table: str) -> Iterator[bytes]:
    kept = [_quoted(row[1]) for row in base.execute(f"PRAGMA table_info({table})")]  # nothing that is computed
    for row in base.execute(f"SELECT {', '.join(kept)} FROM {table}"):  # noqa: S608 - quoted names
        yield b"\0".join(cell for cell in row if isinstance(cell, bytes))


def _quoted(name: bytes) -> str:
    return '"' + name.decode("utf-8", "replace").replace('"', '""') + '"'


def _members(path: Path) -> Iterator[bytes]:
    left = _UNPACKED
    with suppress(*_BROKEN), zipfile.ZipFile(path) as archive:
        for info in archive.infolist()[:_MEMBERS]:
            if info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                with archive.open(info) as file:
                    yield from windows(file, left)
                    left -= file.tell()
