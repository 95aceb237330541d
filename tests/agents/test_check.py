"""`webds agents`: the list, and the self-test of agents that need no model."""

import json
from pathlib import Path

import pytest

from tests.e2e.runs import webds
from webds.agents.selftest import examine
from webds.store import RunFolder


def test_the_list_names_every_agent() -> None:
    done = webds("agents", "list", "--json", root=None)
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows.keys() >= {"llm", "nop", "oracle", "random", "replay", "scripted"}
    assert rows["random"]["from"] == "webds"
    assert all(row["about"] for row in rows.values())


def test_scripted_passes(tmp_path: Path) -> None:
    done = webds("agents", "check", "scripted", "--solve", "--out", str(tmp_path / "run"), "--json", root=None)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [(row["task"], row["solved"], row["wrong"]) for row in rows] == [
        (task, True, []) for task in ("check-read", "check-form", "check-file")
    ]
    run = RunFolder.view(tmp_path / "run")
    [item] = run.tries("check-read", 0)
    with (item.folder / "trajectory.jsonl").open("a") as file:
        file.write("{}\n")  # a step that nobody recorded
    assert "does not follow" in examine(item).wrong[0]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("agents.random.seed=true", "agents.random: field seed: True; wanted a whole number from 0"),
        ("agents.random.steps=-1", "agents.random: field steps: -1; wanted a whole number from 0"),
    ],
)
def test_bad_settings_are_one_line(word: str, said: str) -> None:
    done = webds("agents", "check", "random", "--set", word, root=None)
    assert (done.returncode, done.stderr) == (2, f"webds: {said}\n")


def test_an_unknown_agent_lists_the_known() -> None:
    done = webds("agents", "check", "rendom", root=None)
    assert done.returncode == 2
    assert "known: " in done.stderr
    assert "random" in done.stderr


@pytest.mark.long
def test_random_does_the_same_again_and_solves_nothing(tmp_path: Path) -> None:
    kept = []
    for name in ("a", "b"):
        done = webds("agents", "check", "random", "--out", str(tmp_path / name), "--json", root=None)
        assert done.returncode == 0, done.stderr
        assert not any(row["solved"] for row in json.loads(done.stdout))
        kept.append([item.evidence.digests["trajectory"] for item in RunFolder.view(tmp_path / name).committed()])
    assert kept[0] == kept[1]


@pytest.mark.long
def test_an_agent_that_breaks_fails_the_check(tmp_path: Path) -> None:
    done = webds("agents", "check", "replay", "--set", f"agents.replay.run={tmp_path}", "--json", root=None)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
