"""All that lies in a file, to be searched: its bytes, and what is packed in it, in zips (XLSX, DOCX, bundles) and gzip.

Nothing is believed that an archive says of itself: depth, members and unpacked bytes of one file are bounded, and what
is not looked at is told with the reason.
"""

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from webds.errors import one_line

MOST = 256 << 20
"""Most bytes of a file, or of one member."""
UNPACKED = 1 << 30
"""Most bytes that are unpacked of one file."""
MEMBERS = 100_000
DEPTH = 4
"""An archive in an archive in an archive in an archive is opened, no further one."""
_CHUNK = 1 << 20
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)
"""What zipfile and gzip let out of damaged archives."""
_CLOSED = {
    b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd", b"7z\xbc\xaf": "7z", b"Rar!": "rar",
    b"%PDF": "PDF", b"PAR1": "Parquet",
}  # fmt: skip
"""First bytes of formats that are packed in ways that are not undone here: their raw bytes are searched."""


@dataclass(frozen=True, slots=True)
class Piece:
    """`data` of the file, or of `member` ("a.zip/b.txt" in an archive of an archive)."""

    member: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Skipped:
    """`member`, or all of the file where it is empty, was not looked at. `kind`: a format that is not undone."""

    member: str
    why: str
    kind: str = ""


@dataclass(slots=True)
class _Left:
    """What may still be unpacked of the file."""

    unpacked: int
    members: int


class _TooMuch(Exception):
    """More would be unpacked than is looked at."""


def pieces(file: Path) -> Iterator[Piece | Skipped]:
    """Every piece of a plain file, itself first."""
    try:
        size = file.stat().st_size
        data = file.read_bytes() if size <= MOST else b""
    except OSError as error:
        yield Skipped("", f"cannot be read: {error.strerror}")
        return
    if size > MOST:
        yield Skipped("", f"larger than {MOST >> 20} MB")
        return
    yield from _within("", data, DEPTH, _Left(UNPACKED, MEMBERS))


def _within(name: str, data: bytes, depth: int, left: _Left) -> Iterator[Piece | Skipped]:
    yield Piece(name, data)
    is_zip = zipfile.is_zipfile(io.BytesIO(data))
    if not is_zip and not data.startswith(b"\x1f\x8b"):
        yield from (Skipped(name, "", kind) for magic, kind in _CLOSED.items() if data.startswith(magic))
        return
    if not depth:
        yield Skipped(name, f"an archive at depth {DEPTH + 1}")
        return
    try:
        for member, inner in _zipped(data, left) if is_zip else _gzipped(data, left):
            inside = f"{name}/{member}" if name else member
            if isinstance(inner, str):
                yield Skipped(inside, inner)
            else:
                yield from _within(inside, inner, depth - 1, left)
    except _TooMuch as error:
        yield Skipped(name, str(error))
    except _BROKEN as error:
        yield Skipped(name, f"not a readable archive: {one_line(error)}")


def _zipped(data: bytes, left: _Left) -> Iterator[tuple[str, bytes | str]]:
    """(member, its bytes, or why they are not looked at)."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            left.members -= 1
            if left.members < 0:
                raise _TooMuch(f"more than {MEMBERS} members")
            if info.flag_bits & 1:
                yield info.filename, "encrypted"
            elif info.file_size > MOST:
                yield info.filename, f"unpacks to more than {MOST >> 20} MB"
            elif not info.is_dir():
                yield info.filename, _member(archive, info, left)


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, left: _Left) -> bytes | str:
    try:
        with archive.open(info) as stream:
            return _read(stream, left)
    except _BROKEN as error:
        return f"cannot be unpacked: {one_line(error)}"


def _gzipped(data: bytes, left: _Left) -> Iterator[tuple[str, bytes | str]]:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        yield "(gzip)", _read(stream, left)


def _read(stream: IO[bytes] | gzip.GzipFile, left: _Left) -> bytes | str:
    """The stream's bytes. _TooMuch: the file's share is used up."""
    found = bytearray()
    while chunk := stream.read(_CHUNK):
        found += chunk
        left.unpacked -= len(chunk)
        if left.unpacked < 0:
            raise _TooMuch(f"unpacks to more than {UNPACKED >> 20} MB")
        if len(found) > MOST:
            return f"unpacks to more than {MOST >> 20} MB"
    return bytes(found)
