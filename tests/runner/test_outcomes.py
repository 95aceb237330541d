"""The outcome table of design.md 6, each row by a run of the real command line on the toy suite."""

from pathlib import Path

import pytest

from tests.runner.toys import Toys
from webds.standing import BROKEN, UNANSWERED, WRECKED
from webds.store import RunFolder


def test_each_row_of_the_table(tmp_path: Path) -> None:
    tasks = {
        "toy-ok": {},
        "toy-wrong": {},
        "toy-limit": {"steps": 2},
        "toy-fault": {},
        "toy-once": {},
        "toy-dies": {},
        "toy-wrecks": {},
        "toy-last": {},
    }
    script = {
        "toy-wrong": ["ok:4"],
        "toy-limit": ["steps:5"],
        "toy-fault": ["fault"],
        "toy-once": ["infra", "infra", "ok"],
        "toy-dies": ["die", "ok"],
        "toy-wrecks": ["infra"],
    }
    toys = Toys(tmp_path, tasks)
    done = toys.go(script)
    assert done.returncode == 0, done.stderr
    assert toys.outcomes() == {
        "toy-ok": "pass",
        "toy-wrong": "fail",
        "toy-limit": "fail",
        "toy-fault": "fail",
        "toy-once": "pass",
        "toy-dies": "pass",
        "toy-wrecks": "fail",
        "toy-last": "pass",
    }
    assert toys.flags() == {"toy-wrecks": [WRECKED]}
    run = RunFolder.view(toys.run)
    assert {task: len(run.tries(task, 0)) for task in tasks if len(run.tries(task, 0)) > 1} == {
        "toy-once": 3,
        "toy-dies": 2,
        "toy-wrecks": 3,
    }
    assert WRECKED in (toys.run / "report.html").read_text()
    before = (toys.run / "log.jsonl").read_text()
    assert toys.resume().returncode == 0
    assert (toys.run / "log.jsonl").read_text() == before, "what is final was run again"


def test_when_everything_breaks_the_machine_is_broken(tmp_path: Path) -> None:
    toys = Toys(tmp_path, 3)
    assert toys.go({f"toy-{n}": ["infra"] for n in (2, 3)}).returncode == 0
    assert toys.outcomes() == {"toy-1": "pass", "toy-2": "ungraded", "toy-3": "ungraded"}
    assert {flag for flags in toys.flags().values() for flag in flags} == {BROKEN}


def test_an_endpoint_that_comes_back_costs_no_try(tmp_path: Path) -> None:
    toys = Toys(tmp_path, 2)
    assert toys.go({"toy-1": ["endpoint", "endpoint", "infra", "infra", "ok"]}, "--endpoint-wait", "60").returncode == 0
    assert toys.outcomes() == {"toy-1": "pass", "toy-2": "pass"}
    assert [event.get("blame") for event in toys.events("commit")][:3] == ["endpoint", "endpoint", None]


@pytest.mark.long
def test_an_endpoint_that_stays_down_leaves_it_ungraded_and_resume_tries_again(tmp_path: Path) -> None:
    toys = Toys(tmp_path, 2)
    back = tmp_path / "back"
    done = toys.go({f"toy-{n}": [f"until:{back}"] for n in (1, 2)}, "--endpoint-wait", "2")
    assert done.returncode == 0, done.stderr
    assert toys.outcomes() == {"toy-1": "ungraded", "toy-2": "ungraded"}
    assert toys.flags()["toy-1"] == [UNANSWERED]
    back.touch()
    assert toys.resume().returncode == 0
    assert toys.outcomes() == {"toy-1": "pass", "toy-2": "pass"}


def test_an_agent_that_hangs_or_will_not_stop_ends_within_its_time(tmp_path: Path) -> None:
    """T13 without a browser: the time is up, whatever the agent does."""
    toys = Toys(tmp_path, {"toy-hang": {"seconds": 1}, "toy-stubborn": {"seconds": 1}, "toy-after": {}})
    assert toys.go({"toy-hang": ["hang"], "toy-stubborn": ["stubborn"]}).returncode == 0
    assert toys.outcomes() == {"toy-hang": "fail", "toy-stubborn": "fail", "toy-after": "pass"}
    endings = {item.evidence.task: str(item.evidence.ending) for item in RunFolder.view(toys.run).committed()}
    assert endings == {"toy-hang": "limit", "toy-stubborn": "limit", "toy-after": "submitted"}
