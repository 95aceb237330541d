"""Runs SQL with DuckDB over the files of the work folder; tables made by one query last for the next."""

import csv
import os
import sys
from collections.abc import Mapping
from typing import Any

import duckdb

ROWS = 200
_SETTINGS = (
    "SET autoinstall_known_extensions=false",
    "SET autoload_known_extensions=false",
    "SET python_enable_replacements=false",
    "SET enable_external_access=false",
    "SET lock_configuration=true",
)


class Refused(Exception):
    """A refusal in words, shown without a traceback."""


def connect(memory_mb: int) -> duckdb.DuckDBPyConnection:
    """A database in memory that reads and writes only below the work folder."""
    config: dict[str, Any] = {"threads": "1", "memory_limit": f"{memory_mb}MB", "temp_directory": "/tmp/duckdb"}  # noqa: S108 - the jail's own
    connection = duckdb.connect(config=config)
    folder = os.getcwd().replace("'", "''")  # noqa: PTH109
    connection.execute(f"SET allowed_directories=['{folder}/']")
    for setting in _SETTINGS:
        connection.execute(setting)
    return connection


_open: list[duckdb.DuckDBPyConnection] = []


def run(request: Mapping[str, Any]) -> None:
    """Execute `query` and print the last result as CSV, at most ROWS rows, NULL written as NULL."""
    if not _open:
        _open.append(connect(request["memory_mb"]))
    try:
        done = _open[0].execute(request["query"])
        columns = [column[0] for column in done.description or ()]
        rows = done.fetchmany(ROWS + 1) if columns else []
    except duckdb.Error as error:
        raise Refused(explain(error)) from error
    out = csv.writer(sys.stdout, lineterminator="\n")
    if columns:
        out.writerow(columns)
    out.writerows(["NULL" if cell is None else cell for cell in row] for row in rows[:ROWS])
    print(f"({ROWS} rows shown, more exist)" if len(rows) > ROWS else f"({len(rows)} rows)")


def explain(error: duckdb.Error) -> str:
    """DuckDB's words, with the way out where a workbook was named."""
    text = str(error).strip()
    if "xlsx" in text.lower() or "excel" in text.lower():
        return "SQL reads csv, tsv, json and parquet files; read a workbook with python and write the table as csv"
    return text
