"""Files as text for the rubric and for provenance: CSV in any usual encoding, XLSX, Parquet, DOCX, PDF, ZIP of those.

What cannot be read, or is larger than is read, is named by kind and size. Nothing in a file is trusted.
"""

import io
import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from openpyxl import load_workbook

from webds.cells import BROKEN, shown
from webds_judge.answers.limits import ROWS
from webds_judge.checks import packed
from webds_judge.checks.csv_file import decoded

MOST = 2_000_000
"""Bytes of a file that are read as text; a packed one is read whole or not at all."""
_CHARS = 400_000
"""Characters that are taken out of a packed file."""
_MEMBERS = 50
_BINARY = (b"\x89PNG", b"%PDF", b"PK\x03\x04", b"PAR1")
_MARKED = (b"\xff\xfe", b"\xfe\xff")


def text_of(path: Path) -> str:
    """A file's text; of one that is not read what it is."""
    data = path.read_bytes()[: MOST + 1] if path.is_file() else b""
    size = path.stat().st_size if path.is_file() else 0
    return _text(path.name, data[:MOST], size, nested=False)


def _text(name: str, data: bytes, size: int, nested: bool) -> str:
    kind = name.lower().rpartition(".")[2]
    packed_kind = data[:4] in _BINARY
    if packed_kind and size <= MOST:
        try:
            return _unpacked(kind, name, data, nested)[:_CHARS]
        except BROKEN:  # ValueError is one, and so is NoTable
            pass
    if packed_kind or (b"\0" in data[:4096] and data[:2] not in _MARKED):
        return f"[{kind if '.' in name else 'binary'} file of {size} bytes]"
    return decoded(data) if size <= MOST or data[:2] in _MARKED else data.decode("utf-8", "replace")


def _unpacked(kind: str, name: str, data: bytes, nested: bool) -> str:
    """ValueError and others of BROKEN: it is none of these."""
    if kind in ("xlsx", "xlsm"):
        return _joined(_sheets(data))
    if kind == "parquet":
        grid = packed.grid(name, data)
        return _joined(", ".join(row) for row in (grid.columns, *grid.rows))
    if kind in ("docx", "pdf"):
        return packed.text(name, data)
    if kind == "zip" and not nested:
        return _joined(_members(data))
    raise ValueError("no text is taken out of it")


def _joined(lines: Iterator[str]) -> str:
    """As many lines as are taken."""
    found: list[str] = []
    left = _CHARS
    for line in lines:
        found.append(line)
        left -= len(line) + 1
        if left <= 0:
            break
    return "\n".join(found)


def _sheets(data: bytes) -> Iterator[str]:
    """Every sheet's name and its rows, cells apart by commas; formulas by their last value."""
    _check_size(data)
    book = load_workbook(io.BytesIO(data), data_only=True, read_only=True)
    for sheet in book.worksheets:
        yield f"sheet {sheet.title}:"
        for row in islice(sheet.iter_rows(values_only=True), ROWS):
            cells = [shown(value) for value in row]
            if any(cells):
                yield ", ".join(cells).rstrip(", ")


def _members(data: bytes) -> Iterator[str]:
    _check_size(data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist()[:_MEMBERS]:
            inner = archive.read(entry)
            yield f"{entry.filename}:\n{_text(entry.filename, inner[:MOST], len(inner), nested=True)}"


def _check_size(data: bytes) -> None:
    """ValueError where more would be unpacked than is read."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > packed.UNPACKED:
            raise ValueError("too large")
