"""`webds run --track live` from the command line: local origins stand for the real web, TLS and all."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.e2e.runs import MINI, results, webds
from tests.tracks.liverig import Web, live, rows, tasks_file, tries
from webds.store import Committed
from webds.types import Ending, Json

CHALLENGE = "<title>One more step</title><h1>Are you human?</h1><div class=h-captcha></div>"


def misses(item: Committed) -> Json:
    """How often the archive had no answer."""
    counts = item.evidence.findings["requests"]
    assert isinstance(counts, Mapping)
    return counts["miss"]


def outcomes(run: Path) -> dict[str, str]:
    return {row["task"]: row["outcome"] for row in results(run)["episodes"]}


def test_live_then_frozen_then_the_gap(tmp_path: Path) -> None:
    web, run, frozen = Web(tmp_path), tmp_path / "run", tmp_path / "frozen"
    own = tasks_file(tmp_path / "own", "mini-square", "mini-mean")
    with web.origin("mini"):
        done = live(web, own, run, "--capture")
    assert done.returncode == 0, done.stderr
    assert outcomes(run) == {"mini-square": "pass", "mini-mean": "pass"}
    facts = json.loads((run / "run.json").read_text())["facts"]
    assert (facts["provider"], facts["isolation"], facts["capture"]) == ("live", "none", True)
    assert facts["layers"] == {**facts["layers"], "proxy": "on: public addresses only", "kernel": "missing"}
    item = tries(run)["mini-mean"]
    assert {"pages", "archive", "files", "requests.jsonl", "trajectory.jsonl"} <= {
        p.name for p in item.folder.iterdir()
    }
    assert any(row["url"].endswith("/scores.csv") and row["answered"] for row in rows(item))

    done = webds("run", "--archive", str(run), "--out", str(frozen))  # the origin is gone
    assert done.returncode == 0, done.stderr
    assert outcomes(frozen) == outcomes(run)
    assert {misses(item) for item in tries(frozen).values()} == {0}
    gap = webds("diff", "--tracks", str(run), str(frozen), "--json", root=None)
    assert gap.returncode == 0, gap.stderr
    assert json.loads(gap.stdout)["alike"] == 2


def test_a_block_is_blocked_tried_once_more_and_counted_both_ways(tmp_path: Path) -> None:
    web, run = Web(tmp_path), tmp_path / "run"
    own = tasks_file(tmp_path / "own", "mini-square", "mini-mean", keys=False)
    with web.origin("mini", block={"only": "/", "status": 200, "page": CHALLENGE}):
        done = live(web, own, run)
    assert done.returncode == 0, done.stderr
    assert outcomes(run) == {"mini-square": "blocked", "mini-mean": "ungraded"}  # no keys.toml beside the tasks
    evidence = tries(run)["mini-square"].evidence
    assert (evidence.ending, evidence.why) == (Ending.BLOCKED, "live site: captcha: https://mini.test/")
    assert evidence.findings["blocks"] == {"captcha": 1}
    verdict = json.loads((tries(run)["mini-mean"].folder / "verdicts" / "tier1.json").read_text())
    assert (verdict["kind"], verdict["blame"]) == ("ungraded", "key")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--track", "live"), "--track live: wanted --tasks FILE, a tasks.toml of your own"),
        (("--track", "live", "--tasks", "nowhere.toml"), "nowhere.toml: cannot be read"),
        (("--capture",), "--capture: goes with --track live, not with dockerized"),
        (("--archive", str(MINI)), "no run here"),
        (("--track", "live", "--archive", str(MINI)), "--archive RUN: runs RUN's own tasks frozen"),
    ],
)
def test_what_does_not_go_together_is_one_line(words: tuple[str, ...], said: str) -> None:
    done = webds("run", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
