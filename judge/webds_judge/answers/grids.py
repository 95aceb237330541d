"""Tables out of text: CSV (comma, semicolon, tab, pipe), Markdown, HTML and JSON, as columns and rows of text."""

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webds_judge.answers.cleaning import TooMuchMarkup, drop_markdown, has_tags, parse_html, visible
from webds_judge.answers.limits import COLUMNS, ROWS
from webds_judge.answers.payload import NOTHING, Payload, item_text

_RULE = re.compile(r"^\s*(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*)*(?:\|\s*)?$")
_SEP = re.compile(r"\"?sep=([,;\t|])\"?\n", re.IGNORECASE)
"""The line that spreadsheets put before a CSV file to say its delimiter."""
_FIELD = re.compile(r"(?:^|(?<=, ))([^\W\d][^:,;]{0,60}): ([^:;]{1,200}?)(?=, [^\W\d][^:,;]{0,60}: |[.;]?$)")


class NoTable(ValueError):
    """The text holds no table, or one that is over a limit. `str()` is one line."""


@dataclass(frozen=True, slots=True)
class Grid:
    """`columns` names and `rows` of as many cells, all text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        return f"{len(self.rows)} rows of ({', '.join(self.columns)})"


def read(payload: Payload) -> Grid:
    """The one table that was handed in. Raises NoTable."""
    if payload.problem and payload.value is NOTHING:
        raise NoTable(payload.problem)
    if payload.value is not NOTHING:
        return _of_json(payload.value)
    if not payload.text.strip():
        raise NoTable("empty")
    if re.search(r"<table\b", payload.text, re.IGNORECASE):
        return _of_html(payload.text)
    try:
        text = visible(payload.text) if has_tags(payload.text) else payload.text
    except (TooMuchMarkup, RecursionError) as error:
        raise NoTable(f"markup not read: {error}") from error
    lines = text.splitlines()
    if any(_RULE.match(line) and "|" in line for line in lines):
        return _of_markdown(lines)
    return _of_fields(re.split(r"\n|;\s*", text)) or of_csv(_block(text))


def _of_fields(lines: list[str]) -> Grid | None:
    """Rows that name each cell: `Region: North, Sales: 1000`, one a line; or None."""
    rows = [_FIELD.findall(line) for line in lines[: ROWS + 2] if line.strip()]
    whole = [", ".join(f"{name}: {value}" for name, value in row) for row in rows]
    if not rows or len(rows[0]) < 2 or whole != [line.strip().rstrip(".;") for line in lines if line.strip()]:
        return None
    if any([name for name, _ in row] != [name for name, _ in rows[0]] for row in rows):
        return None
    return _grid([[name for name, _ in rows[0]], *([value for _, value in row] for row in rows)])


def _block(text: str) -> str:
    """The CSV lines of an answer: without prose before and after, which holds no delimiter or stands apart."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    start = next((i + 1 for i, line in enumerate(lines[:20]) if line.endswith(":") and i + 1 < len(lines)), 0)
    while start < len(lines) and not lines[start]:
        start += 1
    lines = lines[start:]
    if lines and not re.search(r"[,;\t|]", lines[0]) and re.search(r"\S {2,}\S", lines[0]):
        lines = [re.sub(r" {2,}", "\t", line.strip()) for line in lines]
    return "\n".join(lines)


