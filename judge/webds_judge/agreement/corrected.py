"""The success rate behind an imperfect judge's: its passes corrected by its sensitivity and specificity.

Sources: Rogan and Gladen 1978 (the estimate), Lang and Reiczigel 2014 (the interval), used for model judges by
arXiv 2511.21140. It holds where the calibration's tries err as the run's do, given the truth: the same tasks and kinds
of agents, whatever the success rate.
"""

from dataclasses import dataclass
from math import sqrt

from webds.stats import Z95, Share


@dataclass(frozen=True, slots=True)
class Accuracy:
    """A judge against people: `sensitivity` right passes of true passes, `specificity` right fails of true fails."""

    sensitivity: Share
    specificity: Share


@dataclass(frozen=True, slots=True)
class Corrected:
    """Success rate in [0, 1] with its 95 % interval; `apparent` is what the judge says."""

    apparent: Share
    value: float
    low: float
    high: float

    def plain(self) -> dict[str, object]:
        """For JSON."""
        return {"apparent": self.apparent.plain(), "value": self.value, "low": self.low, "high": self.high}


def corrected(apparent: Share, judge: Accuracy, z: float = Z95) -> Corrected | None:
    """None where nothing was judged, or the judge is not better than chance, so that nothing follows from its word."""
    said, right_pass, right_fail = apparent.share, judge.sensitivity.share, judge.specificity.share
    if said is None or right_pass is None or right_fail is None or right_pass + right_fail <= 1:
        return None
    value = (said + right_fail - 1) / (right_pass + right_fail - 1)
    low, high = _ends(apparent, judge, z)
    return Corrected(apparent, min(1.0, max(0.0, value)), low, high)


def _ends(apparent: Share, judge: Accuracy, z: float) -> tuple[float, float]:
    n, positives, negatives = apparent.n + z * z, judge.sensitivity.n + 2, judge.specificity.n + 2
    said = (apparent.passes + z * z / 2) / n
    right_pass, right_fail = (judge.sensitivity.passes + 1) / positives, (judge.specificity.passes + 1) / negatives
    better = right_pass + right_fail - 1
    if better <= 0:
        return (0.0, 1.0)
    rate = (said + right_fail - 1) / better
    of_pass, of_fail = right_pass * (1 - right_pass) / positives, right_fail * (1 - right_fail) / negatives
    shift = 2 * z * z * (rate * of_pass - (1 - rate) * of_fail)
    half = z * sqrt(said * (1 - said) / n + (1 - rate) ** 2 * of_fail + rate**2 * of_pass) / better
    return tuple(min(1.0, max(0.0, end)) for end in (rate + shift - half, rate + shift + half))  # type: ignore[return-value] # two ends
