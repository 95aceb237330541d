"""Check kind `csv_file`: a submitted table file against the reference's rows (rules 1, 2 and 9). Formulas are text.

The file is CSV, or by the ending of its name XLSX, JSON or Parquet. Params: file (its exact name), reference (CSV text,
or columns and rows), key_columns, abs_tol, rel_tol (one number, or a mapping from column to number), sheet (of a
workbook; the first if left out).
"""

from collections.abc import Mapping
from pathlib import Path

from webds.errors import InputFault
from webds.ports import CheckFunction
from webds.types import Evidence, Json, Params
from webds_judge.answers import grids, table
from webds_judge.answers.cells import Slack
from webds_judge.answers.result import compared
from webds_judge.checks import packed, submitted

FIELDS = ("file", "reference", "key_columns", "abs_tol", "rel_tol", "sheet", "oracle", "evidence")


def make(config: Params) -> CheckFunction:
    """The check; it takes no settings."""
    if config:
        raise InputFault(f"check csv_file: unknown setting {min(config)}; it takes none")
    return check


def check(evidence: Evidence, folder: Path, params: Params) -> tuple[bool, str, Mapping[str, Json]]:
    """(passed, why, {candidate, reference}). Raises InputFault where the key is wrong."""
    name, wanted, slack, keys = settings(params)
    data, why = submitted.read(evidence, folder, name)
    if why:
        return submitted.no(why, "nothing", wanted)
    try:
        found = _read(name, data, str(params.get("sheet", "")))
    except grids.NoTable as error:
        return False, f"{name}: {error}", {"candidate": "no table", "reference": str(wanted)}
    result = table.compare_grids(wanted, found, slack, keys)
    shown = compared(result.passed, result.why, found, wanted)
    return shown.passed, f"{name}: {shown.why}", shown.parsed


def _read(name: str, data: bytes, sheet: str) -> grids.Grid:
    if name.lower().endswith((".xlsx", ".json", ".parquet")):
        return packed.grid(name, data, sheet)
    return grids.of_csv(decoded(data))


def settings(params: Params) -> tuple[str, grids.Grid, tuple[Slack, ...], tuple[str, ...]]:
    """(file name, reference, tolerance by column, key columns). InputFault names the wrong field."""
    name = submitted.named("csv_file", params)
    reference, keys = params.get("reference"), params.get("key_columns", ())
    if reference is None:
        raise InputFault("check csv_file: field reference: missing, and the key has no gold file")
    if not isinstance(keys, list | tuple) or not all(isinstance(k, str) for k in keys):
        raise InputFault("check csv_file: field key_columns: a list of column names is needed")
    if not isinstance(params.get("sheet", ""), str):
        raise InputFault("check csv_file: field sheet: the name of a sheet is needed")
    wanted = table.parse(reference)
    slack = table.slack_by_column(wanted.columns, params.get("abs_tol"), params.get("rel_tol"))
    named = tuple(str(k) for k in keys)
    table.key_places(wanted, named)
    return name, wanted, slack, named


def decoded(data: bytes) -> str:
    """Text of a CSV file: UTF-8 or UTF-16 by its mark, else Windows-1252, which reads any bytes."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
