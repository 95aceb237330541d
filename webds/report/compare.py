"""Two runs compared over the tasks that they share: a pure function of two views.

A task's value in a run is its passes over its graded repeats; a task that is not graded in both is left out by name,
and the strict difference, over every planned episode, stands beside. Pairs are of the same task at the same revision.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from webds.report.query import marks
from webds.report.rows import Row, RunView, agent_name
from webds.report.stats import lenient, strict
from webds.report.tally import by_task, cluster, graded_share, passes
from webds.report.text import shown
from webds.stats import Difference, Interval, Share, clustered, holm, mcnemar, paired
from webds.types import Params


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One task in both runs: shares over its graded repeats, and over all planned ones for `strict_*`."""

    task: str
    before: Share
    after: Share
    strict_before: Share
    strict_after: Share
    cluster: str
    marks: frozenset[tuple[str, str]]
    """(label, value), difficulty among the labels."""

    @property
    def graded(self) -> bool:
        return bool(self.before.n and self.after.n)

    @property
    def change(self) -> float:
        """In [-1, 1]; only where graded in both."""
        return _value(self.after) - _value(self.before)

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        ends = {"before": self.before, "after": self.after}
        return {"task": self.task, **{name: {"passes": s.passes, "n": s.n} for name, s in ends.items()}}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedTest:
    """The paired comparison over some tasks. `worse`, `better` and `alike` count tasks graded in both."""

    difference: Difference | None
    worse: int
    better: int
    alike: int

    @property
    def p(self) -> float:
        """McNemar's exact test; with repeats the sign test over tasks, which is the same formula."""
        return mcnemar(self.worse, self.better)

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        counts = {"worse": self.worse, "better": self.better, "alike": self.alike, "p": self.p}
        return {"difference": self.difference.plain() if self.difference else None, **counts}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTest:
    """The comparison within one value of one label. `holm` is p adjusted for all groups asked for."""

    label: str
    value: str
    test: PairedTest
    holm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two runs."""

    id: str
    agent: str
    track: str
    lenient: Share
    strict: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What `webds diff` says. `after` less `before` throughout."""

    before: Side
    after: Side
    test: PairedTest
    strict: Difference | None
    by_cluster: Interval | None
    """Interval of the difference with whole sites drawn; None with fewer than five of them, or where all agree."""
    clusters: int
    pairs: tuple[Pair, ...]
    groups: tuple[GroupTest, ...]
    left_out: tuple[tuple[str, str], ...]
    """(task, why)"""
    warnings: tuple[str, ...]

    @property
    def flipped(self) -> tuple[list[Pair], list[Pair]]:
        """(tasks that got better, tasks that got worse), the largest change first."""
        graded = sorted((p for p in self.pairs if p.graded), key=lambda p: (-abs(p.change), p.task))
        return [p for p in graded if p.change > 0], [p for p in graded if p.change < 0]

    def plain(self) -> dict[str, Any]:
        """For `--json`."""
        better, worse = self.flipped
        return {
            "before": _side(self.before),
            "after": _side(self.after),
            **self.test.plain(),
            "strict": self.strict.plain() if self.strict else None,
            "by_cluster": {"clusters": self.clusters, "interval": self.by_cluster},
            "better_tasks": [pair.plain() for pair in better],
            "worse_tasks": [pair.plain() for pair in worse],
            "groups": [{"label": g.label, "value": g.value, "holm": g.holm, **g.test.plain()} for g in self.groups],
            "left_out": [{"task": task, "why": why} for task, why in self.left_out],
            "warnings": list(self.warnings),
        }


def compare(before: RunView, after: RunView, by: Iterable[str] = ("difficulty",)) -> Comparison:
    """Compare two runs over their common tasks; `by` names the labels of the group tests."""
    pairs, left_out = _pairs(before, after)
    graded = [pair for pair in pairs if pair.graded]
    left_out += [(pair.task, _ungraded(pair)) for pair in pairs if not pair.graded]
    groups = _groups(graded, tuple(by))
    clusters: dict[str, list[float]] = {}
    for pair in graded:
        clusters.setdefault(pair.cluster, []).append(pair.change)
    return Comparison(
        before=side(before),
        after=side(after),
        test=_test(graded),
        strict=paired([_value(p.strict_before) for p in pairs], [_value(p.strict_after) for p in pairs]),
        by_cluster=clustered(list(clusters.values())),
        clusters=len(clusters),
        pairs=tuple(pairs),
        groups=tuple(groups),
        left_out=tuple(sorted(left_out)),
        warnings=tuple(_warnings(before, after, [pair.task for pair in pairs])),
    )


