"""Are tasks, keys and sites of one mind? Run by `webds tasks validate`; nothing is changed, every fault is a Finding.

Each task has a key of its revision and each key a task, and what it needs (needs.py); each reference parses and passes
its own comparator; each oracle (SQL over the sites' data) gives the reference again; each piece of evidence is what the
site serves; where one of these is missing, that is a fault; labels say what the key shows (labelling.py); canaries are
where they belong and nowhere else; and, where asked for, each task has an agreeing review of its revision.

In an oracle's SQL the tables are the Parquet files of the site that the task starts on; those of its other sites
stand in a schema named as the site's folder (grid_workbook.generation).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb

from webds.errors import InputFault
from webds.types import Check, Json
from webds_judge import canaries, checkout, labelling, needs, reviews
from webds_judge.answers import compare, grids, sample, table, unachievable
from webds_judge.checkout import Row as Row
from webds_judge.checks import csv_file, picture, report
from webds_judge.checks import sql as sql_check
from webds_judge.drawn import Pictures
from webds_judge.fields import Finding as Finding
from webds_judge.fields import Site, check_task
from webds_judge.proof import FIELDS as KINDS
from webds_judge.proof import Hover, Views, problems

_MOST_ROWS = 100_000
"""Most rows of an oracle's result."""


def validate(
    root: Path,
    fetch: Callable[[str], bytes],
    tasks: Iterable[Row] | None = None,
    *,
    hover: Hover | None = None,
    with_reviews: bool = False,
) -> list[Finding]:
    """Every fault under `root`.

    `fetch(url)` gives the bytes that a site serves, `hover(url, x, y)` what a pointer brings up there (without it tips
    are left out); `tasks` default to the task files.
    """
    return findings_of(checkout.read(root, tasks), fetch, hover=hover, with_reviews=with_reviews)


def findings_of(
    found: checkout.Checkout, fetch: Callable[[str], bytes], *, hover: Hover | None = None, with_reviews: bool = False
) -> list[Finding]:
    """`validate` of a checkout that is read already."""
    findings = found.findings
    for file, number, entry in found.rows:
        findings += check_task(file, number, entry, found.sites)
    findings += list(needs.faults(found))
    findings += list(labelling.faults(found))
    folders = {f"{site.name}.test": site.folder for site in found.sites.values()}
    views = Views(fetch, Pictures(fetch, folders), hover)
    for task, (file, key) in found.keys.items():
        sites = found.sites_of(task)
        for check in key.checks:
            findings += (Finding(file, task, f"{check.name}.{f}", p) for f, p in _check_faults(check, sites, views))
    findings += list(canaries.faults(found))
    if with_reviews:
        findings += list(reviews.faults(found))
    return findings


def _check_faults(check: Check, sites: list[Site], views: Views) -> Iterator[tuple[str, str]]:
    """(field, problem) of one check's reference, oracle and evidence."""
    try:
        _own_reference(check)
    except InputFault as error:
        yield "reference", str(error)
        return
    yield from _missing(check)
    oracle = check.params.get("oracle")
    if oracle is not None:
        try:
            why = _oracle_fault(check, oracle, sites)
        except InputFault as error:
            why = str(error)
        if why:
            yield "oracle", why
    if "evidence" in check.params:
        yield from problems(check.params["evidence"], views)


def _missing(check: Check) -> Iterator[tuple[str, str]]:
    """(field, problem) where nothing proves the reference. What is not there has no SQL; a picture, and a query that
    says true or false of what the agent left behind, have no reference."""
    if check.kind == "picture" or (check.kind == "sql" and "type" not in check.params):
        return
    if check.params.get("oracle") is None and check.params.get("type") != "unachievable":
        yield "oracle", "missing; known: sql (a text)"
    if not check.params.get("evidence"):
        yield "evidence", f"missing; known kinds: {', '.join(KINDS)}"


_SETTINGS: Mapping[str, Callable[[Mapping[str, Json]], object]] = {
    "csv_file": csv_file.settings,
    "picture": picture.settings,
    "report": report.settings,
    "sql": sql_check.settings,
}
"""Check kinds whose params say more than type and reference: what raises InputFault where they are wrong."""


