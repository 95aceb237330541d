"""Statistics against numbers worked out by hand (T11), and against scipy and statsmodels."""

from math import factorial, prod
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.contingency_tables import mcnemar as peer_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from webds.stats import (
    Share,
    clustered,
    correlation,
    holm,
    mcnemar,
    p_text,
    paired,
    pass_at,
    pass_hat,
    percent,
    points,
    wilson,
)


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


def test_wilson_holds_the_share_shrinks_and_is_that_of_statsmodels() -> None:
    for n in range(1, 60):
        for passes in range(n + 1):
            low, high = wilson(passes, n)
            assert 0 <= low <= passes / n <= high <= 1
            peer = proportion_confint(passes, n, method="wilson")
            assert (low, high) == pytest.approx(peer, abs=1e-12)
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


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0 points"), (0.123, "+12 points"), (-0.5, "-50 points"), (0.001, "+0.1 points"), (-0.001, "-0.1 points")],
)
def test_points_keep_their_sign(value: float, text: str) -> None:
    assert points(value) == text


def test_bootstrap_of_two_clusters_by_hand() -> None:
    """AA 1, AB and BA 0.75 (three values against one), BB 0, a quarter each."""
    assert clustered([(1, 1, 1), (0,)], fewest=2) == (0.0, 1.0)
    # At 40 % the tails hold 0.3: F(0) = 0.25 is short of it, F(0.75) = 0.75 reaches both 0.3 and 0.7.
    assert clustered([(1, 1, 1), (0,)], fewest=2, level=0.4) == (0.75, 0.75)


def test_bootstrap_of_three_clusters_by_hand() -> None:
    """How often the one cluster of passes is drawn is binomial (3, 1/3): 8, 12, 6 and 1 of 27."""
    assert clustered([(1,), (0,), (0,)], fewest=2) == (0.0, 1.0)  # F(2/3) = 26/27 = 0.963 < 0.975
    assert clustered([(1,), (0,), (0,)], fewest=2, level=0.9) == pytest.approx((0.0, 2 / 3))  # 0.963 >= 0.95


def test_bootstrap_says_nothing_rather_than_a_false_certainty() -> None:
    assert clustered([(1, 1), (1,), (1,), (1,), (1,)]) is None  # all alike: not `100 % to 100 %`
    assert clustered([(1, 0), (0,), (1,), (1,)]) is None  # four clusters are too few
    assert clustered([]) is None


def test_bootstrap_is_that_of_scipy() -> None:
    draw = Random(4)
    clusters = [tuple(float(draw.random() < 0.2 + 0.05 * k) for _ in range(10)) for k in range(12)]
    mine = clustered(clusters)
    means = np.array([sum(c) / len(c) for c in clusters])
    peer = scipy_stats.bootstrap((means,), np.mean, n_resamples=20_000, method="percentile", rng=1)
    assert mine is not None
    assert mine == pytest.approx(tuple(peer.confidence_interval), abs=0.012)
    assert clustered(clusters) == mine  # the same seed, the same figures


def test_listing_every_resample_agrees_with_drawing() -> None:
    clusters = [(float(k), k / 2) for k in range(8)]
    exact = clustered([tuple(v / 8 for v in c) for c in clusters])
    means = np.array([0.75 * k / 8 for k in range(8)])
    peer = scipy_stats.bootstrap((means,), np.mean, n_resamples=50_000, method="percentile", rng=2)
    assert exact == pytest.approx(tuple(peer.confidence_interval), abs=0.01)


@pytest.mark.parametrize(
    ("n", "c", "k", "at", "hat"),
    [
        (5, 2, 1, 0.4, 0.4),
        (5, 2, 2, 0.7, 0.1),  # 1 - C(3,2) / C(5,2) = 1 - 3/10, and C(2,2) / C(5,2) = 1/10
        (5, 2, 3, 0.9, 0.0),  # 1 - C(3,3) / C(5,3) = 1 - 1/10; three passes are not there
        (4, 3, 2, 1.0, 0.5),  # no two fails; C(3,2) / C(4,2) = 3/6. The biased rule would give (3/4)^2
        (1, 1, 1, 1.0, 1.0),
        (3, 0, 2, 0.0, 0.0),
    ],
)
def test_pass_at_k_and_pass_hat_k_by_hand(n: int, c: int, k: int, at: float, hat: float) -> None:
    assert pass_at(n, c, k) == pytest.approx(at)
    assert pass_hat(n, c, k) == pytest.approx(hat)


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, 1, 4), (3, 1, 0), (0, 0, 1)])
def test_more_than_was_tried_is_refused(n: int, c: int, k: int) -> None:
    for rule in (pass_at, pass_hat):
        with pytest.raises(ValueError, match=f"k = {k} with {c} passes of {n}"):
            rule(n, c, k)


