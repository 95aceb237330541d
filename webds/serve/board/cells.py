"""An entry's share in each tier, domain and label of the public split. Of the private split there is no cell."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webds.report.text import shown
from webds.serve.board.table import Entry
from webds.stats import percent
from webds.submit.words import mean, share
from webds_judge.rubric.criteria import TIERS

FEW = 20
"""Tasks under which a cell is marked: its interval then spans 40 points or more around a half."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """`passes` of `n` tasks with this value of this label, repeated ones by their share; a 95 % interval in [0, 1]."""

    entry: int
    label: str
    value: str
    passes: float
    n: int
    share: float
    low: float
    high: float
    few: bool

    @property
    def text(self) -> str:
        """For the report's picture of an interval."""
        return f"{percent(self.share)} (95 % interval {percent(self.low)} to {percent(self.high)})"


@dataclass(frozen=True, slots=True)
class Table:
    """One label: entries down, values across; None where an entry has no task with the value."""

    label: str
    values: Sequence[str]
    rows: Sequence[tuple[Entry, Sequence[Cell | None]]]


def short(passes: float) -> str:
    """`7`, or `7.33` where repeats count by their share."""
    return f"{round(passes, 2):g}"


def cells(entry: Entry, denominator: str) -> list[Cell]:
    """All cells of an entry, by label; none of a private one, whose words on tasks are not even kept."""
    if entry.line.split != "public":
        return []
    groups: dict[tuple[str, str], list[float | None]] = {}
    for task, words in entry.words.items():
        for mark in _marks(entry.tasks.get(task, {})):
            groups.setdefault(mark, []).append(share(words, denominator))
    found = {mark: mean(groups[mark]) for mark in sorted(groups, key=_order)}
    return [
        Cell(
            entry=entry.line.id, label=label, value=value, passes=passes, n=n, share=passes / n, low=low, high=high,
            few=n < FEW,
        )
        for (label, value), (passes, n, low, high) in found.items() if n
    ]  # fmt: skip


def tables(of: Sequence[tuple[Entry, Sequence[Cell]]]) -> list[Table]:
    """The cells of several entries, one table a label."""
    values: dict[str, list[str]] = {}
    for label, value in sorted({(cell.label, cell.value) for _, own in of for cell in own}, key=_order):
        values.setdefault(label, []).append(value)
    return [_table(label, values[label], of) for label in values]


def _table(label: str, values: Sequence[str], of: Iterable[tuple[Entry, Sequence[Cell]]]) -> Table:
    rows = []
    for entry, own in of:
        mine = {cell.value: cell for cell in own if cell.label == label}
        if mine:
            rows.append((entry, [mine.get(value) for value in values]))
    return Table(label, values, rows)


def _marks(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(label, value) of a task, its tier first; a label with several values gives each."""
    if facts.get("tier"):
        yield "tier", str(facts["tier"])
    labels = facts.get("labels", {})
    for name in labels:
        value = labels[name]
        yield from ((name, shown(item)) for item in (value if isinstance(value, list | tuple) else (value,)))


def _order(mark: tuple[str, str]) -> tuple[int, int, str, str]:
    """Tiers first, from easy to hard, then domains, then the labels by name."""
    label, value = mark
    first = ("tier", "domain")
    step = TIERS.index(value) if label == "tier" and value in TIERS else 0
    return (first.index(label) if label in first else len(first), step, label, value)
