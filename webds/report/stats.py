"""Counts of outcomes and their two denominators: pure functions, no files.

Two denominators, both always shown. Lenient: the graded episodes (pass or fail), so that a fault is never a zero.
Strict: every planned episode, so that what was blocked, broken or never run cannot flatter a score.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from webds.stats import Share
from webds.types import Outcome

NOT_RUN = "not_run"
"""A planned episode without a committed try."""
OUTCOMES = (*(str(outcome.value) for outcome in Outcome), NOT_RUN)


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
