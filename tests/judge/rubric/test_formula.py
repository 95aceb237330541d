"""Stars from criteria: the truth table, and what ungraded criteria leave open."""

from itertools import product

import pytest

from webds_judge.rubric.criteria import Criterion, rubric
from webds_judge.rubric.formula import bounds, settled, stars

KINDS = {"value": "correct", "source": "required", "method": "required", "shortcut": "process"}
CRITERIA = tuple(
    Criterion(name=name, kind=kind, tiers=("easy",), quote="met", fields=("page",), text=name)
    for name, kind in KINDS.items()
)
TABLE = {
    # value, source, method, shortcut
    (False, False, False, False): 1,
    (False, False, False, True): 1,
    (False, False, True, False): 2,
    (False, False, True, True): 2,
    (False, True, False, False): 2,
    (False, True, False, True): 2,
    (False, True, True, False): 2,
    (False, True, True, True): 2,
    (True, False, False, False): 3,
    (True, False, False, True): 3,
    (True, False, True, False): 3,
    (True, False, True, True): 3,
    (True, True, False, False): 3,
    (True, True, False, True): 3,
    (True, True, True, False): 4,
    (True, True, True, True): 5,
}


@pytest.mark.parametrize(("met", "wanted"), TABLE.items())
def test_the_truth_table(met: tuple[bool, ...], wanted: int) -> None:
    assert stars(dict(zip(KINDS, met, strict=True)), CRITERIA) == wanted


def test_ungraded_criteria_leave_what_every_completion_agrees_on() -> None:
    for met in product((True, False, None), repeat=4):
        said = dict(zip(KINDS, met, strict=True))
        choices = product(*((word,) if word is not None else (True, False) for word in met))
        ends = {stars(dict(zip(KINDS, choice, strict=True)), CRITERIA) for choice in choices}
        assert bounds(said, CRITERIA) == (min(ends), max(ends))
        found, passed = settled(said, CRITERIA)
        assert found == (min(ends) if len(ends) == 1 else None)
        assert passed == ((min(ends) >= 4) if (min(ends) >= 4) == (max(ends) >= 4) else None)


def test_each_tier_asks_more_than_the_one_below() -> None:
    names = {tier: {item.name for item in rubric().asked(tier, artefact=True)} for tier in ("easy", "medium", "hard")}
    process = {"grounding_perception", "grounding_synthesis", "repetition", "shortcut"}
    assert names["easy"] == {"value", "source"} | process
    assert names["medium"] == names["easy"] | {"method", "units"}
    assert names["hard"] == names["medium"] | {"synthesis", "artefact"}
    assert "artefact" not in {item.name for item in rubric().asked("hard", artefact=False)}
    assert set(rubric().anchors) == set("12345")
