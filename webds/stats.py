"""Shares, intervals and tests over episodes: pure functions of numbers, no files, no clock, no vendor library.

What was not graded never comes in here: the caller says what counts as a value, and how much was left out.
Sources: Wilson 1927; Newcombe 1998, Statistics in Medicine 17:2635 (paired difference); Zou and Donner 2008 (the same
recovery of variance for other intervals); McNemar 1947, in its exact form; Holm 1979; Chen et al. 2021 (pass@k);
Yao et al. 2024 (pass^k).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb, factorial, sqrt
from random import Random

Z95 = 1.959963984540054
"""The 97.5 % point of the normal distribution: two-sided 95 %."""
FEWEST_CLUSTERS = 5
"""With fewer clusters a bootstrap is far too narrow, and none is given."""
_LISTED = 25_000
"""Up to so many distinct resamples (9 clusters) are listed with their chances, and the interval is exact."""
_DRAWS = 10_000

type Interval = tuple[float, float]


def wilson(passes: float, n: int, z: float = Z95) -> Interval:
    """Wilson score interval of a share, both ends in [0, 1]; (0, 1) where nothing was seen. ValueError: impossible.

    `passes` may be a sum of `n` values in [0, 1], such as the tasks' shares over repeats: their spread is at most that
    of passes and fails with the same mean, so that the interval is then wide rather than narrow.
    """
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


def points(difference: float) -> str:
    """A difference of two shares in percentage points, with its sign: `+12 points`."""
    if difference and abs(difference) < 0.005:
        return f"{100 * difference:+.1f} points"
    return f"{100 * difference:+.0f} points" if round(100 * difference) else "0 points"


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


def clustered(
    clusters: Sequence[Sequence[float]], seed: int = 0, fewest: int = FEWEST_CLUSTERS, level: float = 0.95
) -> Interval | None:
    """Bootstrap percentile interval of the mean of all values, whole clusters (such as sites) drawn with replacement.

    None where it would say nothing: fewer than `fewest` clusters, or all means alike. Up to nine clusters every
    resample is listed with its chance; above, 10,000 are drawn by `seed`.
    """
    sums = [(sum(values), len(values)) for values in clusters if values]
    if len(sums) < max(fewest, 2) or len({total / n for total, n in sums}) == 1:
        return None
    return interval(_means(sums, seed), level)


def _means(sums: Sequence[tuple[float, int]], seed: int) -> Iterator[tuple[float, float]]:
    for times, chance in resamples(len(sums), seed):
        total = sum(count * total for count, (total, _) in zip(times, sums, strict=True))
        yield total / sum(count * n for count, (_, n) in zip(times, sums, strict=True)), chance


def interval(weighted: Iterable[tuple[float, float]], level: float = 0.95) -> Interval:
    """Percentile interval of (value, chance) pairs; the chances sum to 1."""
    ordered, tail = sorted(weighted), (1 - level) / 2
    return (_quantile(ordered, tail), _quantile(ordered, 1 - tail))


def resamples(k: int, seed: int = 0, draws: int = _DRAWS) -> Iterator[tuple[Sequence[int], float]]:
    """(how often each of `k` clusters is drawn, chance): every way where they are few, else `draws` by `seed`."""
    if comb(2 * k - 1, k) <= _LISTED:
        for times in _compositions(k, k):
            chance = factorial(k) / k**k
            for count in times:
                chance /= factorial(count)
            yield times, chance
        return
    # Only random() is promised to give the same numbers in every version of Python: a report must not change.
    draw = Random(seed).random
    for _ in range(draws):
        drawn = [0] * k
        for _ in range(k):
            drawn[int(draw() * k)] += 1
        yield drawn, 1 / draws


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def _quantile(weighted: Sequence[tuple[float, float]], q: float) -> float:
    """The least value at which the cumulated chance reaches `q`; rounding of the chances is forgiven."""
    reached = 0.0
    for value, chance in weighted:
        reached += chance
        if reached >= q - 1e-12:
            return value
    return weighted[-1][0]


def pass_at(n: int, c: int, k: int) -> float:
    """pass@k of a task with `c` passes in `n` tries: the chance that at least one of `k` of them passes."""
    return (comb(_checked(n, c, k), k) - comb(n - c, k)) / comb(n, k)


def pass_hat(n: int, c: int, k: int) -> float:
    """pass^k of a task with `c` passes in `n` tries: the chance that all of `k` of them pass.

    Drawn without replacement, C(c,k) / C(n,k), which has no bias; the other convention, (c/n)^k, has one.
    """
    return comb(c, k) / comb(_checked(n, c, k), k)


def _checked(n: int, c: int, k: int) -> int:
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError(f"k = {k} with {c} passes of {n}")
    return n


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of `after` less mean of `before` over the same `n` tasks, in [-1, 1], with its 95 % interval."""

    before: float
    after: float
    low: float
    high: float
    n: int

    @property
    def value(self) -> float:
        return self.after - self.before

    @property
    def text(self) -> str:
        """`+12 points (95 % interval -3 points to +27 points; 40 tasks)`."""
        ends = f"{points(self.low)} to {points(self.high)}"
        return f"{points(self.value)} (95 % interval {ends}; {self.n} {'task' if self.n == 1 else 'tasks'})"

    def plain(self) -> dict[str, float | int]:
        """For JSON."""
        return {
            "before": self.before,
            "after": self.after,
            "difference": self.value,
            "low": self.low,
            "high": self.high,
            "n": self.n,
        }