def side(view: RunView) -> Side:
    """A run's name and scores."""
    return Side(
        id=shown(view.head.get("id")),
        agent=agent_name(view.head),
        track=shown(view.head.get("track")),
        lenient=lenient(view.counts),
        strict=strict(view.counts),
    )


def _side(run: Side) -> dict[str, Any]:
    named = {"id": run.id, "agent": run.agent, "track": run.track}
    return {**named, "lenient": run.lenient.plain(), "strict": run.strict.plain()}


def _value(share: Share) -> float:
    return share.share or 0.0


def _pairs(before: RunView, after: RunView) -> tuple[list[Pair], list[tuple[str, str]]]:
    first, second = by_task(before.rows), by_task(after.rows)
    pairs, left_out = [], []
    for task in sorted({*first, *second}):
        revisions = [view.tasks.get(task, {}).get("revision") for view in (before, after)]
        if task not in first or task not in second:
            left_out.append((task, "only in the run before" if task in first else "only in the run after"))
        elif revisions[0] != revisions[1]:
            left_out.append((task, f"revision {shown(revisions[0])} before, {shown(revisions[1])} after"))
        else:
            pairs.append(_pair(task, first[task], second[task]))
    return pairs, left_out


def _pair(task: str, before: list[Row], after: list[Row]) -> Pair:
    return Pair(
        task=task,
        before=graded_share(before),
        after=graded_share(after),
        strict_before=Share(passes(before), len(before)),
        strict_after=Share(passes(after), len(after)),
        cluster=cluster(before[0]),
        marks=frozenset(marks(before[0])),
    )


def _ungraded(pair: Pair) -> str:
    missing = [name for name, share in (("before", pair.before), ("after", pair.after)) if not share.n]
    return f"not graded {' and '.join(missing)}"


def _test(pairs: Iterable[Pair]) -> PairedTest:
    pairs = list(pairs)
    changes = [pair.change for pair in pairs]
    better, worse = sum(c > 0 for c in changes), sum(c < 0 for c in changes)
    return PairedTest(
        difference=paired([_value(p.before) for p in pairs], [_value(p.after) for p in pairs]),
        worse=worse,
        better=better,
        alike=len(pairs) - better - worse,
    )


def _groups(pairs: list[Pair], by: tuple[str, ...]) -> list[GroupTest]:
    values = sorted({mark for pair in pairs for mark in pair.marks if mark[0] in by}, key=lambda m: (by.index(m[0]), m))
    tests = [_test(pair for pair in pairs if mark in pair.marks) for mark in values]
    adjusted = holm([test.p for test in tests])
    rows = zip(values, tests, adjusted, strict=True)
    return [GroupTest(label=label, value=value, test=test, holm=p) for (label, value), test, p in rows]


def _warnings(before: RunView, after: RunView, tasks: list[str]) -> Iterable[str]:
    for name, view in (("before", before), ("after", after)):
        if view.head.get("key_given"):
            yield f"the run {name} was given the answers (oracle): its figures are no score"
    sites = [_table(_table(view.head.get("facts")).get("sites")) for view in (before, after)]
    for site in sorted(set(sites[0]) & set(sites[1])):
        if sites[0][site] != sites[1][site]:
            yield f"site {shown(site)}: not the same data or archive in the two runs"
    for task in tasks:
        kept = [_without_rating(view.tasks.get(task, {})) for view in (before, after)]
        names = sorted(name for name in {*kept[0], *kept[1]} if kept[0].get(name) != kept[1].get(name))
        if names:
            yield f"task {shown(task)}: same revision, yet {', '.join(names)} differ"


def _without_rating(task: Params) -> Params:
    return {name: value for name, value in task.items() if name != "difficulty"}


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
