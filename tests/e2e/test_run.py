"""The main job on the fixture site: run, record, judge, report, resume."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.runs import MINI, environment, log, results, webds
from webds.store import RunFolder


def outcomes(run: Path) -> dict[str, str]:
    return {row["task"]: row["outcome"] for row in results(run)["episodes"]}


def test_scripted_passes_and_the_report_is_the_last_line(tmp_path: Path) -> None:
    run = tmp_path / "run"
    done = webds("run", "--agent", "scripted", "--out", str(run))
    assert done.returncode == 0, done.stderr
    last = done.stdout.strip().splitlines()[-1]
    assert last == f"report: {run / 'report.html'}"
    assert (run / "report.html").stat().st_size < 2_000_000
    assert outcomes(run) == {"mini-square": "pass", "mini-mean": "pass", "mini-hostile": "pass"}
    head = json.loads((run / "run.json").read_text())
    assert head["key_given"] is False
    assert head["facts"]["sandbox"] in ("bubblewrap", "unshare", "none")
    for item in RunFolder.view(run).committed():
        assert (item.folder / "requests.jsonl").stat().st_size > 0
        assert item.evidence.digests["trajectory"]


def test_oracle_passes_and_says_that_it_had_the_key(tmp_path: Path) -> None:
    run = tmp_path / "run"
    done = webds("run", "--agent", "oracle", "--out", str(run), "--json")
    assert done.returncode == 0, done.stderr
    assert set(outcomes(run).values()) == {"pass"}
    assert json.loads((run / "run.json").read_text())["key_given"] is True
    assert json.loads(done.stdout)["agent"] == "oracle"


def test_nop_passes_nothing(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert webds("run", "--agent", "nop", "--out", str(run), "--concurrency", "2").returncode == 0
    assert set(outcomes(run).values()) == {"fail"}


def test_no_answer_is_in_what_a_run_writes_before_the_judge(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert webds("run", "--agent", "nop", "--tasks", "mini-square", "--out", str(run)).returncode == 0
    for file in run.rglob("*"):
        if file.is_file() and "verdicts" not in file.parts and file.suffix in (".json", ".jsonl", ".log"):
            assert '"reference"' not in file.read_text(errors="replace"), file


def test_replay_repeats_a_run(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert webds("run", "--agent", "scripted", "--tasks", "mini-square", "--out", str(first)).returncode == 0
    words = ["--agent", "replay", "--set", f'agents.replay.run="{first}"', "--tasks", "mini-square"]
    assert webds("run", *words, "--out", str(second)).returncode == 0
    assert outcomes(second) == {"mini-square": "pass"}
    chains = [next(RunFolder.view(run).committed()).evidence.digests["trajectory"] for run in (first, second)]
    assert chains[0] == chains[1]


def test_ctrl_c_keeps_what_is_finished_and_resume_goes_on(tmp_path: Path) -> None:
    run = tmp_path / "run"
    command = [sys.executable, "-m", "webds", "run", "--root", str(MINI), "--agent", "scripted", "--repeat", "4"]
    with subprocess.Popen([*command, "--out", str(run)], env=environment(), stderr=subprocess.PIPE, text=True) as going:
        end = time.monotonic() + 60
        while time.monotonic() < end and not (
            (run / "log.jsonl").exists() and "commit" in (run / "log.jsonl").read_text()
        ):
            time.sleep(0.02)
        going.send_signal(signal.SIGINT)
        _, said = going.communicate(timeout=60)
    assert going.returncode == 130
    assert f"--resume {run}" in said.replace("\n", "")
    assert "Traceback" not in said
    kept = {item.key for item in RunFolder.view(run).committed()}
    assert kept
    assert len(kept) < 12
    done = webds("run", "--resume", str(run))
    assert done.returncode == 0, done.stderr
    assert len(results(run)["episodes"]) == 12
    assert {row["outcome"] for row in results(run)["episodes"]} == {"pass"}
    starts = [(e["task"], e["repeat"]) for e in log(run) if e["event"] == "start"]
    assert all(starts.count(key) == 1 for key in kept)


def test_judging_again_gives_the_same_verdicts(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert webds("run", "--agent", "scripted", "--out", str(run)).returncode == 0
    before = results(run)
    shutil.rmtree(next(RunFolder.view(run).committed()).folder / "verdicts")
    assert webds("judge", "run", str(run)).returncode == 0
    assert results(run) == before


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="needs root to make a small disk")
def test_full_disk_is_one_line_and_loses_nothing(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    script = (
        f"mount -t tmpfs -o size=400k tmpfs {disk} && "
        f"{sys.executable} -m webds run --root {MINI} --agent scripted --repeat 9 --out {disk}/run; code=$?; "
        f"cp -r {disk}/run {tmp_path}/kept; exit $code"
    )
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, env=environment())
    assert done.returncode == 3, done.stderr
    assert "No space left on device" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    done = webds("run", "--resume", str(tmp_path / "kept"))
    assert done.returncode == 0, done.stderr
    assert {row["outcome"] for row in results(tmp_path / "kept")["episodes"]} == {"pass"}
