"""Are tasks, keys and sites of one mind? Run by `webds tasks validate`; nothing is changed, every fault is a Finding.

Each task has a key of its revision and each key a task; each reference parses and passes its own comparator; each
oracle (SQL over the site's data) gives the reference again; each piece of evidence is what the site serves.
"""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb

from webds.errors import InputFault
from webds.types import AnswerKey, Check, Json
from webds_judge.answers import compare, grids, sample, table
from webds_judge.checks import csv_file
from webds_judge.checks import sql as sql_check
from webds_judge.fields import Finding as Finding
from webds_judge.fields import Site, check_task
from webds_judge.keys import read_keys
from webds_judge.proof import problems

type Row = tuple[str, int, Mapping[str, Any]]
"""A task table with its file (relative to the root) and its place in it, from 1."""

_MOST_ROWS = 100_000
"""Most rows of an oracle's result."""


def validate(root: Path, fetch: Callable[[str], bytes], tasks: Iterable[Row] | None = None) -> list[Finding]:
    """Every fault under `root`. `fetch(url)` gives the bytes that a site serves; `tasks` default to the task files."""
    findings: list[Finding] = []
    sites = _sites(root, findings)
    rows = list(_task_rows(root, findings)) if tasks is None else list(tasks)
    for file, number, entry in rows:
        findings += check_task(file, number, entry, sites)
    known = _by_id(rows, findings)
    keys = _keys(root, findings)
    findings += _pairs(known, keys)
    for task, (file, key) in keys.items():
        site = sites.get(_site_name(known[task][1])) if task in known else None
        for check in key.checks:
            findings += (Finding(file, task, f"{check.name}.{f}", p) for f, p in _check_faults(check, site, fetch))
    return findings


def _sites(root: Path, findings: list[Finding]) -> dict[str, Site]:
    out = {}
    for path in sorted(root.glob("sites_docker/*/site.toml")):
        head = _toml(root, path, findings)
        if isinstance(head.get("name"), str):
            out[head["name"]] = Site(head["name"], str(head.get("domain", "")), path.parent)
        elif head:
            findings.append(Finding(str(path.relative_to(root)), "-", "name", "missing"))
    return out


def _toml(root: Path, path: Path, findings: list[Finding]) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        findings.append(Finding(str(path.relative_to(root)), "-", "-", f"not TOML: {' '.join(str(error).split())}"))
        return {}


def _task_rows(root: Path, findings: list[Finding]) -> Iterator[Row]:
    for path in sorted(root.glob("tasks_public/*/tasks.toml")):
        file = str(path.relative_to(root))
        content = _toml(root, path, findings)
        unknown = sorted(set(content) - {"task"})
        findings += (Finding(file, "-", name, "unknown; known: task (a list of tables)") for name in unknown)
        rows = content.get("task", [])
        if not isinstance(rows, list):
            findings.append(Finding(file, "-", "task", "not a list of tables"))
            continue
        yield from ((file, number, row) for number, row in enumerate(rows, start=1))


def _by_id(rows: list[Row], findings: list[Finding]) -> dict[str, tuple[str, Mapping[str, Any]]]:
    out: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for file, number, entry in rows:
        name = entry.get("id") if isinstance(entry, Mapping) else None
        if not isinstance(name, str):
            continue
        if name in out:
            findings.append(Finding(file, name, "id", f"row {number}, column id: stands twice, also in {out[name][0]}"))
        out.setdefault(name, (file, entry))
    return out


def _keys(root: Path, findings: list[Finding]) -> dict[str, tuple[str, AnswerKey]]:
    out: dict[str, tuple[str, AnswerKey]] = {}
    for path in sorted(root.glob("tasks_public/*/keys.toml")):
        file = str(path.relative_to(root))
        try:
            for key in read_keys(path):
                if key.task in out:
                    findings.append(Finding(file, key.task, "task", f"has a key already in {out[key.task][0]}"))
                out.setdefault(key.task, (file, key))
        except InputFault as error:
            findings.append(Finding(file, "-", "-", str(error).removeprefix(f"{path}: ")))
    return out


def _pairs(
    tasks: Mapping[str, tuple[str, Mapping[str, Any]]], keys: Mapping[str, tuple[str, AnswerKey]]
) -> Iterator[Finding]:
    """A key for each task and a task for each key, of one revision."""
    for name, (file, entry) in tasks.items():
        if name not in keys:
            yield Finding(file, name, "id", "no key in any keys.toml")
        elif keys[name][1].revision != entry.get("revision"):
            theirs = keys[name][1].revision
            yield Finding(file, name, "revision", f"{entry.get('revision')!r:.40}, the key is of revision {theirs}")
    for name, (file, _) in keys.items():
        if name not in tasks:
            yield Finding(file, name, "task", "no such task in any tasks.toml")


def _site_name(entry: Mapping[str, Any]) -> str:
    start = entry.get("start")
    url = start.get("url") if isinstance(start, Mapping) else ""
    try:
        return (urlsplit(str(url)).hostname or "").removesuffix(".test")
    except ValueError:
        return ""


def _check_faults(check: Check, site: Site | None, fetch: Callable[[str], bytes]) -> Iterator[tuple[str, str]]:
    """(field, problem) of one check's reference, oracle and evidence."""
    try:
        _own_reference(check)
    except InputFault as error:
        yield "reference", str(error)
        return
    oracle = check.params.get("oracle")
    if oracle is not None:
        try:
            why = _oracle_fault(check, oracle, site)
        except InputFault as error:
            why = str(error)
        if why:
            yield "oracle", why
    if "evidence" in check.params:
        yield from problems(check.params["evidence"], fetch)


def _own_reference(check: Check) -> None:
    """InputFault where the reference does not parse, or its own comparator refuses it."""
    if check.kind == "sql":
        sql_check.settings(check.params)
        if "type" not in check.params:
            return
    if check.kind == "csv_file":
        csv_file.settings(check.params)
        kind, reference = "csv", check.params["reference"]
    else:
        kind, reference = str(check.params["type"]), check.params["reference"]
    offered = sample(kind, reference)
    result = compare(kind, reference, offered)
    if not result.passed:
        raise InputFault(f"its own comparator refuses it: {result.why}")


def _oracle_fault(check: Check, oracle: Json, site: Site | None) -> str:
    sql = oracle.get("sql") if isinstance(oracle, Mapping) else None
    if not isinstance(oracle, Mapping) or set(oracle) != {"sql"} or not isinstance(sql, str):
        return "known: sql (a text)"
    if site is None:
        return "the task starts on no known site, so there is no data to ask"
    columns, rows = _asked(site, sql)
    if check.kind == "csv_file":
        _, wanted, slack, keys = csv_file.settings(check.params)
        found = grids.Grid(columns, tuple(tuple(_cell(v) for v in row) for row in rows))
        result = table.compare_grids(wanted, found, slack, keys)
    else:
        result = compare(
            str(check.params["type"]), check.params["reference"], _as_text(str(check.params["type"]), columns, rows)
        )
    return "" if result.passed else f"gives another answer: {result.why}"


def _asked(site: Site, sql: str) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Columns and rows of the SQL over the site's tables, one for each Parquet file of its data folder."""
    with duckdb.connect(":memory:") as database:
        try:
            for path in sorted((site.folder / "data").glob("*.parquet")):
                database.read_parquet(str(path)).create(path.stem)
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
