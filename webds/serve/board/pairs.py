"""Paired differences between public entries over the tasks that both tried, at the same revision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from webds.report.stats import NOT_RUN
from webds.serve.board.table import Entry
from webds.stats import Difference, holm, mcnemar, paired
from webds.submit.words import share, tried

MOST = 30
"""Entries that are compared, the first that are shown: 435 pairs."""


@dataclass(frozen=True, slots=True)
class Pair:
    """`second` less `first` over their common tasks; `p_holm` is p adjusted for all pairs of the same table."""

    first: Entry
    second: Entry
    difference: Difference
    p: float
    p_holm: float

    def plain(self) -> dict[str, Any]:
        """For JSON and CSV: the entries by number."""
        ends = {"first": self.first.line.id, "second": self.second.line.id}
        return {**ends, **self.difference.plain(), "p": self.p, "p_holm": self.p_holm}


def pairs(found: Sequence[Entry], denominator: str) -> list[Pair]:
    """Every pair of the first MOST public entries. Lenient: tasks graded in both; strict: what is not graded is
    no pass. Private entries are in none: no test tells two of them apart."""
    public = [entry for entry in found if entry.line.split == "public" and entry.words][:MOST]
    made = [
        (first, second, *tested) for first, second in combinations(public, 2)
        if (tested := _tested(first, second, denominator))
    ]  # fmt: skip
    adjusted = holm([p for *_, p in made])
    return [Pair(*one, adjusted[number]) for number, one in enumerate(made)]


def _tested(first: Entry, second: Entry, denominator: str) -> tuple[Difference, float] | None:
    before, after = [], []
    for task in first.words:
        shares = _shares(task, first, second, denominator)
        if shares is not None:
            before.append(shares[0])
            after.append(shares[1])
    difference = paired(before, after)
    if difference is None:
        return None
    worse = sum(b > a for b, a in zip(before, after, strict=True))
    better = sum(b < a for b, a in zip(before, after, strict=True))
    return difference, mcnemar(worse, better)


def _shares(task: str, first: Entry, second: Entry, denominator: str) -> tuple[float, float] | None:
    """What both have of a task, or None where it is no pair."""
    words = (first.words[task], second.words.get(task, (NOT_RUN,)))
    if not all(map(tried, words)) or _revision(first.tasks, task) != _revision(second.tasks, task):
        return None
    one, other = (share(said, denominator) for said in words)
    return None if one is None or other is None else (one, other)


def _revision(tasks: Mapping[str, Mapping[str, Any]], task: str) -> object:
    return tasks.get(task, {}).get("revision")
