"""The episodes of a run as DuckDB relations, and the breakdowns that the report draws.

episodes   task, repeat, agent, ending, outcome, passed, score, steps, seconds, difficulty, labels (JSON), why, answer
marks      task, repeat, outcome, label, value: one row a label value, difficulty among the labels
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import duckdb
import pyarrow as pa

from webds.codec import canonical
from webds.report.rows import Row
from webds.report.text import shown
from webds.stats import Share
from webds.types import Json

_EPISODES = pa.schema(
    [
        ("task", pa.string()),
        ("repeat", pa.int64()),
        ("agent", pa.string()),
        ("ending", pa.string()),
        ("outcome", pa.string()),
        ("passed", pa.bool_()),
        ("score", pa.float64()),
        ("steps", pa.int64()),
        ("seconds", pa.float64()),
        ("difficulty", pa.string()),
        ("labels", pa.string()),
        ("why", pa.string()),
        ("answer", pa.string()),
    ]
)
_MARKS = pa.schema([(name, pa.string()) for name in ("task", "outcome", "label", "value")] + [("repeat", pa.int64())])
_BREAKDOWN = """
select label, value, count(*)::bigint as planned,
       count(*) filter (outcome in ('pass', 'fail'))::bigint as graded,
       count(*) filter (outcome = 'pass')::bigint as passes
from marks group by label, value order by label, value
"""
_RANK = {"easy": 0, "medium": 1, "hard": 2}
_FIRST = {"difficulty": 0, "domain": 1}


@dataclass(frozen=True, slots=True)
class Group:
    """The episodes that share one value of one label."""

    label: str
    value: str
    planned: int
    share: Share
    """Over the graded ones."""


def episodes(rows: Iterable[Row]) -> pa.Table:
    """One row an episode; labels as JSON text."""
    names = [name for name in _EPISODES.names if name != "labels"]
    plain = [{name: getattr(row, name) for name in names} | {"labels": canonical(row.labels).decode()} for row in rows]
    return pa.Table.from_pylist(plain, schema=_EPISODES)


def connect(rows: Iterable[Row]) -> duckdb.DuckDBPyConnection:
    """An in-memory database with the relations `episodes` and `marks`; it reads no file and loads no extension."""
    rows = tuple(rows)
    db = duckdb.connect(":memory:", config={"threads": 1, "enable_external_access": False})
    db.register("episodes", episodes(rows))
    db.register("marks", pa.Table.from_pylist([mark for row in rows for mark in _marks(row)], schema=_MARKS))
    return db


def breakdown(rows: Iterable[Row]) -> dict[str, list[Group]]:
    """Groups by label: difficulty first, then domain, then the others by name."""
    with connect(rows) as db:
        found = db.execute(_BREAKDOWN).fetchall()
    groups = [Group(label, value, planned, Share(passes, graded)) for label, value, planned, graded, passes in found]
    groups.sort(key=lambda g: (_FIRST.get(g.label, 2), g.label, _RANK.get(g.value, 3), g.value))
    return {label: [g for g in groups if g.label == label] for label in dict.fromkeys(g.label for g in groups)}


def marks(row: Row) -> Iterator[tuple[str, str]]:
    """(label, value) of each label value of the row's task, difficulty among the labels."""
    labels: dict[str, Json] = {**row.labels, "difficulty": row.difficulty}
    for label, value in labels.items():
        yield from ((label, text) for text in dict.fromkeys(_values(value)))


def _marks(row: Row) -> Iterator[dict[str, object]]:
    for label, value in marks(row):
        yield {"task": row.task, "repeat": row.repeat, "outcome": row.outcome, "label": label, "value": value}


def _values(value: Json) -> list[str]:
    """An episode counts once in each value of a label that is a list."""
    if isinstance(value, list | tuple):
        return [shown(item)[:80] for item in value] or ["none"]
    return [shown(value)[:80]]
