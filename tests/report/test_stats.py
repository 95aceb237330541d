"""Shares and intervals, against numbers worked out by hand."""

import pytest

from webds.report.stats import OUTCOMES, Share, counts, lenient, percent, strict, wilson


@pytest.mark.parametrize(
    ("passes", "n", "low", "high"),
    [
        # With z = 1.959964, z2 = 3.841459. One of one: low = 1 / (1 + z2) = 1 / 4.841459; the high end is exactly 1.
        (1, 1, 0.206549, 1.0),
        # None of one mirrors it: high = z2 / (1 + z2).
        (0, 1, 0.0, 0.793451),
        # Five of ten: 0.5 -+ (z / 1.3841459) * sqrt(0.025 + 3.841459 / 400) = 0.5 -+ 1.416010 * 0.186023.
        (5, 10, 0.236593, 0.763407),
        # None of ten: z2 / (10 + z2) = 3.841459 / 13.841459.
        (0, 10, 0.0, 0.277533),
        # Ten of ten: 10 / 13.841459.
        (10, 10, 0.722467, 1.0),
        # Two of three: middle (0.666667 + 0.640243) / 2.280486 = 0.573085, half 1.959964 / 2.280486 *
        # sqrt(0.222222 / 3 + 3.841459 / 36) = 0.859450 * 0.425211.
        (2, 3, 0.207655, 0.938510),
    ],
)
def test_wilson_by_hand(passes: int, n: int, low: float, high: float) -> None:
    assert wilson(passes, n) == pytest.approx((low, high), abs=2e-5)


def test_wilson_of_nothing_is_everything() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("passes", "n"), [(2, 1), (-1, 3), (1, 0)])
def test_wilson_refuses_impossible_counts(passes: int, n: int) -> None:
    with pytest.raises(ValueError, match=f"{passes} passes of {n}"):
        wilson(passes, n)


def test_interval_holds_the_share_and_shrinks() -> None:
    for n in range(1, 60):
        for passes in range(n + 1):
            low, high = wilson(passes, n)
            assert 0 <= low <= passes / n <= high <= 1
        assert wilson(n, n)[0] > wilson(n - 1, n - 1)[0] or n == 1


def test_one_success_is_never_a_bare_hundred_per_cent() -> None:
    assert Share(1, 1).text == "1 of 1 (100 %; 95 % interval 21 % to 100 %)"
    assert Share(0, 0).text == "no episodes"


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (0.001, "<1 %"), (0.5, "50 %"), (0.994, "99 %"), (0.9989, ">99 %"), (1.0, "100 %")],
)
def test_percent_never_rounds_to_all_or_nothing(share: float, text: str) -> None:
    assert percent(share) == text


def test_denominators() -> None:
    counted = counts(["pass", "pass", "fail", "blocked", "infra", "ungraded", "not_run", "not_run"])
    assert tuple(counted) == OUTCOMES
    assert counted == {"pass": 2, "fail": 1, "blocked": 1, "infra": 1, "ungraded": 1, "not_run": 2}
    assert lenient(counted) == Share(2, 3)
    assert strict(counted) == Share(2, 8)


def test_unknown_outcome_is_refused() -> None:
    with pytest.raises(ValueError, match="no outcome 'won'; known: pass, fail"):
        counts(["won"])
