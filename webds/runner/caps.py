"""Caps over tasks' own budgets: of each episode, and of the whole run (`--max-cost`).

A run's cap is not passed by more than a model call: each slot's episode may use its share of what is left. One that
meets its share before its own budget is cut off, not counted: no evidence is written, the run stops, and `--resume`
with a higher cap takes it again.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from webds.errors import InputFault
from webds.prices import BILLED, Usage, read_usage
from webds.spent import of_steps, of_try, timed
from webds.store import RunFolder, read_lines, read_try
from webds.types import Budget, Ending, Evidence, Task

KINDS = tuple(field.name for field in fields(Budget))
SCOPES = ("run", "episode")
_SHARED = ("dollars", "tokens", "steps")
"""What slots use up together; seconds of a run are those of the clock."""
EVENT = "cut"
"""In log.jsonl: an episode that met the run's cap, and what it had used."""


class Capped(Exception):
    """The run's cap ended an episode; `str()` says which."""


def words(given: Iterable[str]) -> list[str]:
    """`--max-cost` as `--set` words: `5` and `$5` are dollars of the run, else SCOPE.KIND=NUMBER, commas between."""
    return [_word(word.strip()) for text in given for word in text.split(",") if word.strip()]


def _word(word: str) -> str:
    place, equals, number = word.partition("=")
    if not equals:
        place, number = "run.dollars", word.removeprefix("$")
    scope, _, kind = place.partition(".")
    try:
        amount = float(number)
    except ValueError:
        amount = 0.0
    if scope not in SCOPES or kind not in KINDS or not 0 < amount < float("inf"):
        known = ", ".join(f"{scope}.{kind}" for scope in SCOPES for kind in KINDS)
        raise InputFault(f"--max-cost {word}: wanted dollars, or NAME=NUMBER above 0; names: {known}")
    whole = kind in ("tokens", "steps")
    return f"caps.{scope}.{kind}={int(amount) if whole else amount}"


def budget(config: Mapping[str, Any], scope: str) -> Budget:
    """The caps of one scope as the configuration has them."""
    table = (config.get("caps") or {}).get(scope) or {}
    return Budget(**{kind: table.get(kind, 0) for kind in KINDS})


def lowered(task: Task, cap: Budget) -> Task:
    """The task with the lower of each limit; 0 is no limit."""
    limits: dict[str, Any] = {kind: _least(getattr(task.budget, kind), getattr(cap, kind)) for kind in KINDS}
    return replace(task, budget=replace(task.budget, **limits))


def _least(one: float, other: float) -> float:
    return min(one, other) if one and other else one or other


class Purse:
    """What the run may still use. Tries of earlier invocations count, those that were cut off too."""

    def __init__(self, cap: Budget, run: RunFolder, slots: int) -> None:
        self._cap = cap
        self._slots = max(1, slots)
        self._usage = Usage()
        self._steps = 0
        self._begun = time.monotonic()
        self._recall(run)

    def _recall(self, run: RunFolder) -> None:
        """All tries there are. One that met the cap has no evidence, and the log knows more of it than its steps."""
        told = {}
        for row in read_lines(run.path / "log.jsonl"):
            if isinstance(row, Mapping) and row.get("event") == EVENT:
                place = run.episode(str(row.get("task")), int(row.get("repeat", 0))) / f"try-{row.get('attempt')}"
                told[place] = (row.get("usage"), int(row.get("steps", 0)))
        for folder in (run.path / "episodes").glob("*~*/try-*"):
            if folder not in told:
                told[folder] = _of_try(folder)
        for usage, steps in told.values():
            self._add(usage, steps)

    def charge(self, evidence: Evidence) -> None:
        """What a try used."""
        self._add(evidence.usage, evidence.steps)

    def _add(self, usage: object, steps: int) -> None:
        self._usage = self._usage + (usage if isinstance(usage, Usage) else read_usage(usage))
        self._steps += steps

    def reached(self) -> str:
        """The first kind that is used up; empty where none is."""
        return next((kind for kind in KINDS if getattr(self._cap, kind) and self._left(kind) <= 0), "")

    def lend(self, task: Task) -> Task:
        """The task with a slot's share of what is left."""
        shares = {kind: self._share(kind) for kind in KINDS if getattr(self._cap, kind)}
        return lowered(task, Budget(**shares))

    def cut(self, task: Task, lent: Task, evidence: Evidence) -> bool:
        """Whether it was the run's cap that ended this episode, not the task's own budget."""
        kind = evidence.why
        lower = kind in KINDS and getattr(lent.budget, kind) != getattr(task.budget, kind)
        return evidence.ending is Ending.LIMIT and lower

    def _share(self, kind: str) -> Any:
        left = max(0.0, self._left(kind)) / (self._slots if kind in _SHARED else 1)
        return max(1, int(left)) if kind in ("tokens", "steps") else max(left, 1e-9)

    def _left(self, kind: str) -> float:
        used = {
            "dollars": self._usage.dollars,
            "tokens": sum(map(self._usage.count, BILLED)),
            "steps": self._steps,
            "seconds": time.monotonic() - self._begun,
        }
        return float(getattr(self._cap, kind)) - used[kind]


def _of_try(folder: Path) -> tuple[Usage, int]:
    if (folder / "evidence.json").is_file():
        evidence = read_try(folder).evidence
        return of_try(folder, evidence.usage), evidence.steps
    return of_steps(folder), sum(1 for _ in timed(folder))
