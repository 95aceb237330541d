"""Shows part of a file of the work folder as text. The file is a stranger's: it is opened only in here."""

import csv
import importlib
import itertools
import json
import sqlite3
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl.utils import get_column_letter
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet.worksheet import Worksheet

ROWS, MOST_ROWS, COLUMNS, CELL_CHARS, NAMED = 20, 200, 60, 200, 30
WHOLE_MB = 64
# What the csv, json, zip, XML and openpyxl readers raise on a broken or hostile file.
UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, SyntaxError, RecursionError,
              csv.Error, zipfile.BadZipFile, InvalidFileException, sqlite3.Error, RuntimeError)  # fmt: skip
FORMATS = importlib.import_module("formats")  # beside this file; mypy knows no such top-level module


class Refused(Exception):
    """A refusal in words, shown without a traceback."""


def run(request: Mapping[str, Any]) -> None:
    """Print `name` from row `start` (from 1), `rows` rows; for workbooks of `sheet`."""
    path = find(request["name"])
    options = request["options"]
    first, count = whole(options, "start", 1, 10**9), min(whole(options, "rows", ROWS, 10**9), MOST_ROWS)
    show = KINDS.get(path.suffix.lower())
    if show is None:
        raise Refused(f"{path.name}: cannot be previewed ({path.stat().st_size} bytes); accepted: {', '.join(KINDS)}")
    try:
        show(path, first, count, options)
    except UNREADABLE as error:
        raise Refused(
            f"{path.name}: not a readable {path.suffix[1:]} file: {' '.join(str(error).split())[:200]}"
        ) from error


def find(name: str) -> Path:
    """A file below the work folder by relative name, or a refusal that lists what is there."""
    here = Path.cwd().resolve()
    try:
        path = (here / name).resolve()
        known = path.is_file() and path.is_relative_to(here)
    except (OSError, ValueError):
        known = False
    if not known:
        names = sorted(str(entry.relative_to(here)) for entry in here.rglob("*") if entry.is_file())
        raise Refused(f"no file {name[:200]!r}; known: {', '.join(names[:NAMED]) or 'none'}")
    return path


def whole(options: Mapping[str, Any], name: str, default: int, most: int) -> int:
    """An option as a whole number from 1."""
    value = options.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise Refused(f"option {name}: {value!r}; wanted a whole number from 1")
    return value


def text_lines(path: Path) -> tuple[Iterator[str], str]:
    """The lines of a text file, and its encoding: UTF-8, or Latin-1 where it is not."""
    encoding = "utf-8-sig"
    try:
        with path.open(encoding=encoding) as file:
            for _ in file:
                pass
    except UnicodeDecodeError:
        encoding = "latin-1"
    return read_lines(path, encoding), encoding.removesuffix("-sig")


def read_lines(path: Path, encoding: str) -> Iterator[str]:
    """Lines as they are, line ends included, because csv needs them."""
    with path.open(encoding=encoding, newline="") as file:
        yield from file


def show_table(path: Path, first: int, count: int, _: Mapping[str, Any]) -> None:
    """csv and tsv: rows as the csv module reads them, numbered from 1 with the header as row 1."""
    csv.field_size_limit(1 << 24)
    lines, encoding = text_lines(path)
    head = list(itertools.islice(lines, 20))
    mark = max("\t;,|", key="".join(head).count) if path.suffix.lower() != ".tsv" else "\t"
    total, width, shown = 0, 0, []
    for number, row in enumerate(csv.reader(itertools.chain(head, lines), delimiter=mark), 1):
        total, width = number, max(width, len(row))
        if first <= number < first + count:
            shown.append((number, row))
    print(f"{path.name}: {total} rows (header included), {width} columns, delimiter {mark!r}, encoding {encoding}")
    write_rows(shown)


def show_text(path: Path, first: int, count: int, _: Mapping[str, Any]) -> None:
    """Plain text: lines from `start`."""
    lines, encoding = text_lines(path)
    show_lines(path.name, encoding, lines, first, count)


def show_lines(name: str, note: str, lines: Iterable[str], first: int, count: int) -> None:
    """A window on lines, each cut at 2,000 characters."""
    total, shown = 0, []
    for number, line in enumerate(lines, 1):
        total = number
        if first <= number < first + count:
            shown.append(f"{number}: {line.rstrip()[:2000]}")
    print(f"{name}: {total} lines, {note}", *shown, sep="\n")


