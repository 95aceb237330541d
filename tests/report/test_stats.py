"""Outcome counts and their two denominators."""

import pytest

from webds.report.stats import OUTCOMES, counts, lenient, strict
from webds.stats import Share


def test_denominators() -> None:
    counted = counts(["pass", "pass", "fail", "blocked", "infra", "ungraded", "not_run", "not_run"])
    assert tuple(counted) == OUTCOMES
    assert counted == {"pass": 2, "fail": 1, "blocked": 1, "infra": 1, "ungraded": 1, "not_run": 2}
    assert lenient(counted) == Share(2, 3)
    assert strict(counted) == Share(2, 8)


def test_unknown_outcome_is_refused() -> None:
    with pytest.raises(ValueError, match="no outcome 'won'; known: pass, fail"):
        counts(["won"])
