"""Engine `ray` against the local engine: the same sixty episodes, one actor killed half way, and a run that goes on."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.e2e.runs import MINI, environment, results, webds

pytestmark = pytest.mark.extra
TASKS = ("--tasks", "mini-square,mini-mean", "--repeat", "30", "--concurrency", "2")


@pytest.fixture(autouse=True)
def _ray() -> None:
    pytest.importorskip("ray", reason="ray is not installed (extra webds[ray])")


def start(out: Path, *more: str) -> "subprocess.Popen[str]":
    words = [sys.executable, "-m", "webds", "run", "--root", str(MINI), "--agent", "oracle", "--engine", "ray",
             "--out", str(out), *TASKS, *more]  # fmt: skip
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())


def committed(run: Path) -> int:
    return len(list(run.glob("episodes/*/try-*/evidence.json")))


def actors(runner: int) -> list[psutil.Process]:
    """The actors' processes of the cluster that this run started."""
    found = psutil.Process(runner).children(recursive=True)
    return [process for process in found if process.name().startswith("ray::Slot")]


def compared(run: Path) -> list[dict[str, Any]]:
    """What is told of each episode, but for its tries, which a killed actor adds to."""
    rows = results(run)["episodes"]
    kept = ("task", "repeat", "outcome", "ending", "steps", "answer", "parts", "stars", "chain", "digests")
    return [{name: row[name] for name in kept if name in row} for row in rows]


def wait(process: "subprocess.Popen[str]", run: Path, episodes: int) -> None:
    end = time.monotonic() + 300
    while committed(run) < episodes:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.2)


@pytest.mark.timeout(1200)
def test_ray_equals_local_with_an_actor_killed_half_way(tmp_path: Path) -> None:
    local = webds("run", "--agent", "oracle", "--out", str(tmp_path / "local"), *TASKS)
    assert local.returncode == 0, local.stderr
    run = tmp_path / "ray"
    with start(run) as process:
        wait(process, run, 25)
        victim = actors(process.pid)[0]
        workers = victim.children(recursive=True)
        victim.kill()
        out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    assert compared(run) == compared(tmp_path / "local")
    assert len(compared(run)) == 60
    assert {row["outcome"] for row in compared(run)} == {"pass"}
    lost = [json.loads(path.read_text()) for path in run.glob("episodes/*/try-*/evidence.json")]
    assert sum(row["ending"] == "infra" for row in lost) <= 1
    assert not [worker for worker in workers if worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE]
    print(f"60 episodes, {len(lost)} tries, 1 actor killed: {out.splitlines()[-1]}")


@pytest.mark.timeout(900)
def test_a_killed_run_goes_on_and_the_cluster_goes_with_it(tmp_path: Path) -> None:
    run = tmp_path / "ray"
    with start(run) as process:
        wait(process, run, 5)
        left = psutil.Process(process.pid).children(recursive=True)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        before = {path: path.read_bytes() for path in run.glob("episodes/*/try-*/evidence.json")}
    done = webds("run", "--resume", str(run), "--engine", "local")
    assert done.returncode == 0, done.stderr
    alive = [one.name() for one in left if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
    assert not alive
    assert all(path.read_bytes() == data for path, data in before.items())
    assert len(compared(run)) == 60


@pytest.mark.parametrize("address", ["auto", "127.0.0.1:9", "127.0.0.1:none"])
def test_no_cluster_at_an_address_is_bad_input(tmp_path: Path, address: str) -> None:
    done = webds("run", "--agent", "oracle", "--engine", "ray", "--address", address, "--out", str(tmp_path / "r"))
    assert done.returncode == 2
    assert "no Ray cluster there" in done.stderr
    assert "Traceback" not in done.stderr