def show_json(path: Path, first: int, count: int, _: Mapping[str, Any]) -> None:
    """JSON: its shape, then a window on its indented form."""
    if path.stat().st_size > WHOLE_MB << 20:
        raise Refused(f"{path.name}: over {WHOLE_MB} MB; read it with python")
    data = json.loads(path.read_bytes())
    if isinstance(data, dict):
        shape = f"an object with keys {', '.join(map(str, list(data)[:NAMED]))}"
    else:
        shape = f"a list of {len(data)}" if isinstance(data, list) else f"a {type(data).__name__}"
    show_lines(path.name, shape, json.dumps(data, indent=1, ensure_ascii=False).splitlines(), first, count)


def show_book(path: Path, first: int, count: int, options: Mapping[str, Any]) -> None:
    """xlsx: every sheet's size and state, then the wanted sheet's rows with what is hidden or merged named."""
    book = openpyxl.load_workbook(path, data_only=True)
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if not sheets:
        raise Refused(f"{path.name}: has no worksheet")
    wanted = options.get("sheet", next(iter(sheets)))
    if wanted not in sheets:
        raise Refused(f"{path.name}: no sheet {wanted!r}; known: {', '.join(sheets)}")
    print(f"{path.name}: {len(sheets)} sheets")
    for title, sheet in sheets.items():
        state = "" if sheet.sheet_state == "visible" else f", {sheet.sheet_state}"
        print(f"  {title!r}: {sheet.max_row} rows x {sheet.max_column} columns{state}")
    show_sheet(sheets[wanted], first, count)


def show_sheet(sheet: Worksheet, first: int, count: int) -> None:
    """One sheet's notes and rows."""
    columns = hidden_columns(sheet)
    rows = [str(number) for number, row in sheet.row_dimensions.items() if row.hidden]
    merged = [str(area) for area in sheet.merged_cells.ranges]
    for what, names in (("hidden columns", columns), ("hidden rows", rows), ("merged cells", merged)):
        if names:
            more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
            print(f"{what}: {', '.join(names[:NAMED])}{more}")
    last = min(first + count - 1, sheet.max_row)
    print(f"sheet {sheet.title!r}, rows {first} to {last} of {sheet.max_row}:")
    width = min(sheet.max_column, COLUMNS)
    letters = ["row", *(get_column_letter(number) for number in range(1, width + 1))]
    csv.writer(sys.stdout, lineterminator="\n").writerow(letters)
    found = sheet.iter_rows(min_row=first, max_row=last, max_col=width, values_only=True) if first <= last else ()
    write_rows(enumerate(found, first), sheet.max_column)


def show_more(path: Path, first: int, count: int, options: Mapping[str, Any]) -> None:
    """The formats of formats.py. Their libraries raise many kinds of errors: all of them mean an unreadable file."""
    heads, rows = FORMATS.READERS[path.suffix.lower()](path, first, count, options)
    print(*heads, sep="\n")
    write_rows(rows)


def hidden_columns(sheet: Worksheet) -> list[str]:
    """Letters of hidden columns; a workbook stores a run of alike columns as one entry."""
    runs = (entry for entry in sheet.column_dimensions.values() if entry.hidden)
    numbers = {number for run in runs for number in range(run.min or 0, min(run.max or 0, sheet.max_column) + 1)}
    return [get_column_letter(number) for number in sorted(numbers) if number]


def write_rows(rows: Iterable[tuple[int, Iterable[Any]]], width: int = 0) -> None:
    """Numbered rows as CSV, at most COLUMNS cells of CELL_CHARS characters each."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    for number, row in rows:
        cells = ["" if cell is None else str(cell) for cell in row]
        width = max(width, len(cells))
        out.writerow([number, *(cell[:CELL_CHARS] for cell in cells[:COLUMNS])])
    if width > COLUMNS:
        print(f"({width - COLUMNS} columns to the right are not shown)")


KINDS: dict[str, Callable[[Path, int, int, Mapping[str, Any]], None]] = {
    ".csv": show_table, ".tsv": show_table, ".json": show_json, ".xlsx": show_book, ".txt": show_text,
    ".md": show_text, ".html": show_text, ".xml": show_text, ".geojson": show_json, ".svg": show_text,
    ".htm": show_text, ".log": show_text, ".tab": show_table,
    **dict.fromkeys(FORMATS.READERS, show_more),
}  # fmt: skip
