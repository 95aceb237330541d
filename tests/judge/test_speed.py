"""The figures of `make bench answers`: CPU time, so that they hold beside other work on the machine."""

import pytest

from tests.bench import comparisons
from webds_judge.answers import compare

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]


def test_over_5000_comparisons_a_second_on_one_core():
    assert comparisons.rate() > 5_000


def test_no_hostile_answer_takes_a_second():
    compare("quantity", "5 km", "3 miles")  # the table of units is read once a process
    assert comparisons.worst()[0][0] < 1.0
