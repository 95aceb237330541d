"""Coefficients of agreement over pairs of words. None where a coefficient is not defined, never a number in its place.

Sources: Cohen 1960 and 1968 (kappa, weighted), Gwet 2008 (AC1), Krippendorff 2011 (alpha). AC1 is our own: its library
does not install beside the pandas that webds uses; tests/judge/agreement compares the two where it is installed.
"""

from collections.abc import Sequence
from typing import Literal

import krippendorff
import numpy as np
from statsmodels.stats.inter_rater import cohens_kappa

type Pairs = Sequence[tuple[str, str]]
type Scores = Sequence[tuple[float, float]]
type Units = Sequence[Sequence[str | float]]
"""The words on each try, two or more of them; tries with fewer say nothing of agreement."""


def table(pairs: Pairs, categories: Sequence[str]) -> "np.ndarray[tuple[int, ...], np.dtype[np.int64]]":
    """Counts: the first rater's categories down, the second's across."""
    place = {name: index for index, name in enumerate(categories)}
    counts = np.zeros((len(categories), len(categories)), dtype=np.int64)
    for first, second in pairs:
        counts[place[first], place[second]] += 1
    return counts


def share(pairs: Pairs) -> float | None:
    """Share of pairs that say the same."""
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else None


def kappa(pairs: Pairs) -> float | None:
    """Cohen's kappa. None where both always say the same one word: chance alone would agree as often."""
    said = sorted({word for pair in pairs for word in pair})
    return _kappa(pairs, said, None) if len(said) > 1 else None


def weighted_kappa(scores: Scores) -> float | None:
    """Quadratically weighted kappa of stars in steps of a half, 1 to 5."""
    steps = [str(number / 2) for number in range(2, 11)]
    pairs = [(str(round(2 * a) / 2), str(round(2 * b) / 2)) for a, b in scores]
    return _kappa(pairs, steps, "quadratic") if len({word for pair in pairs for word in pair}) > 1 else None


def _kappa(pairs: Pairs, categories: Sequence[str], weights: str | None) -> float | None:
    value = float(cohens_kappa(table(pairs, categories), wt=weights, return_results=False))
    return value if np.isfinite(value) else None


def ac1(pairs: Pairs) -> float | None:
    """Gwet's AC1 of pass and fail, and of unsure where somebody said it."""
    if not pairs:
        return None
    said = [word for pair in pairs for word in pair]
    categories = {"pass", "fail", *said}
    means = [said.count(name) / len(said) for name in categories]
    chance = sum(mean * (1 - mean) for mean in means) / (len(categories) - 1)
    agreed = sum(a == b for a, b in pairs) / len(pairs)
    return (agreed - chance) / (1 - chance)


def alpha(units: Units, ordinal: bool = False) -> float | None:
    """Krippendorff's alpha over tries with any number of words. None: under two words a try, or all words alike."""
    kept = [unit for unit in units if len(unit) > 1]
    domain = sorted({word for unit in kept for word in unit})
    if len(domain) < 2:
        return None
    counts = np.array([[list(unit).count(value) for value in domain] for unit in kept])
    level: Literal["ordinal", "nominal"] = "ordinal" if ordinal else "nominal"
    return float(krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=level))
