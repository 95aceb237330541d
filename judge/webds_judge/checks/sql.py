"""Check kind `sql`: a query over a database that was collected when the agent had left, as a forum's SQLite file.

Params: collect (the name in Task.collect), query (one SELECT), and either `type` and `reference`, which the query's one
value must meet as an answer would, or `expect_true = true`: the one value must be 1. No row is a fail. `act` is how the
oracle agent does the task; `oracle` and `evidence` are for the validator. The file is opened read-only, and the query
may do nothing but read; a query that is wrong, or takes longer than SECONDS, is the key's fault.
"""

import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from webds.codec import sha256
from webds.errors import Fault, InputFault
from webds.ports import CheckFunction
from webds.types import Evidence, Json, Params
from webds_judge.answers import compare, sample
from webds_judge.answers.limits import ANSWER_CHARS, FILE_BYTES, SHOWN
from webds_judge.checks.submitted import inside

FIELDS = ("collect", "query", "type", "reference", "expect_true", "act", "oracle", "evidence")
SECONDS = 5.0
"""Longest run of a query."""
_TICKS = 10_000
_READING = frozenset((sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE))
"""What the authorizer lets through: no ATTACH, no PRAGMA, no change."""
_PROGRAMS = frozenset(("load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"))


class Uncollected(Fault):
    """The evidence lacks the database that the key asks about, or it is not the one that was saved."""


def make(config: Params) -> CheckFunction:
    """The check; it takes no settings."""
    if config:
        raise InputFault(f"check sql: unknown setting {min(config)}; it takes none")
    return check


def check(evidence: Evidence, folder: Path, params: Params) -> tuple[bool, str, Mapping[str, Json]]:
    """(passed, why, {candidate, reference}). InputFault: the key is wrong. Uncollected: the evidence is."""
    name, query = settings(params)
    values = ask(_saved(evidence, folder, name), query)
    wanted = "true" if "type" not in params else str(params["reference"])[:SHOWN]
    if len(values) != 1:
        why = "the query finds nothing" if not values else "the query finds more than one row, one is needed"
        return False, f"{name}: {why}", {"candidate": f"{len(values)} rows", "reference": wanted}
    if "type" not in params:
        return (
            values[0] == "1",
            f"{name}: the query says {values[0]!r:.200}",
            {
                "candidate": values[0][:SHOWN],
                "reference": wanted,
            },
        )
    result = compare(str(params["type"]), params["reference"], values[0])
    return result.passed, f"{name}: {result.why}", result.parsed


def settings(params: Params) -> tuple[str, str]:
    """(name of the collected file, query). InputFault names the wrong field."""
    for field in ("collect", "query"):
        if not isinstance(params.get(field), str) or not params[field]:
            raise InputFault(f"check sql: field {field}: missing or no text")
    typed = "type" in params or "reference" in params
    if typed == ("expect_true" in params):
        raise InputFault("check sql: needs type and reference, or expect_true = true, and not both")
    if typed and not ("type" in params and "reference" in params):
        raise InputFault("check sql: field type or reference: missing; they come together")
    if typed:
        sample(str(params["type"]), params["reference"])
    elif params["expect_true"] is not True or "oracle" in params:
        raise InputFault("check sql: field expect_true: can only be true, and has no oracle")
    return str(params["collect"]), str(params["query"])


def ask(path: Path, query: str) -> list[str]:
    """The first column of at most two rows, as text. InputFault where the query fails, writes or takes too long."""
    end = time.monotonic() + SECONDS
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as base:
        base.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, FILE_BYTES)
        base.set_authorizer(_allowed)
        base.set_progress_handler(lambda: time.monotonic() > end, _TICKS)
        try:
            found = base.execute(query).fetchmany(2)
        except (sqlite3.Error, sqlite3.Warning) as error:
            late = f" (stopped after {SECONDS:g} s)" if time.monotonic() > end else ""
            raise InputFault(f"check sql: the query fails{late}: {' '.join(str(error).split())[:300]}") from error
    return ["" if row[0] is None else str(row[0])[: ANSWER_CHARS + 1] for row in found]


def _allowed(action: int, _first: str | None, second: str | None, _base: str | None, _trigger: str | None) -> int:
    if action not in _READING or (action == sqlite3.SQLITE_FUNCTION and second in _PROGRAMS):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _saved(evidence: Evidence, folder: Path, name: str) -> Path:
    """The collected file. Uncollected where it is not there, or not what evidence.json says."""
    collected = evidence.findings.get("collected")
    entry = collected.get(name) if isinstance(collected, Mapping) else None
    if not isinstance(entry, Mapping):
        raise Uncollected(f"nothing called {name!r:.80} was collected")
    try:
        path = inside(folder, str(entry.get("path")))
    except InputFault as error:
        raise Uncollected(str(error)) from error
    if path.stat().st_size > FILE_BYTES or sha256(path.read_bytes()) != entry.get("sha256"):
        raise Uncollected(f"{name}: the file does not match its sha256, or is too large")
    return path
