"""A run told what to do from another shell, and stopped in every way: real processes, nothing left behind."""

import json
import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from tests.runner.toys import Toys, eventually
from webds.scratch import PREFIX, processes
from webds.standing import REQUEUED


def status(toys: Toys) -> dict[str, object]:
    done = toys.webds("status", str(toys.run), "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def tree(pid: int) -> list[psutil.Process]:
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def spent(pid: int) -> float:
    times = [process.cpu_times() for process in tree(pid)]
    return float(sum(each.user + each.system for each in times))


def test_a_paused_run_sleeps_and_goes_on(tmp_path: Path) -> None:
    toys, gate = Toys(tmp_path, 3), tmp_path / "gate"
    with toys.start({"toy-1": [f"gate:{gate}"]}) as going:
        eventually(lambda: toys.began("toy-1", 1))
        assert status(toys)["running"]
        assert toys.webds("pause", str(toys.run)).returncode == 0
        assert not toys.events("commit")
        gate.touch()
        eventually(lambda: status(toys)["state"] == "paused")
        assert [event["task"] for event in toys.events("commit")] == ["toy-1"], "the running episode was not let finish"
        assert not [p for p in tree(going.pid) if "webds.worker" in p.cmdline()], "a paused run keeps no worker"
        eventually(lambda: len(toys.events("verdict")) == 1)
        before = spent(going.pid)
        time.sleep(3)
        assert spent(going.pid) - before <= 0.06, "a paused run uses the processor"
        assert len(toys.events("start")) == 1
        assert toys.webds("unpause", str(toys.run)).returncode == 0
        _, err = going.communicate(timeout=60)
    assert going.returncode == 0, err
    assert set(toys.outcomes().values()) == {"pass"}
    assert status(toys)["state"] == "finished"
    refused = toys.webds("pause", str(toys.run))
    assert refused.returncode == 2
    assert "finished: no runner works on it" in refused.stderr


@pytest.mark.parametrize("how", ["cancel", pytest.param("SIGTERM", marks=pytest.mark.long), "kill"])
def test_stopped_in_the_middle_of_an_episode(tmp_path: Path, how: str) -> None:
    toys = Toys(tmp_path, 3)
    with toys.start({"toy-2": ["hang", "ok"]}) as going:
        eventually(lambda: toys.began("toy-2", 1))
        if how == "cancel":
            assert toys.webds("cancel", str(toys.run)).returncode == 0
        else:
            os.kill(going.pid, signal.SIGTERM if how == "SIGTERM" else signal.SIGKILL)
        _, err = going.communicate(timeout=60)
    assert going.returncode == {"cancel": 130, "SIGTERM": 143, "kill": -9}[how]
    assert "Traceback" not in err
    left = list(toys.temporary.glob(f"{PREFIX}*"))
    assert len(left) == (1 if how == "kill" else 0)
    assert status(toys)["state"] == ("killed" if how == "kill" else "stopped")
    done = toys.resume()
    assert done.returncode == 0, done.stderr
    if how == "kill":
        assert f"removed {left[0]}" in done.stderr.replace("\n", "")
    assert list(toys.temporary.iterdir()) == []
    assert processes(toys.temporary) == []
    assert set(toys.outcomes().values()) == {"pass"}
    assert [event["task"] for event in toys.events("commit")] == ["toy-1", "toy-2", "toy-3"]


def test_requeued_while_it_runs_and_afterwards(tmp_path: Path) -> None:
    toys, gate = Toys(tmp_path, 2), tmp_path / "gate"
    script = {"toy-1": ["ok:4", "ok:5", "ok"], "toy-2": [f"gate:{gate}"]}
    with toys.start(script) as going:
        eventually(lambda: toys.began("toy-2", 1))
        assert toys.webds("requeue", str(toys.run), "toy-1").returncode == 0
        gate.touch()
        going.communicate(timeout=60)
    assert toys.outcomes() == {"toy-1": "fail", "toy-2": "pass"}
    assert len(toys.events("commit")) == 3
    done = toys.webds("requeue", str(toys.run), "--outcome", "fail")
    assert "1 episode requeued; they run with" in done.stdout
    assert status(toys)["requeues"] == 1
    assert toys.resume().returncode == 0
    assert toys.outcomes() == {"toy-1": "pass", "toy-2": "pass"}
    assert toys.flags() == {"toy-1": [REQUEUED]}
    assert len(toys.events("commit")) == 4
    assert toys.resume().returncode == 0
    assert len(toys.events("commit")) == 4, "a request was carried out twice"
    for words, said in ((["nothing"], "no episode 'nothing'"), ([], "name an EPISODE"), (["--outcome", "x"], "known:")):
        wrong = toys.webds("requeue", str(toys.run), *words)
        assert (wrong.returncode, said in wrong.stderr) == (2, True), wrong.stderr
