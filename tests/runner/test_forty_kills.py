"""T12: kill -9 after each of forty steps; scores, steps, tokens, dollars and the number of runs stay what they were."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.runs import results
from tests.e2e.test_kill import once
from tests.runner.toys import Toys

STEPS = 20
TASKS = ("toy-1", "toy-2")


def ledger(toys: Toys) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((toys.run / "ledger.json").read_text())
    return found


@pytest.mark.long
@pytest.mark.timeout(900)
def test_forty_kills_cost_what_they_cost_and_change_nothing(tmp_path: Path) -> None:
    for name in ("calm", "killed"):
        (tmp_path / name).mkdir()
    calm, killed = Toys(tmp_path / "calm", len(TASKS)), Toys(tmp_path / "killed", len(TASKS))
    assert calm.go({task: [f"counting:{STEPS}:calm"] for task in TASKS}).returncode == 0
    kills = 0
    done = killed.go({task: [f"counting:{STEPS}"] for task in TASKS})
    while done.returncode == -9:
        kills += 1
        done = killed.resume()
    assert done.returncode == 0, done.stderr
    assert kills == STEPS * len(TASKS)
    assert results(killed.run)["episodes"] == results(calm.run)["episodes"]
    once(killed.run)
    ours, theirs = ledger(killed), ledger(calm)
    assert ours["usage"]["counted"] == theirs["usage"]["counted"]
    assert ours["usage"]["counted"]["calls"] == STEPS * len(TASKS)
    lost = sum(range(1, STEPS + 1)) * len(TASKS)
    assert ours["usage"]["lost"]["calls"] == lost
    assert ours["usage"]["total"]["dollars"] == pytest.approx(0.25 * (lost + STEPS * len(TASKS)))
    assert (ours["cut_off"], theirs["cut_off"]) == (kills, 0)
    assert list(killed.temporary.iterdir()) == []
    print(f"{kills} kills, {lost} calls paid in tries that were cut off, {ours['usage']['total']}")
