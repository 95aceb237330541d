"""What a report counts beyond outcomes: repeats, intervals over tasks and sites, tries and what they cost. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from webds.prices import Usage, total
from webds.report.rows import Row
from webds.report.stats import lenient, strict
from webds.report.text import shown
from webds.stats import Interval, Share, clustered, pass_at, pass_hat, percent, wilson
from webds.types import Outcome

CLUSTER = "sites"
"""Tasks whose first value of this label is the same are drawn together in the bootstrap."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over `n` tasks of values in [0, 1], with Wilson's interval for a share of `n`, which is no narrower."""

    value: float
    n: int

    @property
    def interval(self) -> str:
        """`21 % to 94 %`."""
        low, high = self.ends
        return f"{percent(low)} to {percent(high)}"

    @property
    def ends(self) -> Interval:
        return wilson(min(self.value * self.n, self.n), self.n)

    @property
    def text(self) -> str:
        """With its interval, so that a single task never reads as a bare 100 %."""
        if not self.n:
            return "no task"
        return f"{percent(self.value)} ({self.n} {'task' if self.n == 1 else 'tasks'}; 95 % interval {self.interval})"

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        low, high = self.ends
        return {"value": self.value if self.n else None, "tasks": self.n, "low": low, "high": high}


@dataclass(frozen=True, slots=True, kw_only=True)
class PassK:
    """pass@k and pass^k, means over tasks, of graded repeats; `strict_*` of all planned, ungraded as failed."""

    k: int
    at: Mean
    hat: Mean
    strict_at: Mean
    strict_hat: Mean
    left_out: int
    """Tasks with fewer than k graded repeats: not in `at` and `hat`."""

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        means = {"at": self.at, "hat": self.hat, "strict_at": self.strict_at, "strict_hat": self.strict_hat}
        return {"k": self.k, **{name: mean.plain() for name, mean in means.items()}, "left_out": self.left_out}


def by_task(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each task."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.task, []).append(row)
    return found


def passes(rows: Iterable[Row]) -> int:
    """How many of them passed."""
    return sum(row.outcome == Outcome.PASS for row in rows)


def graded_share(rows: Iterable[Row]) -> Share:
    """Passes of the graded ones."""
    graded = [row for row in rows if row.passed is not None]
    return Share(passes(graded), len(graded))


def cluster(row: Row) -> str:
    """What the row's task is drawn with in the bootstrap; "" where its labels do not say."""
    sites = row.labels.get(CLUSTER)
    return shown(sites[0]) if isinstance(sites, list | tuple) and sites else ""


def repeats(rows: Sequence[Row]) -> list[PassK]:
    """pass@k and pass^k for every k up to the number of repeats; nothing where no task is repeated."""
    tasks = by_task(rows)
    most = max((len(found) for found in tasks.values()), default=0)
    if most < 2:
        return []
    graded = [graded_share(found) for found in tasks.values()]
    planned = [Share(passes(found), len(found)) for found in tasks.values()]
    return [_pass_k(k, graded, planned) for k in range(1, most + 1)]


def _pass_k(k: int, graded: Sequence[Share], planned: Sequence[Share]) -> PassK:
    enough = [share for share in graded if share.n >= k]
    every = [share for share in planned if share.n >= k]
    return PassK(
        k=k,
        at=_mean([pass_at(s.n, s.passes, k) for s in enough]),
        hat=_mean([pass_hat(s.n, s.passes, k) for s in enough]),
        strict_at=_mean([pass_at(s.n, s.passes, k) for s in every]),
        strict_hat=_mean([pass_hat(s.n, s.passes, k) for s in every]),
        left_out=len(graded) - len(enough),
    )


def _mean(values: Sequence[float]) -> Mean:
    return Mean(sum(values) / len(values) if values else 0.0, len(values))


def task_mean(rows: Sequence[Row]) -> Mean:
    """Each graded task once, as its share over its graded repeats: the score whose interval repeats do not narrow."""
    shares = [share for found in by_task(rows).values() if (share := graded_share(found).share) is not None]
    return _mean(shares)


def unsteady(rows: Sequence[Row]) -> int:
    """Tasks that passed in some graded repeats and failed in others."""
    return sum(0 < share.passes < share.n for share in map(graded_share, by_task(rows).values()))


@dataclass(frozen=True, slots=True)
class BySite:
    """Interval of the lenient score with whole sites drawn, or None where their number or likeness allows none."""

    ends: Interval | None
    clusters: int

    @property
    def text(self) -> str:
        """In words."""
        sites = f"{self.clusters} {'site' if self.clusters == 1 else 'sites'}"
        if self.ends is None:
            return f"no interval over sites from {sites}"
        return f"{percent(self.ends[0])} to {percent(self.ends[1])} with whole sites drawn ({sites})"

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {"clusters": self.clusters, "interval": self.ends}


def by_site(rows: Iterable[Row]) -> BySite:
    """Bootstrap of the lenient score over sites."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.score is not None:
            found.setdefault(cluster(row), []).append(row.score)
    return BySite(clustered(list(found.values())), len(found))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Tries and what they cost: those that count, and those that were tried again or cut off."""

    episodes: int
    tried: int
    """Episodes with a committed try."""
    tries: int
    again: int
    """Episodes with more than one committed try."""
    cut_off: int
    """Tries begun and never committed: a kill, a full disk."""
    counted: Usage
    lost: Usage

    @property
    def superseded(self) -> int:
        """Committed tries that were tried again."""
        return self.tries - self.tried

    @property
    def all(self) -> Usage:
        return self.counted + self.lost

    def plain(self) -> dict[str, Any]:
        """For ledger.json."""
        names = ("episodes", "tried", "tries", "again", "cut_off")
        usage = {"counted": self.counted.plain(), "lost": self.lost.plain(), "total": self.all.plain()}
        return {**{name: getattr(self, name) for name in names}, "usage": usage}


def ledger(rows: Sequence[Row]) -> Ledger:
    """The tries of all episodes."""
    return Ledger(
        episodes=len(rows),
        tried=sum(row.spent.tries > 0 for row in rows),
        tries=sum(row.spent.tries for row in rows),
        again=sum(row.spent.tries > 1 for row in rows),
        cut_off=sum(row.spent.cut_off for row in rows),
        counted=total(row.spent.counted for row in rows),
        lost=total(row.spent.lost for row in rows),
    )


def scores(rows: Sequence[Row], counted: dict[str, int]) -> dict[str, Any]:
    """The part of results.json that says how sure a score is."""
    return {
        "score": lenient(counted).share,
        "lenient": lenient(counted).plain(),
        "strict": strict(counted).plain(),
        "by_task": task_mean(rows).plain(),
        "by_site": by_site(rows).plain(),
        "repeats": [item.plain() for item in repeats(rows)],
    }
