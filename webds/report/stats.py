"""Counts and shares of outcomes: pure functions, no files.

Two denominators, both always shown. Lenient: the graded episodes (pass or fail), so that a fault is never a zero.
Strict: every planned episode, so that what was blocked, broken or never run cannot flatter a score.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt

from webds.types import Outcome

NOT_RUN = "not_run"
"""A planned episode without a committed try."""
OUTCOMES = (*(str(outcome.value) for outcome in Outcome), NOT_RUN)
Z95 = 1.959963984540054
"""The 97.5 % point of the normal distribution: two-sided 95 %."""


def wilson(passes: int, n: int, z: float = Z95) -> tuple[float, float]:
    """Wilson score interval of a share, both ends in [0, 1]; (0, 1) where nothing was seen. ValueError: impossible."""
    if not 0 <= passes <= n:
        raise ValueError(f"{passes} passes of {n}")
    if n == 0:
        return (0.0, 1.0)
    share, z2 = passes / n, z * z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # At the ends the formula is exact, and rounding must not move it past them.
    low = 0.0 if passes == 0 else max(0.0, middle - half)
    high = 1.0 if passes == n else min(1.0, middle + half)
    return (low, high)


def percent(share: float) -> str:
    """A share as whole per cent; a share short of all or above none is never rounded to 100 % or 0 %."""
    if 0 < share < 0.005:
        return "<1 %"
    if 0.995 <= share < 1:
        return ">99 %"
    return f"{100 * share:.0f} %"


@dataclass(frozen=True, slots=True)
class Share:
    """`passes` out of `n`, with its 95 % Wilson interval."""

    passes: int
    n: int

    @property
    def share(self) -> float | None:
        """In [0, 1], or None where n is 0."""
        return self.passes / self.n if self.n else None

    @property
    def low(self) -> float:
        return wilson(self.passes, self.n)[0]

    @property
    def high(self) -> float:
        return wilson(self.passes, self.n)[1]

    @property
    def interval(self) -> str:
        """`21 % to 94 %`."""
        return f"{percent(self.low)} to {percent(self.high)}"

    @property
    def text(self) -> str:
        """The share in words. The interval is part of it, so that one success never reads as a bare 100 %."""
        if self.share is None:
            return "no episodes"
        return f"{self.passes} of {self.n} ({percent(self.share)}; 95 % interval {self.interval})"

    def plain(self) -> dict[str, float | int | None]:
        """For results.json."""
        return {"passes": self.passes, "n": self.n, "share": self.share, "low": self.low, "high": self.high}


def counts(outcomes: Iterable[str]) -> dict[str, int]:
    """How many of each outcome, all six names in their fixed order. ValueError: a name that is no outcome."""
    found = Counter(outcomes)
    unknown = sorted(set(found) - set(OUTCOMES))
    if unknown:
        raise ValueError(f"no outcome {unknown[0]!r}; known: {', '.join(OUTCOMES)}")
    return {name: found[name] for name in OUTCOMES}


def strict(counted: Mapping[str, int]) -> Share:
    """Passes over all planned episodes."""
    return Share(counted[Outcome.PASS], sum(counted.values()))


def lenient(counted: Mapping[str, int]) -> Share:
    """Passes over the graded episodes, pass and fail."""
    return Share(counted[Outcome.PASS], counted[Outcome.PASS] + counted[Outcome.FAIL])
