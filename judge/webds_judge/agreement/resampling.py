"""Intervals of any coefficient by a bootstrap over whole clusters (sites): tries of one site are not independent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from webds.stats import FEWEST_CLUSTERS, interval, resamples

DRAWS = 2_000
"""Resamples where there are more than nine sites; up to nine every one is listed with its chance."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A coefficient with its 95 % interval over sites; `low` and `high` None where the sites are too few to tell."""

    value: float | None
    low: float | None
    high: float | None

    def plain(self) -> dict[str, float | None]:
        """For JSON."""
        return {"value": self.value, "low": self.low, "high": self.high}

    @property
    def text(self) -> str:
        """`0.76 [0.61, 0.87]`, the interval only where there is one."""
        if self.value is None:
            return "not defined"
        ends = f" [{self.low:.2f}, {self.high:.2f}]" if self.low is not None and self.high is not None else ""
        return f"{self.value:.3f}{ends}"


def estimate[T](by_site: Mapping[str, Sequence[T]], statistic: Callable[[Sequence[T]], float | None]) -> Estimate:
    """`statistic` over all values, and its interval. Resamples in which it is not defined are left out."""
    clusters = [values for _, values in sorted(by_site.items()) if values]
    value = statistic([one for values in clusters for one in values])
    if value is None or len(clusters) < FEWEST_CLUSTERS:
        return Estimate(value, None, None)
    weighted = list(_resampled(clusters, statistic))
    whole = sum(chance for _, chance in weighted)
    if not weighted or len({found for found, _ in weighted}) == 1:
        return Estimate(value, None, None)
    low, high = interval((found, chance / whole) for found, chance in weighted)
    return Estimate(value, low, high)


def _resampled[T](
    clusters: Sequence[Sequence[T]], statistic: Callable[[Sequence[T]], float | None]
) -> list[tuple[float, float]]:
    found = []
    for times, chance in resamples(len(clusters), draws=DRAWS):
        drawn = [one for count, values in zip(times, clusters, strict=True) for _ in range(count) for one in values]
        value = statistic(drawn)
        if value is not None:
            found.append((value, chance))
    return found