def _own_reference(check: Check) -> None:
    """InputFault where the reference does not parse, or its own comparator refuses it."""
    settings = _SETTINGS.get(check.kind)
    if settings is not None:
        settings(check.params)
    if "type" not in check.params and check.kind != "csv_file":
        return
    if check.kind == "csv_file":
        kind, reference = "csv", check.params["reference"]
    else:
        kind, reference = str(check.params["type"]), check.params["reference"]
    if kind == "unachievable" and unachievable.names_nothing(reference):
        raise InputFault("the missing thing must be named, as an answer must name it")
    offered = sample(kind, reference)
    result = compare(kind, reference, offered)
    if not result.passed:
        raise InputFault(f"its own comparator refuses it: {result.why}")


def _oracle_fault(check: Check, oracle: Json, sites: list[Site]) -> str:
    sql = oracle.get("sql") if isinstance(oracle, Mapping) else None
    if not isinstance(oracle, Mapping) or set(oracle) != {"sql"} or not isinstance(sql, str):
        return "known: sql (a text)"
    if not sites:
        return "the task starts on no known site, so there is no data to ask"
    columns, rows = _asked(sites, sql)
    if check.kind == "csv_file":
        _, wanted, slack, keys = csv_file.settings(check.params)
        found = grids.Grid(columns, tuple(tuple(_cell(v) for v in row) for row in rows))
        result = table.compare_grids(wanted, found, slack, keys)
    elif check.kind == "report":
        return _report_fault(check.params["required"], rows)
    else:
        result = compare(
            str(check.params["type"]), check.params["reference"], _as_text(str(check.params["type"]), columns, rows)
        )
    return "" if result.passed else f"gives another answer: {result.why}"


def _report_fault(required: Json, rows: list[tuple[Any, ...]]) -> str:
    """Column 1 of the SQL names a required number, column 2 is its value; each is compared by its own type."""
    found = {_cell(row[0]): _cell(row[1]) for row in rows if len(row) > 1}
    for item in required if isinstance(required, list | tuple) else ():
        assert isinstance(item, Mapping)
        name = str(item["name"])
        if name not in found:
            return f"no row {name!r:.80}; a report's SQL gives name and value of each required number"
        result = compare(str(item["type"]), item["reference"], found[name])
        if not result.passed:
            return f"gives another {name}: {result.why}"
    return ""


def _asked(sites: list[Site], sql: str) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Columns and rows of the SQL over the tables, one for each Parquet file of the sites' data folders."""
    with duckdb.connect(":memory:") as database:
        try:
            for site in reversed(sites):  # the first last, so that its tables are the ones without a schema
                schema = "main" if site is sites[0] else site.folder.name
                database.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
                for path in sorted((site.folder / "data").glob("*.parquet")):
                    database.read_parquet(str(path)).create(f"{schema}.{path.stem}")
            database.execute("SET enable_external_access = false")
            cursor = database.execute(sql)
            columns = tuple(str(column[0]) for column in cursor.description or ())
            rows = cursor.fetchmany(_MOST_ROWS)
        except duckdb.Error as error:
            raise InputFault(f"the SQL fails: {' '.join(str(error).split())[:300]}") from error
    if not rows:
        raise InputFault("the SQL gives no rows")
    return columns, rows


def _cell(value: Any) -> str:
    """A database value as an agent would write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _as_text(kind: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    """The result as a candidate answer: column 1, of all rows for a list, the whole result for a table."""
    if kind in ("table", "csv"):
        lines = [columns, *(tuple(_cell(v) for v in row) for row in rows)]
        return "\n".join(",".join('"' + cell.replace('"', '""') + '"' for cell in line) for line in lines)
    if kind in ("list", "ordered_list"):
        return "; ".join(_cell(row[0]) for row in rows)
    if len(rows) > 1:
        raise InputFault(f"the SQL gives {len(rows)} rows, one is needed")
    return _cell(rows[0][0])
