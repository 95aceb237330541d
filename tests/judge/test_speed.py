"""The figures of `make bench answers`: they hold on one core of any machine that we know."""

import pytest

from tests.bench import comparisons

pytestmark = pytest.mark.long


def test_comparisons_a_second_and_the_longest_hostile_one():
    lines = comparisons.lines()
    assert len(lines) == 5
    assert comparisons.rate() > 5_000
    assert comparisons.worst()[0][0] < 1.0
