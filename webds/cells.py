"""Read one cell of a workbook or CSV file by its labels, as a person would: sheet, row label, column heading.

The rule for headings. Title rows may stand above the table and headings may be merged over several rows. The header
is found by the wanted `column` text: of the first 40 rows, the first run of one to three rows whose headings, flattened
with " / " (top first, empty and repeated parts left out, a merged cell standing for all the cells it covers), contain
that text. The row is the first one below whose label (first column, or the one headed `key_column`) equals `key`.
Hidden rows, columns and sheets are read like all others. A file may lie in a .zip archive, and a CSV file may have
another encoding and delimiter than usual; all three are named. Used by the validator and by the oracle agent.
"""

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet.worksheet import Worksheet

from webds.errors import InputFault, one_line
from webds.types import Params

MAX_BYTES = 20_000_000
MAX_UNPACKED = 50_000_000
MAX_CELLS = 500_000
HEADER_ROWS = 40
HEADER_DEPTH = 3
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    InvalidFileException,
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RuntimeError,
    SyntaxError,  # xml.etree's ParseError is one
    TypeError,
    ValueError,
)
"""What openpyxl and zipfile let out of damaged files; a bug of ours inside `_workbook` would show as bad input too."""

type Table = list[list[str]]
type Merges = dict[tuple[int, int], str]
"""What a cell under a merge stands for, by (row, column) from zero."""


def read_cell(data: bytes, filename: str, where: Params) -> str:
    """The text of one cell of a .csv or .xlsx file, or of one inside a .zip file.

    `where`: "member" (zip: the file's name in it), "sheet" (xlsx; the first sheet if left out), "key" (row label),
    "column" (flattened heading), "key_column" (heading of the label column; the first column if left out), and for
    csv "encoding" (utf-8-sig if left out) and "delimiter" (a comma if left out). Whole numbers come back without a
    decimal point, dates as ISO text, an empty cell as "". Raises InputFault with one line for anything not found,
    found twice, damaged or too large.
    """
    if len(data) > MAX_BYTES:
        raise InputFault(f"{filename}: {len(data)} bytes, at most {MAX_BYTES} are read")
    if filename.lower().endswith(".zip"):
        data, filename = _member(data, filename, _text(where, "member", filename))
    kind = filename.lower().rpartition(".")[2]
    if kind == "csv":
        table = _csv_table(data, filename, where)
        merged: Merges = {}
    elif kind == "xlsx":
        table, merged = _sheet_table(data, filename, _text(where, "sheet", filename, needed=False))
    else:
        raise InputFault(f"{filename}: cells are read from .csv and .xlsx files only")
    return _find(table, merged, filename, where)


def _text(where: Params, name: str, filename: str, *, needed: bool = True) -> str:
    value = where.get(name, "")
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = shown(value)
    if not isinstance(value, str) or (needed and not value):
        raise InputFault(f"{filename}: field {name!r} must be a text, got {value!r}")
    return value


def _find(table: Table, merged: Merges, filename: str, where: Params) -> str:
    key, wanted = _text(where, "key", filename), _text(where, "column", filename)
    below, column, flat = _header(table, merged, wanted, filename)
    labels = 0
    if label := _text(where, "key_column", filename, needed=False):
        labels = _only([index for index, text in enumerate(flat) if text == label], f"column {label!r}", filename)
    rows = [row for row in table[below:] if labels < len(row) and row[labels].strip() == key.strip()]
    row = rows[_only(list(range(len(rows))), f"row {key!r}", filename)]
    return row[column] if column < len(row) else ""


def _only(found: Sequence[int], what: str, filename: str) -> int:
    if len(found) != 1:
        raise InputFault(f"{filename}: {what} is {'not there' if not found else f'there {len(found)} times'}")
    return found[0]


def _header(table: Table, merged: Merges, wanted: str, filename: str) -> tuple[int, int, list[str]]:
    """First data row, column index, and all flattened headings."""
    for top in range(min(HEADER_ROWS, len(table))):
        for depth in range(1, min(HEADER_DEPTH, len(table) - top) + 1):
            flat = _flatten(table, merged, top, depth)
            found = [index for index, text in enumerate(flat) if text == wanted]
            if found:
                return top + depth, _only(found, f"column {wanted!r}", filename), flat
    raise InputFault(f"{filename}: column {wanted!r} is not there in the first {HEADER_ROWS} rows")


def _flatten(table: Table, merged: Merges, top: int, depth: int) -> list[str]:
    rows = range(top, top + depth)
    width = max(len(table[row]) for row in rows)
    flat = []
    for column in range(width):
        parts: list[str] = []
        for row in rows:
            own = table[row][column] if column < len(table[row]) else ""
            text = " ".join((own or merged.get((row, column), "")).split())
            if text and text not in parts:
                parts.append(text)
        flat.append(" / ".join(parts))
    return flat


