"""Coefficients against values worked out by hand, published ones, and a second library where there is one."""

from random import Random

import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar

from tests.judge.agreement.rows import pairs
from webds.stats import Share, mcnemar
from webds_judge.agreement.coefficients import ac1, alpha, kappa, share, weighted_kappa
from webds_judge.agreement.corrected import Accuracy, corrected
from webds_judge.agreement.resampling import estimate


def test_kappa_and_ac1_by_hand() -> None:
    """Agreed 0.7; chance of kappa 0.5 * 0.6 + 0.5 * 0.4 = 0.5, of AC1 2 * 0.55 * 0.45 = 0.495."""
    said = pairs(20, 5, 10, 15)
    assert share(said) == pytest.approx(0.7)
    assert kappa(said) == pytest.approx(0.4)
    assert ac1(said) == pytest.approx((0.7 - 0.495) / 0.505)


def test_the_prevalence_paradox() -> None:
    """94 % the same, yet kappa under 0: that is why AC1 stands beside it. Chance 0.94528 and 0.054432."""
    said = pairs(118, 5, 2, 0)
    assert kappa(said) == pytest.approx((0.944 - 0.94528) / (1 - 0.94528))
    assert ac1(said) == pytest.approx((0.944 - 0.054432) / (1 - 0.054432))


def test_unsure_is_a_word_of_its_own() -> None:
    said = [*pairs(2, 0, 0, 1), ("unsure", "fail")]
    assert share(said) == pytest.approx(0.75)
    means = (4 / 8, 3 / 8, 1 / 8)
    chance = sum(m * (1 - m) for m in means) / 2
    assert ac1(said) == pytest.approx((0.75 - chance) / (1 - chance))


def test_what_is_not_defined_is_none() -> None:
    assert kappa(pairs(5, 0, 0, 0)) is None
    assert ac1(pairs(5, 0, 0, 0)) == 1.0
    assert (ac1([]), kappa([]), share([]), alpha([]), weighted_kappa([])) == (None,) * 5
    assert alpha([["pass", "pass"], ["pass"]]) is None
    assert weighted_kappa([(3, 3), (3, 3)]) is None


def test_quadratic_kappa_by_hand_and_in_halves() -> None:
    """Three tries, 1-1, 5-5 and 3-4: squared distances 1 / 16 seen; chance from the margins."""
    scores = [(1.0, 1.0), (5.0, 5.0), (3.0, 4.0)]
    seen = 1 / 16 / 3
    chance = sum((a - b) ** 2 for a in (1, 5, 3) for b in (1, 5, 4)) / 16 / 9
    assert weighted_kappa(scores) == pytest.approx(1 - seen / chance)
    assert weighted_kappa([(1, 1.5), (4, 4), (2.5, 3)]) == pytest.approx(
        1 - (0.25 + 0.25) / 3 / (sum((a - b) ** 2 for a in (1, 4, 2.5) for b in (1.5, 4, 3)) / 9)
    )


def test_alpha_as_published() -> None:
    """Krippendorff 2011, examples B and C: two observers of a yes-or-no, four observers with gaps."""
    first, second = (
        ["0", "1", "0", "0", "0", "0", "0", "0", "1", "0"],
        ["1", "1", "1", "0", "0", "1", "0", "0", "0", "0"],
    )
    assert alpha(list(zip(first, second, strict=True))) == pytest.approx(0.095, abs=5e-4)
    observers = (
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    )
    columns = zip(*(line.split() for line in observers), strict=True)
    units = [[float(word) for word in column if word != "."] for column in columns]
    assert alpha(units) == pytest.approx(0.743, abs=5e-4)
    assert alpha(units, ordinal=True) == pytest.approx(0.815, abs=5e-4)


def test_libraries_agree_on_random_tables() -> None:
    random = Random(8)
    for _ in range(20):
        said = pairs(*(random.randint(1, 40) for _ in range(4)))
        first, second = zip(*said, strict=True)
        assert kappa(said) == pytest.approx(cohen_kappa_score(first, second))
        scores = [(float(random.randint(1, 5)), float(random.randint(1, 5))) for _ in range(30)]
        ours = weighted_kappa(scores)
        assert ours == pytest.approx(cohen_kappa_score(*zip(*scores, strict=True), weights="quadratic"))
        b, c = random.randint(0, 20), random.randint(1, 20)
        assert mcnemar(b, c) == pytest.approx(float(their_mcnemar([[0, b], [c, 0]], exact=True).pvalue))


def test_mcnemar_by_hand() -> None:
    assert mcnemar(15, 5) == pytest.approx(0.0414, abs=5e-5)
    assert mcnemar(10, 3) == pytest.approx(0.0923, abs=5e-5)


def test_a_rate_is_corrected() -> None:
    """(0.15 + 0.93 - 1) / (0.83 + 0.93 - 1) = 10.5 %."""
    found = corrected(Share(150, 1000), Accuracy(Share(83, 100), Share(93, 100)))
    assert found is not None
    assert found.value == pytest.approx(0.08 / 0.76)
    assert 0 < found.low < found.value < found.high < found.apparent.high


def test_a_judge_no_better_than_chance_corrects_nothing() -> None:
    assert corrected(Share(5, 10), Accuracy(Share(5, 10), Share(5, 10))) is None
    assert corrected(Share(0, 0), Accuracy(Share(9, 10), Share(9, 10))) is None
    assert corrected(Share(5, 10), Accuracy(Share(0, 0), Share(9, 10))) is None


@pytest.mark.parametrize(("rate", "right_pass", "right_fail"), [(0.1, 0.83, 0.93), (0.5, 0.95, 0.9)])
def test_the_interval_holds_the_true_rate_as_often_as_it_says(
    rate: float, right_pass: float, right_fail: float
) -> None:
    random = Random(3)

    def share_of(n: int, chance: float) -> Share:
        return Share(sum(random.random() < chance for _ in range(n)), n)

    apparent = rate * right_pass + (1 - rate) * (1 - right_fail)
    hits = 0
    for _ in range(600):
        judge = Accuracy(share_of(60, right_pass), share_of(140, right_fail))
        found = corrected(share_of(200, apparent), judge)
        hits += found is not None and found.low <= rate <= found.high
    assert 0.92 < hits / 600 < 0.98


def test_intervals_are_over_whole_sites() -> None:
    """Six sites, one of which disagrees throughout: every resample is listed, so the ends are exact."""
    agreed = {f"s{number}": pairs(2, 0, 0, 2) for number in range(5)}
    found = estimate({**agreed, "s5": pairs(0, 2, 2, 0)}, share)
    assert found.value == pytest.approx(5 / 6)
    # Site 5 is drawn k times of 6 with binomial chance 1/6: three times or more 6.2 %, four times or more 0.9 %.
    assert found.low == pytest.approx(3 / 6)
    assert found.high == 1.0
    assert estimate(dict(list(agreed.items())[:4]), share).low is None
