"""Copies of data files in which something is different: what is computed from the data has to come out differently.

Digits change in a way that keeps a file readable: years, dates, addresses and names stay.
"""

import io
import re
from itertools import count
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

import openpyxl

DIGITS = "other digits"
ROWS = ("every second row", "the other rows", "the first row")
_NUMBER = re.compile(r"(?<![\w\"'=/.#-])\d+(?:\.\d+)?(?![\w\"/.-])(?!:\d\d(?!\d))")
_NUMERIC = re.compile(r"-?[\d.,\s]*\d[\d.,\s]*%?")
_YEARS = range(1500, 2101)
_MOST = 64 << 20


def write(path: Path, target: Path, how: str) -> None:
    """A copy under `target`, changed as DIGITS or ROWS say; what cannot be changed is copied as it is."""
    target.write_bytes(_altered(path.name, path.read_bytes(), how))


def _altered(name: str, data: bytes, how: str) -> bytes:
    kind = Path(name).suffix.lower()
    try:
        if kind in (".xlsx", ".xlsm"):
            return _workbook(data, how)
        if kind == ".zip":
            return _archive(data, how)
    except (BadZipFile, KeyError, ValueError, OSError, RuntimeError):
        return data
    if b"\0" in data[:4096]:
        return data
    if how == DIGITS:
        return _digits(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    return _thinned(data, ROWS.index(how))


def _archive(data: bytes, how: str) -> bytes:
    """Each member changed by its own kind. Nothing is unpacked beyond _MOST bytes in all."""
    kept = io.BytesIO()
    with ZipFile(io.BytesIO(data)) as old, ZipFile(kept, "w") as new:
        if sum(member.file_size for member in old.infolist()) > _MOST:
            return data
        for member in old.infolist():
            new.writestr(member.filename, _altered(Path(member.filename).stem + _suffix(member), old.read(member), how))
    return kept.getvalue()


def _suffix(member: ZipInfo) -> str:
    """An archive in an archive stays as it is."""
    found = Path(member.filename).suffix
    return "" if found.lower() == ".zip" else found


def _digits(text: str, start: int = 0) -> str:
    place = count(start)
    return _NUMBER.sub(lambda found: _other(found[0], next(place)), text)


def _other(number: str, place: int) -> str:
    """The number with another first and last digit; not the same step everywhere, or sums and ratios could stay."""
    if number.isdigit() and int(number) in _YEARS and len(number) == 4:
        return number
    last = str((int(number[-1]) + 1 + _scattered(place)) % 10)
    return f"{1 + (int(number[0]) + _scattered(place + 1)) % 9}{number[1:-1]}{last}" if len(number) > 1 else last


def _scattered(place: int) -> int:
    """0 to 6 without a period: a table's columns would be scaled as a whole (Knuth's multiplicative hash)."""
    return (place * 2654435761 >> 9) % 7


def _thinned(data: bytes, how: int) -> bytes:
    """Without some of the rows below the first."""
    rows = data.splitlines(keepends=True)
    if len(rows) < 3:
        return data
    return rows[0] + b"".join((rows[1::2], rows[2::2], rows[1:2])[how])


def _workbook(data: bytes, how: str) -> bytes:
    """Of a workbook the numbers of every sheet, whatever is asked for: rows are where its layout is."""
    book = openpyxl.load_workbook(io.BytesIO(data), data_only=True)
    step = len(how)
    place = 0
    for sheet in book.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                other = _cell(cell.value, place, step)
                if other is not None:
                    cell.value, place = other, place + 1
    kept = io.BytesIO()
    book.save(kept)
    return kept.getvalue()


def _cell(value: Any, place: int, step: int) -> Any:
    """Another number for a number or a text that is one; None for anything else."""
    if isinstance(value, str) and _NUMERIC.fullmatch(value.strip()):
        return _digits(value, place + step)
    if not isinstance(value, int | float) or isinstance(value, bool) or value in _YEARS:
        return None
    return type(value)(value * (1.1 + _scattered(place + step) / 10) + 1)