def of_csv(text: str) -> Grid:
    """CSV text with a header line, its delimiter sniffed or said in a first line `sep=;`. Raises NoTable."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    said = _SEP.match(text)
    text = text[said.end() :] if said else text
    header = text.split("\n", 1)[0]
    delimiter = said[1] if said else max(",;\t|", key=lambda mark: _outside_quotes(header, mark))
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
        records = []
        for record in reader:
            if any(cell.strip() for cell in record) or len(record) > 1:
                records.append(record)
            if len(records) > ROWS + 1:
                raise NoTable(f"more than {ROWS} rows")
    except csv.Error as error:
        raise NoTable(f"not CSV: {error}") from error
    return _grid(records)


def _outside_quotes(line: str, mark: str) -> int:
    return re.sub(r'"[^"]*"', "", line[:20_000]).count(mark)


def of_rows(records: list[list[str]]) -> Grid:
    """Rows of text, the first of them the header; rows may end early. Raises NoTable."""
    if len(records) > ROWS + 1:
        raise NoTable(f"more than {ROWS} rows")
    width = len(records[0]) if records else 0
    return _grid([[*row, *[""] * (width - len(row))] for row in records])


def _grid(records: list[list[str]]) -> Grid:
    if not records:
        raise NoTable("no header line")
    columns = tuple(cell.strip() for cell in records[0])
    if len(columns) > COLUMNS:
        raise NoTable(f"more than {COLUMNS} columns")
    for number, record in enumerate(records[1:], start=1):
        if len(record) != len(columns):
            raise NoTable(f"row {number} has {len(record)} cells where the header has {len(columns)}")
    return Grid(columns, tuple(tuple(cell.strip() for cell in record) for record in records[1:]))


def _of_markdown(lines: list[str]) -> Grid:
    rules = [i for i, line in enumerate(lines) if _RULE.match(line) and "|" in line]
    if len(rules) > 1:
        raise NoTable("more than one table")
    at = rules[0]
    if at == 0:
        raise NoTable("no header line")
    body = [lines[at - 1]]
    for line in lines[at + 1 :]:
        if "|" not in line:
            break
        body.append(line)
    return _grid([_pipe_cells(line) for line in body[: ROWS + 2]])


def _pipe_cells(line: str) -> list[str]:
    bare = line.strip().removeprefix("|")
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [drop_markdown(cell.replace("\\|", "|")).strip() for cell in re.split(r"(?<!\\)\|", bare)]


def _of_html(text: str) -> Grid:
    try:
        tables = parse_html(text).find_all("table")
    except (TooMuchMarkup, RecursionError) as error:
        raise NoTable(f"markup not read: {error}") from error
    if len(tables) != 1:
        raise NoTable("more than one table" if tables else "no visible table")
    rows = [[c.get_text(" ", strip=True) for c in tr.find_all(["td", "th"])] for tr in tables[0].find_all("tr")]
    return _grid([row for row in rows if row])


def _of_object(value: Mapping[Any, Any]) -> Grid:
    """Columns and rows; one list of rows under a name; or one list of cells a column."""
    keys = {str(key).lower(): item for key, item in value.items()}
    if {"columns", "rows"} <= set(keys):
        return _of_columns(keys["columns"], keys["rows"])
    lists = [item for item in value.values() if isinstance(item, list)]
    if len(value) == 1 and lists and isinstance(lists[0], list):
        return _of_json(lists[0])
    if len(lists) == len(value) > 1 and len({len(item) for item in lists}) == 1:
        return _of_columns(list(value), [list(row) for row in zip(*lists, strict=True)])
    raise NoTable("a JSON object that is no table")


def _of_json(value: Any) -> Grid:
    """A list of objects, a list of rows, or an object with columns and rows."""
    if isinstance(value, Mapping):
        return _of_object(value)
    if not isinstance(value, list) or not value or len(value) > ROWS:
        raise NoTable("JSON that is no table")
    if all(isinstance(row, Mapping) for row in value):
        columns = list(value[0])
        if any(set(row) != set(columns) for row in value):
            raise NoTable("JSON rows with different fields")
        return _of_columns(columns, [[row[c] for c in columns] for row in value])
    if all(isinstance(row, list) for row in value):
        return _of_columns(value[0], value[1:])
    raise NoTable("JSON that is no table")


def _of_columns(columns: Any, rows: Any) -> Grid:
    if not isinstance(columns, list) or not isinstance(rows, list) or not all(isinstance(r, list) for r in rows):
        raise NoTable("columns and rows are not lists")
    cells = [*columns, *(cell for row in rows for cell in row)]
    if any(isinstance(cell, list | Mapping) for cell in cells):
        raise NoTable("a nested value in a table cell")
    return _grid([[item_text(c) for c in columns], *([item_text(c) for c in row] for row in rows)])