def _member(data: bytes, filename: str, name: str) -> tuple[bytes, str]:
    """A file of an archive, and its name for messages. No more than the limit is unpacked, whatever its header says."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if name not in archive.namelist():
                raise InputFault(f"{filename}: no member {name!r}; known: {', '.join(archive.namelist()[:20])}")
            with archive.open(name) as file:
                found = file.read(MAX_BYTES + 1)
    except BROKEN as error:
        raise InputFault(f"{filename}: not a readable archive: {one_line(error)}") from error
    if len(found) > MAX_BYTES:
        raise InputFault(f"{filename}: member {name!r} has more than {MAX_BYTES} bytes")
    return found, f"{filename}: {name}"


def _csv_table(data: bytes, filename: str, where: Params) -> Table:
    encoding = _text(where, "encoding", filename, needed=False) or "utf-8-sig"
    delimiter = _text(where, "delimiter", filename, needed=False) or ","
    try:
        text = data.decode(encoding)
        table = list(csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter))
    except (LookupError, TypeError) as error:  # of the encoding's name, and of a delimiter of two characters
        raise InputFault(f"{filename}: field 'encoding' or 'delimiter': {one_line(error)}") from error
    except (UnicodeError, ValueError, csv.Error) as error:
        raise InputFault(f"{filename}: not a readable CSV file: {one_line(error)}") from error
    return table


def sheet_rows(data: bytes, filename: str, sheet: str = "", *, formulas: bool = False) -> Table:
    """All rows of one sheet of a .xlsx file as text (the first sheet if left out). InputFault as for `read_cell`.

    A formula is read as its last value, or with `formulas` as its own text; then a number that the sheet shows as a
    percentage has its sign, with all its digits.
    """
    try:
        return _read_sheet(data, filename, sheet, formulas)[0]
    except BROKEN as error:
        raise InputFault(f"{filename}: not a readable workbook: {one_line(error)}") from error


def _sheet_table(data: bytes, filename: str, sheet: str) -> tuple[Table, Merges]:
    """Rows as text, and the merges near the top."""
    try:
        return _read_sheet(data, filename, sheet)
    except BROKEN as error:
        raise InputFault(f"{filename}: not a readable workbook: {one_line(error)}") from error


def _read_sheet(data: bytes, filename: str, sheet: str, formulas: bool = False) -> tuple[Table, Merges]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        unpacked = sum(entry.file_size for entry in archive.infolist())
    if unpacked > MAX_UNPACKED:
        raise InputFault(f"{filename}: {unpacked} bytes unpacked, at most {MAX_UNPACKED} are read")
    book = load_workbook(io.BytesIO(data), data_only=not formulas)
    name = sheet or book.sheetnames[0]
    if name not in book.sheetnames:
        raise InputFault(f"{filename}: no sheet {name!r}; known: {', '.join(book.sheetnames)}")
    found: Any = book[name]
    if not isinstance(found, Worksheet):
        raise InputFault(f"{filename}: sheet {name!r} holds no cells")
    if found.max_row * found.max_column > MAX_CELLS:
        raise InputFault(f"{filename}: sheet {name!r} has more than {MAX_CELLS} cells")
    if formulas:
        table = [[_as_shown(cell.value, str(cell.number_format)) for cell in row] for row in found.iter_rows()]
    else:
        table = [[shown(value) for value in row] for row in found.iter_rows(values_only=True)]
    return table, _merged(found, table)


def _as_shown(value: object, form: str) -> str:
    """A cell as text, with the percent sign of its number format (a quoted or escaped one scales nothing)."""
    if isinstance(value, int | float) and not isinstance(value, bool) and "%" in re.sub(r'"[^"]*"|\\.', "", form):
        number = Decimal(repr(value)).scaleb(2)
        return f"{number.normalize():f}%" if number.is_finite() else shown(value)
    return shown(value)


def _merged(sheet: Worksheet, table: Table) -> Merges:
    """Only merges within reach of a header: a merge over a million rows costs nothing."""
    reach = HEADER_ROWS + HEADER_DEPTH
    stands: Merges = {}
    for area in sheet.merged_cells.ranges:
        if area.min_row > len(table):
            continue
        text = table[area.min_row - 1][area.min_col - 1]
        for row in range(area.min_row - 1, min(area.max_row, reach)):
            for column in range(area.min_col - 1, min(area.max_col, sheet.max_column)):
                stands[row, column] = text
    return stands


def shown(value: object) -> str:
    """A cell as text: 3.0 is "3", dates are ISO, true and false are lower case."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)
