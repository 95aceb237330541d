"""What a dry run says a run will take: from past runs, a price table, or not at all; never a made-up zero."""

from pathlib import Path
from typing import Any

import pytest

from tests.report.build_run import Episode, make_run, task
from webds.prices import PriceTable
from webds.report.estimate import estimate, past_rows
from webds.report.rows import Row
from webds.types import Ending

PRICES = PriceTable(version="2026-11", source="this test", models={"m": {"input": 2.0, "output": 10.0}})
TASKS = [task("a"), task("b")]


def past(folder: Path, first: dict[str, Any], second: dict[str, Any], name: str = "one") -> None:
    episodes = [Episode(task="a", usage=first), Episode(task="b", usage=second, passed=False)]
    make_run(folder / name, TASKS, episodes, declares={"model": "m"})


def rows(folder: Path, model: str = "m") -> list[Row]:
    return past_rows(folder, "scripted", model)


def test_recorded_dollars_by_hand(tmp_path: Path) -> None:
    """a cost 0.02 and 0.04 in two runs, b 0.06 in one; c was never tried and counts as the mean of a and b, 0.045."""
    past(tmp_path, {"calls": 1, "dollars": 0.02}, {"calls": 1, "dollars": 0.06})
    make_run(
        tmp_path / "two", TASKS[:1], [Episode(task="a", usage={"calls": 1, "dollars": 0.04})], declares={"model": "m"}
    )
    found = estimate(["a", "a", "b", "c"], rows(tmp_path), "m", None)
    assert found.dollars == pytest.approx(0.03 + 0.03 + 0.06 + 0.045)
    # Each episode of the fixture took two steps of 1.5 s.
    assert found.seconds == pytest.approx(12.0)
    assert found.cost == "about $0.1650 (as recorded in 3 past episodes)"


def test_tokens_at_the_price_table(tmp_path: Path) -> None:
    """1,000 and 3,000 tokens in, 100 and 300 out: (4000 * 2 + 400 * 10) / 1e6."""
    past(tmp_path, {"input": 1000, "output": 100}, {"input": 3000, "output": 300})
    found = estimate(["a", "b"], rows(tmp_path), "m", PRICES)
    assert found.dollars == pytest.approx(0.012)
    assert found.cost == "about $0.0120 (tokens of 2 past episodes, prices of 2026-11)"
    assert found.tokens == {"input": 4000, "cached_input": 0, "cache_write": 0, "output": 400}


@pytest.mark.parametrize(
    ("usage", "model", "prices", "why"),
    [
        ({}, "m", PRICES, "no past run of this agent and model recorded tokens"),
        ({"input": 10}, "another", PRICES, "no past run of this agent and model"),
        ({"input": 10}, "m", None, "past runs recorded tokens and no price; name a price table with --set prices=FILE"),
        ({"input": 10, "cached_input": 5}, "m", PRICES, "the price table of 2026-11 has not every price of model 'm'"),
    ],
)
def test_unknown_is_said_with_its_reason(
    tmp_path: Path, usage: dict[str, Any], model: str, prices: PriceTable | None, why: str
) -> None:
    past(tmp_path, usage, usage)
    found = estimate(["a"], rows(tmp_path, model), model, prices)
    assert (found.dollars, found.cost) == (None, f"unknown: {why}")


def test_faults_and_broken_folders_say_nothing(tmp_path: Path) -> None:
    past(tmp_path, {"calls": 1, "dollars": 0.02}, {"calls": 1, "dollars": 0.02})
    broken = Episode(task="a", ending=Ending.INFRA, why="x", passed=None, usage={"calls": 9, "dollars": 9.0})
    make_run(tmp_path / "two", TASKS[:1], [broken], declares={"model": "m"})
    (tmp_path / "three").mkdir()
    (tmp_path / "three" / "run.json").write_text("{")
    assert estimate(["a"], rows(tmp_path), "m", None).dollars == pytest.approx(0.02)