def paired(before: Sequence[float], after: Sequence[float], z: float = Z95) -> Difference | None:
    """Difference of two means over the same tasks, or None where there is none. Values in [0, 1], in the same order.

    Newcombe's score interval for paired shares (his method 10): from both Wilson intervals and the correlation of the
    pairs. It has a width even where no task differs. ValueError: lists of different length.
    """
    n = len(before)
    if n != len(after):
        raise ValueError(f"{n} values before, {len(after)} after")
    if n == 0:
        return None
    first, second = sum(before) / n, sum(after) / n
    (low1, high1), (low2, high2) = wilson(sum(before), n, z), wilson(sum(after), n, z)
    r = correlation(before, after)
    value = second - first
    down = _combined(second - low2, high1 - first, r)
    up = _combined(high2 - second, first - low1, r)
    return Difference(first, second, max(-1.0, value - down), min(1.0, value + up), n)


def _combined(a: float, b: float, r: float) -> float:
    return sqrt(max(0.0, a * a - 2 * r * a * b + b * b))


def correlation(a: Sequence[float], b: Sequence[float]) -> float:
    """Pearson's, a positive one corrected for continuity as Newcombe says; 0 where one of the two does not vary.

    For passes and fails it is phi. Without the correction, 93 % of the intervals of 30 tasks hold the true difference.
    """
    n = len(a)
    mean_a, mean_b = sum(a) / n, sum(b) / n
    both = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    both = max(0.0, both - 0.5) if both > 0 else both
    spread = sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b)
    return max(-1.0, min(1.0, both / sqrt(spread))) if spread > 0 else 0.0


def mcnemar(worse: int, better: int) -> float:
    """Exact two-sided p of McNemar's test: `worse` and `better` pairs differ, ties do not count; 1 where none does.

    Over means of repeats it is the sign test, which has the same formula.
    """
    if worse < 0 or better < 0:
        raise ValueError(f"{worse} and {better} pairs")
    n = worse + better
    return min(1.0, 2 * sum(comb(n, i) for i in range(min(worse, better) + 1)) / (1 << n))


def holm(values: Sequence[float]) -> list[float]:
    """p values adjusted for their number by Holm's step-down rule, in the given order."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    adjusted, least = [0.0] * len(values), 0.0
    for rank, i in enumerate(order):
        least = max(least, min(1.0, (len(values) - rank) * values[i]))
        adjusted[i] = least
    return adjusted


def p_text(p: float) -> str:
    """A p value as text: `p = 0.041`, `p < 0.001`."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"
