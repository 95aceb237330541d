"""`webds run --track live` from the command line: local origins stand for the real web, TLS and all."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.e2e.runs import MINI, results, webds
from tests.tracks.liverig import Web, live, origins, rows, tasks_file, tries
from webds.store import Committed, RunFolder
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
    assert len(RunFolder.view(run).tries("mini-square", 0)) == 2
    assert "graded:  no episode" in done.stderr or "graded:  0 of 0" in done.stderr, done.stderr
    assert "planned: 0 of 2" in done.stderr
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


DRIFTS, BLOCKS, SLOW, VANISHES = (
    "contagion-ledger-massachusetts-polio",
    "matchday-archive-impossible-date",
    "air-and-ice-lowest-sample-age",
    "fever-line-list-reporting-delay",
)
FORMULA = {"old": "cases reported × 52 ÷", "new": "cases reported × 53 ÷"}
REFUSAL = {"from": 3, "status": 403, "page": CHALLENGE, "headers": {"cf-mitigated": "challenge"}}


@pytest.mark.long
def test_four_origins_one_drifts_one_blocks_one_is_slow_one_vanishes(tmp_path: Path) -> None:
    web, day_one, day_two, frozen = Web(tmp_path), tmp_path / "one", tmp_path / "two", tmp_path / "frozen"
    own = tasks_file(tmp_path / "own", DRIFTS, BLOCKS, SLOW, VANISHES, root=ROOT)
    words = ("--concurrency", "2")
    with origins(web, ROOT, contagion_ledger={}, matchday_archive={}, air_and_ice={}, fever_line_list={}):
        done = live(web, own, day_one, "--capture", *words, root=ROOT)
    assert done.returncode == 0, done.stderr
    assert set(outcomes(day_one).values()) == {"pass"}

    bad: dict[str, dict[str, Any]] = {
        "contagion_ledger": {"drift": FORMULA},
        "matchday_archive": {"block": REFUSAL},
        "air_and_ice": {"slow": 2},
        "fever_line_list": {"vanish": 1},
    }
    with origins(web, ROOT, **bad):
        done = live(web, own, day_two, *words, root=ROOT)
    assert done.returncode == 0, done.stderr
    print(done.stderr)
    assert outcomes(day_two) == {DRIFTS: "fail", BLOCKS: "blocked", SLOW: "pass", VANISHES: "blocked"}
    first = RunFolder.view(day_two).tries(VANISHES, 0)[0].evidence
    assert first.steps > 0  # it had let the browser in
    why = {task: item.evidence.why for task, item in tries(day_two).items()}
    assert why[BLOCKS].startswith("live site: cloudflare: https://matchday-archive.test/")
    assert why[VANISHES].startswith("live site: unreachable: https://fever-line-list.test/")
    assert {len(RunFolder.view(day_two).tries(task, 0)) for task in (BLOCKS, VANISHES)} == {2}  # one more try each

    done = webds("run", "--archive", str(day_one), "--out", str(frozen), root=ROOT)
    assert done.returncode == 0, done.stderr
    assert set(outcomes(frozen).values()) == {"pass"}
    gap = webds("diff", "--tracks", str(day_two), str(frozen), root=None)
    print(gap.stdout)
    assert "frozen less live: +50 points" in gap.stdout
    assert f"better: {DRIFTS}" in gap.stdout.replace("\n", " ")