def pairs(both: int, first: int, second: int, none: int) -> tuple[list[float], list[float]]:
    """Before and after of a fourfold table."""
    before = [1.0] * (both + first) + [0.0] * (second + none)
    after = [1.0] * both + [0.0] * first + [1.0] * second + [0.0] * none
    return before, after


def test_paired_difference_by_hand() -> None:
    """Twenty tasks: 12 pass in both, 1 before only, 5 after only, 2 in neither.

    13 of 20: (0.432854, 0.818808); 17 of 20: (0.639581, 0.947631), and with continuity
    phi = (12*2 - 1*5 - 20/2) / sqrt(13*7*17*3) = 9 / 68.124886 = 0.132110.
    low  = 0.2 - sqrt(0.210419^2 + 0.168808^2 - 2 * phi * 0.210419 * 0.168808) = 0.2 - 0.251768
    high = 0.2 + sqrt(0.097631^2 + 0.217146^2 - 2 * phi * 0.097631 * 0.217146) = 0.2 + 0.226015
    """
    found = paired(*pairs(12, 1, 5, 2))
    assert found is not None
    assert (found.before, found.after, found.n) == (0.65, 0.85, 20)
    assert (found.low, found.high) == pytest.approx((-0.051768, 0.426015), abs=2e-5)
    assert found.text == "+20 points (95 % interval -5 points to +43 points; 20 tasks)"


def test_one_task_that_flips_is_no_certainty() -> None:
    """0 of 1: (0, 0.793451); 1 of 1: (0.206549, 1); low = 1 - sqrt(2) * 0.793451."""
    found = paired([0.0], [1.0])
    assert found is not None
    assert (found.low, found.high) == pytest.approx((-0.122109, 1.0), abs=2e-5)


def test_no_difference_still_has_a_width() -> None:
    found = paired(*pairs(9, 0, 0, 0))
    assert found is not None
    # One minus Wilson's low end of 9 of 9 is z2 / (9 + z2) = 3.841459 / 12.841459.
    assert (found.value, found.low, found.high) == pytest.approx((0.0, -0.299145, 0.299145), abs=1e-6)
    assert paired([], []) is None


def test_paired_without_correlation_is_newcombes_interval_of_statsmodels() -> None:
    before, after = pairs(6, 6, 4, 4)  # 12 and 10 of 20; phi is exactly 0
    found = paired(before, after)
    assert correlation(before, after) == 0
    assert found is not None
    peer = confint_proportions_2indep(10, 20, 12, 20, method="newcomb", compare="diff")
    assert (found.low, found.high) == pytest.approx(peer, abs=1e-9)


def test_paired_covers_what_it_says() -> None:
    """Exact, over every fourfold table of 30 tasks at 30 % in both, 10 % before only, 20 % after only: 95.1 %."""
    n, chances, held = 30, (0.3, 0.1, 0.2, 0.4), 0.0
    tables = ((a, b, c, n - a - b - c) for a in range(n + 1) for b in range(n + 1 - a) for c in range(n + 1 - a - b))
    for table in tables:
        found = paired(*pairs(*table))
        assert found is not None
        if found.low <= 0.1 <= found.high:
            ways = factorial(n) // prod(map(factorial, table))
            held += ways * prod(chance**count for chance, count in zip(chances, table, strict=True))
    assert held == pytest.approx(0.951, abs=5e-4)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40))
def test_paired_interval_holds_its_value(rows: list[tuple[float, float]]) -> None:
    found = paired([a for a, _ in rows], [b for _, b in rows])
    assert found is not None
    assert -1 <= found.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.high <= 1


@pytest.mark.parametrize(
    ("worse", "better", "p"),
    [
        (0, 0, 1.0),
        (0, 1, 1.0),
        (5, 0, 0.0625),  # 2 / 2^5
        (15, 5, 0.041389),  # 2 * (1 + 20 + 190 + 1140 + 4845 + 15504) / 2^20
        (10, 3, 0.092285),  # 2 * (1 + 13 + 78 + 286) / 2^13
        (2, 2, 1.0),
    ],
)
def test_mcnemar_by_hand_and_by_statsmodels(worse: int, better: int, p: float) -> None:
    assert mcnemar(worse, better) == pytest.approx(p, abs=1e-6)
    if worse + better:
        peer = peer_mcnemar([[3, worse], [better, 4]], exact=True).pvalue
        assert mcnemar(worse, better) == pytest.approx(min(1.0, peer))


def test_holm_by_hand_and_by_statsmodels() -> None:
    # In order 0.01, 0.03, 0.04: 3 * 0.01, 2 * 0.03, and 1 * 0.04 raised to the 0.06 before it.
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []
    values = [0.2, 0.001, 0.04, 0.5, 0.012]
    assert holm(values) == pytest.approx(list(multipletests(values, method="holm")[1]))


def test_p_values_as_text() -> None:
    assert [p_text(p) for p in (0.0001, 0.0414, 0.25, 1.0)] == ["p < 0.001", "p = 0.041", "p = 0.25", "p = 1.00"]
