"""Check kind `csv_file`: a submitted CSV file against the reference's rows (rules 1, 2 and 9). Formulas are text.

Params: file (its exact name), reference (CSV text, or columns and rows), key_columns, abs_tol, rel_tol (one number, or
a mapping from column to number).
"""

from collections.abc import Mapping
from pathlib import Path

from webds.errors import InputFault
from webds.ports import CheckFunction
from webds.types import Evidence, File, Json, Params
from webds_judge.answers import grids, table
from webds_judge.answers.cells import Slack
from webds_judge.answers.limits import FILE_BYTES
from webds_judge.answers.result import compared

FIELDS = ("file", "reference", "key_columns", "abs_tol", "rel_tol", "oracle", "evidence")


def make(config: Params) -> CheckFunction:
    """The check; it takes no settings."""
    if config:
        raise InputFault(f"check csv_file: unknown setting {min(config)}; it takes none")
    return check


def check(evidence: Evidence, folder: Path, params: Params) -> tuple[bool, str, Mapping[str, Json]]:
    """(passed, why, {candidate, reference}). Raises InputFault where the key is wrong."""
    name, wanted, slack, keys = settings(params)
    submitted = _submitted(evidence, name)
    if submitted is None:
        others = ", ".join(sorted(f.name for f in evidence.files)[:10]) or "no files"
        return (
            False,
            f"no file named {name}; there is: {others[:300]}",
            {"candidate": "nothing", "reference": str(wanted)},
        )
    path = inside(folder, submitted.path)
    if path.stat().st_size > FILE_BYTES:
        why = f"{name} has {path.stat().st_size} bytes, more than the {FILE_BYTES} that are read"
        return False, why, {"candidate": "not read", "reference": str(wanted)}
    try:
        found = grids.of_csv(decoded(path.read_bytes()))
    except grids.NoTable as error:
        return False, f"{name}: {error}", {"candidate": "no table", "reference": str(wanted)}
    result = table.compare_grids(wanted, found, slack, keys)
    shown = compared(result.passed, result.why, found, wanted)
    return shown.passed, f"{name}: {shown.why}", shown.parsed


def settings(params: Params) -> tuple[str, grids.Grid, tuple[Slack, ...], tuple[str, ...]]:
    """(file name, reference, tolerance by column, key columns). InputFault names the wrong field."""
    name, reference, keys = params.get("file"), params.get("reference"), params.get("key_columns", ())
    if not isinstance(name, str) or not name:
        raise InputFault("check csv_file: field file: the name of the submitted file is needed")
    if reference is None:
        raise InputFault("check csv_file: field reference: missing, and the key has no gold file")
    if not isinstance(keys, list | tuple) or not all(isinstance(k, str) for k in keys):
        raise InputFault("check csv_file: field key_columns: a list of column names is needed")
    wanted = table.parse(reference)
    slack = table.slack_by_column(wanted.columns, params.get("abs_tol"), params.get("rel_tol"))
    named = tuple(str(k) for k in keys)
    table.key_places(wanted, named)
    return name, wanted, slack, named


def _submitted(evidence: Evidence, name: str) -> File | None:
    return next((f for f in evidence.files if f.name == name), None)


def inside(folder: Path, relative: str) -> Path:
    """`relative` under `folder`; InputFault where it leads out of it or is no file."""
    path = (folder / relative).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        raise InputFault(f"{relative!r:.200}: not a file of this try")
    return path


def decoded(data: bytes) -> str:
    """Text of a CSV file: UTF-8 or UTF-16 by its mark, else Windows-1252, which reads any bytes."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
