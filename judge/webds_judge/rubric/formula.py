"""From criteria to stars. Pure, and the only place where a score is made: a model never names one.

correctness false: 2, or 1 where no other outcome criterion is met either; a required part missing: 3; all outcome
criteria: 4; the process criteria too: 5. A pass is 4 or 5.
"""

from collections.abc import Mapping, Sequence

from webds_judge.rubric.criteria import Criterion

PASS = 4
"""Stars from which a try has passed."""


def stars(met: Mapping[str, bool], criteria: Sequence[Criterion]) -> int:
    """1 to 5. `met` holds every criterion's name."""
    outcome = [item for item in criteria if item.outcome]
    if not all(met[item.name] for item in outcome if item.kind == "correct"):
        return 2 if any(met[item.name] for item in outcome) else 1
    if not all(met[item.name] for item in outcome):
        return 3
    return 5 if all(met[item.name] for item in criteria) else 4


def bounds(met: Mapping[str, bool | None], criteria: Sequence[Criterion]) -> tuple[int, int]:
    """Fewest and most stars that the ungraded criteria (None or absent) leave open; the formula is monotone."""
    low = {item.name: met.get(item.name) is True for item in criteria}
    high = {item.name: met.get(item.name) is not False for item in criteria}
    return stars(low, criteria), stars(high, criteria)


def settled(met: Mapping[str, bool | None], criteria: Sequence[Criterion]) -> tuple[int | None, bool | None]:
    """(stars, passed), each None where an ungraded criterion decides it."""
    low, high = bounds(met, criteria)
    passed = low >= PASS if (low >= PASS) is (high >= PASS) else None
    return (low if low == high else None), passed
