"""Scored submissions for the tests of the board, as a scorer writes them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from webds.submit.book import Book, now, stamp
from webds.submit.grading import Graded, public_result
from webds.types import Outcome
from webds_judge.grade import identity

EVIL = "<script>alert(1)</script>"
ROWS = [
    {"team": "alpha", "passes": 8, "level": "replayed"},
    {"team": "beta", "passes": 2, "level": "replayed", "agent": EVIL},
    {"team": "gamma", "passes": 9, "level": "reported", "reserved": 0},
    {"team": "=1+1", "passes": 5, "level": "re-run"},
]
TASKS = {
    f"t{n}": {
        "revision": 1, "tier": ("easy", "medium", "hard")[n % 3],
        "labels": {"domain": ("climate", "sports")[n % 2], "sites": ["a", "b"] if n == 9 else ["a"], "tools": n == 0},
    }
    for n in range(10)
}  # fmt: skip


def filled(book: Book, rows: Sequence[Mapping[str, Any]]) -> None:
    """Ten public tasks of which the first `passes` pass and the others fail, or `words` in their order; a row with
    `figure` is a private one."""
    with book.change() as db:
        for number, row in enumerate(rows, start=1):
            split = "private" if "figure" in row else "public"
            db.execute(
                "INSERT INTO submissions (id, sha, team, run, split, track, agent, model, reserved, state, level, at,"
                " scored) VALUES (?, ?, ?, ?, ?, 'dockerized', ?, ?, ?, 'scored', ?, ?, ?)",
                (number, str(number), row["team"], f"run{number}", split, row.get("agent", "a"), row.get("model", "m"),
                 row.get("reserved", 1), row.get("level", "replayed"), stamp(now()), stamp(now())),
            )  # fmt: skip
            values = _private(row) if split == "private" else _public(row)
            db.execute(
                "INSERT INTO results (submission, figure, low, high, n, strict_n, steps, judge, stamp, detail, tasks)"
                " VALUES (?, ?, ?, ?, ?, ?, 4, 'tier1', ?, ?, ?)",
                (number, *values[:5], identity(), *values[5:]),
            )


def _private(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["figure"], None, None, 20, 20, "{}", "{}"


def _public(row: Mapping[str, Any]) -> tuple[Any, ...]:
    words = row.get("words") or ["pass"] * row["passes"] + ["fail"] * (10 - row["passes"])
    said = {task: [word] if isinstance(word, str) else word for task, word in zip(TASKS, words, strict=True)}
    judged = {task: Graded(tuple(map(Outcome, word))) for task, word in said.items() if word != ["not_run"]}
    told = public_result(judged, TASKS)
    detail, tasks = json.dumps(told["detail"]), json.dumps(row.get("tasks", TASKS))
    return told["figure"], told["low"], told["high"], told["n"], told["strict_n"], detail, tasks
