"""Real agents with a real model: three easy tasks and two seeds each. Whether it succeeds is not asked; the rest is.

The runs stay in .llm/runs: a session that is broken off is gone on with, one that was finished is begun again. Under an
hour for all on two cores. `python -m tests.small_model.table --show` prints what came of it.
"""

import json
import shutil

import pytest

from tests.small_model.table import AGENTS, RATES, RUNS, SECONDS, SEEDS, STEPS, TASKS, Row, go, rows
from webds.files import read_lines
from webds.outcome import headline
from webds.store import read_try
from webds.types import Ending, Verdict

pytestmark = [pytest.mark.extra, pytest.mark.timeout(len(TASKS) * (SECONDS + 120))]
_CASES = [(agent, seed) for agent in AGENTS for seed in SEEDS]
_SLACK = 60
"""Seconds beyond its budget in which an episode is closed."""


@pytest.fixture(scope="module")
def fresh() -> None:
    """Where every run was finished, all are done anew."""
    if all((RUNS / f"{agent}-{seed}" / "results.json").is_file() for agent, seed in _CASES):
        shutil.rmtree(RUNS)
    RUNS.mkdir(parents=True, exist_ok=True)


@pytest.mark.parametrize(("agent", "seed"), _CASES)
def test_each_episode_ends_is_recorded_judged_and_billed(agent: str, seed: int, fresh: None, address: str):
    folder = go(agent, seed, address)
    found = list(rows(folder))
    assert {row.task for row in found} == set(TASKS)
    for row in found:
        _ended(row)
        _recorded(row)
        _judged(row)
        _billed(row)


def _ended(row: Row) -> None:
    assert row.ending in {Ending.SUBMITTED, Ending.GAVE_UP, Ending.LIMIT, Ending.AGENT_FAULT}
    assert row.steps <= STEPS
    assert row.seconds <= SECONDS + _SLACK


def _recorded(row: Row) -> None:
    steps = list(read_lines(row.folder / "trajectory.jsonl")) if row.steps else []
    assert [step["index"] for step in steps] == list(range(row.steps))
    blobs = row.folder.parents[2] / "blobs"
    assert all((blobs / name[:2] / name).is_file() for step in steps if (name := step["then"]["image"]))
    assert any(line["status"] == 200 for line in read_lines(row.folder / "requests.jsonl"))


def _judged(row: Row) -> None:
    word = headline(read_try(row.folder).verdicts)
    if row.ending == Ending.AGENT_FAULT:
        assert row.outcome == "fail"
    else:
        assert isinstance(word, Verdict)
        assert row.outcome == ("pass" if word.passed else "fail")


def _billed(row: Row) -> None:
    used = json.loads((row.folder / "evidence.json").read_text())["usage"]
    assert used["calls"] >= max(1, row.steps)
    if used.get("estimated"):  # the time was up while the model still wrote: what that costs nobody knows
        assert row.ending == Ending.LIMIT
        assert "dollars" not in used
    else:
        assert used["dollars"] == pytest.approx(sum(RATES[kind] * used.get(kind, 0) for kind in RATES) / 1e6)
