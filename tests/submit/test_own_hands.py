"""Runs of agents with hands of their own: what they report in our schema is replayed, what they do not is named."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.agents import bu_player
from tests.conftest import ROOT
from tests.e2e.runs import webds
from tests.models.endpoint import serving
from tests.submit.arena import TEAM, Board, Mini, detail, said
from webds.store import RunFolder, read_lines
from webds.submit.pack import pack

pytestmark = pytest.mark.long


def hands(mini: Mini, folder: Path, sneak: str) -> Path:
    """The bundle of a run by the example with CDP."""
    agent = folder / "agent"
    agent.mkdir()
    (agent / "agent.py").write_text((ROOT / "tests" / "agents" / "hands_agent.py").read_text())
    table = {"command": ["python", "{agent}/agent.py"], "folder": str(agent), "cdp": True}
    sets = [f"agents.external.{name}={json.dumps(value)}" for name, value in table.items()]
    sets.append(f'agents.external.env={{SNEAK = "{sneak}"}}')
    words = [word for item in sets for word in ("--set", item)]
    return mini.pack(mini.run("--tasks", "mini-square", *words, agent="external"))


def test_reported_acts_by_element_and_by_point_are_replayed(tmp_path: Path) -> None:
    mini = Mini(tmp_path)
    path = hands(mini, tmp_path, "0")
    [item] = RunFolder.view(tmp_path / "run1").committed()
    steps = list(read_lines(item.folder / "trajectory.jsonl"))
    assert [(step["did"]["name"], step["by"]) for step in steps] == [
        ("click", "agent"), ("scroll", "agent"), ("click", "agent"), ("python", "session"), ("submit", "session"),
    ]  # fmt: skip
    assert [sorted(step["did"]["args"]) for step in steps[:3]] == [["id"], ["direction"], ["x", "y"]]
    row = mini.score(path)
    assert (row["state"], row["level"], said(row, "steps")) == ("scored", "replayed", []), row
    assert detail(row) == {"mini-square": ["fail"]}  # its answer is the number of lines


MOVES: dict[str, list[bu_player.Move]] = {
    "square of 12": [
        lambda page: {"input": {"index": bu_player.index(page, "name=q"), "text": "seven", "clear": True}},
        bu_player.click("Go"),
        bu_player.fixed(go_back={}),
        bu_player.click("Table"),
        lambda page: {"select_dropdown": {"index": bu_player.index(page, "<select"), "text": "blue"}},
        bu_player.fixed(scroll={"down": False, "pages": 1.0}),
        bu_player.click("Scores as CSV"),
        bu_player.fixed(python={"text": "print(12 * 12)"}),
        bu_player.done("144"),
    ]
}


def test_a_run_of_browser_use_is_replayed(tmp_path: Path) -> None:
    mini, seen = Mini(tmp_path), list[str]()
    with serving([bu_player.player(seen, MOVES)]) as endpoint:
        sets = ("model=m", f"base_url={endpoint.url}")
        words = [word for item in sets for word in ("--set", f"agents.browser-use.{item}")]
        run = mini.run("--tasks", "mini-square", *words, agent="browser-use")
    [item] = RunFolder.view(run).committed()
    steps = list(read_lines(item.folder / "trajectory.jsonl"))
    names = [(step["did"]["name"], step["by"]) for step in steps]
    assert names[-2:] == [("python", "session"), ("submit", "session")], (names, seen[-1:])
    assert {by for _, by in names[:-2]} == {"agent"}
    row = mini.score(mini.pack(run))
    assert (row["state"], row["level"], said(row, "steps")) == ("scored", "replayed", []), row
    assert detail(row) == {"mini-square": ["pass"]}


def typed(field: str, text: str) -> bu_player.Move:
    return lambda page: {"input": {"index": bu_player.index(page, field), "text": text, "clear": True}}


def nested(text: str) -> bu_player.Move:
    """A click on what holds the text, however deep it lies."""

    def move(page: str) -> dict[str, Any]:
        found = re.search(rf"\[(\d+)\]<\w+[^>\n]*/>\s+{text}", page)
        assert found, f"no {text!r} in {page}"
        return {"click": {"index": int(found[1])}}

    return move


POST: dict[str, list[bu_player.Move]] = {
    "Mean seven-day audience": [
        bu_player.click("Fine, close"),
        bu_player.click("Log in"),
        typed("name=name", "sieve_and_see"),
        typed("type=password", "treacle-tart-92"),
        bu_player.fixed(send_keys={"keys": "Enter"}),
        bu_player.fixed(navigate={"url": "https://tent-watch.test/forum/boards/ratings-room"}),
        nested("Mean seven-day audience"),
        nested("Reply to post 1"),
        typed("<textarea", "12.50"),
        nested("Post reply"),
        bu_player.done("done"),
    ]
}


def test_a_post_by_browser_use_is_made_again_under_the_form_s_new_token(tmp_path: Path) -> None:
    """The server judges the forum that its own replay leaves; the post was a wrong one."""
    board, out, seen = Board(tmp_path, ROOT), tmp_path / "run", list[str]()
    with serving([bu_player.player(seen, POST)]) as endpoint:
        sets = ("model=m", f"base_url={endpoint.url}")
        words = [word for item in sets for word in ("--set", f"agents.browser-use.{item}")]
        given = ("--agent", "browser-use", "--tasks", "tent-watch-overview-mean", "--out", str(out))
        done = webds("run", *given, *words, root=ROOT)
    assert done.returncode == 0, done.stderr
    [item] = RunFolder.view(out).committed()
    assert item.evidence.ending == "submitted", seen[-1:]
    assert '"12.50"' in (item.folder / "trajectory.jsonl").read_text()
    pack(out, TEAM, tmp_path / "b.zip")
    row = board.score(tmp_path / "b.zip")
    assert (row["state"], row["level"], said(row, "steps")) == ("scored", "replayed", []), row
    assert detail(row) == {"tent-watch-overview-mean": ["fail"]}
    assert said(row, "reservation")


def test_an_unreported_change_stays_reported_and_names_its_step(tmp_path: Path) -> None:
    mini = Mini(tmp_path)
    row = mini.score(hands(mini, tmp_path, "1"))
    assert (row["state"], row["level"]) == ("scored", "reported"), row
    assert said(row, "steps") == ["mini-square: step 1: what wait led to is not what the site shows"]
