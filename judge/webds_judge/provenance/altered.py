"""Copies of data files in which something is different: what is computed from the data has to come out differently.

Digits change in a way that keeps a file readable: years, dates, addresses and names stay.
"""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import openpyxl

DIGITS = "other digits"
ROWS = ("every second row", "the other rows", "the first row")
_NUMBER = re.compile(r"(?<![\w\"'=/.#-])\d+(?:\.\d+)?(?![\w\"/.-])(?!:\d\d(?!\d))")
_YEARS = range(1500, 2101)


def write(path: Path, target: Path, how: str) -> None:
    """A copy under `target`, changed as DIGITS or ROWS say; what cannot be changed is copied as it is."""
    data = path.read_bytes()
    if path.suffix.lower() in (".xlsx", ".xlsm"):
        _workbook(path, target, how)
    elif b"\0" in data[:4096]:
        target.write_bytes(data)
    elif how == DIGITS:
        target.write_text(_digits(data.decode("utf-8", "surrogateescape")), "utf-8", "surrogateescape", newline="")
    else:
        target.write_bytes(_thinned(data, ROWS.index(how)))


def _digits(text: str) -> str:
    place = iter(range(1 << 62))
    return _NUMBER.sub(lambda found: _other(found[0], next(place)), text)


def _other(number: str, place: int) -> str:
    """The number with another first and last digit; not the same step everywhere, or sums and ratios could stay."""
    if number.isdigit() and int(number) in _YEARS and len(number) == 4:
        return number
    last = str((int(number[-1]) + 1 + place % 7) % 10)
    return f"{1 + (int(number[0]) + place % 5) % 9}{number[1:-1]}{last}" if len(number) > 1 else last


def _thinned(data: bytes, how: int) -> bytes:
    """Without some of the rows below the first."""
    rows = data.splitlines(keepends=True)
    if len(rows) < 3:
        return data
    return rows[0] + b"".join((rows[1::2], rows[2::2], rows[1:2])[how])


def _workbook(path: Path, target: Path, how: str) -> None:
    """Of a workbook the numbers of every sheet, whatever is asked for: rows are where its layout is."""
    try:
        book = openpyxl.load_workbook(path, data_only=True)
    except (BadZipFile, KeyError, ValueError, OSError):
        shutil.copyfile(path, target)
        return
    step = len(how)
    for sheet in book.worksheets:
        _cells(sheet, lambda number, place: type(number)(number * (1.1 + (place * 3 + step) % 7 / 10) + 1))
    book.save(target)


def _cells(sheet: Any, changed: Callable[[float, int], float]) -> None:
    place = 0
    for row in sheet.iter_rows():
        for cell in row:
            if isinstance(cell.value, int | float) and not isinstance(cell.value, bool) and cell.value not in _YEARS:
                cell.value = changed(cell.value, place)
                place += 1
