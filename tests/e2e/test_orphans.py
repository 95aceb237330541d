"""A run killed with -9 while an agent's code runs: what its sandbox leaves is taken away by the next run."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.e2e.chaos import mounts
from tests.e2e.runs import MINI, environment, results
from webds import jail, jail_groups

SLEEP = """
from webds.agents.hand import Hand
from webds.ports import Session


async def solve(session: Session) -> None:
    hand = Hand(session)
    await hand.look()
    await hand.python("open('begun', 'w').close()\\nimport time\\ntime.sleep(600)")
"""


def groups(runner: int) -> set[Path]:
    """Control groups of the jails, with something in them, of one run: their names bear the workers' numbers."""
    places = {place.folder for place in jail_groups.places()[0].values()}
    workers = [child.pid for child in psutil.Process(runner).children(recursive=True)]
    found = {folder for place in places for pid in workers for folder in place.glob(f"{jail_groups.PREFIX}{pid}-*")}
    return {folder for folder in found if (folder / "cgroup.procs").read_text().strip()}


@pytest.mark.long
@pytest.mark.skipif(jail.mechanism() == "none", reason=f"no sandbox here: {jail.mechanism_reason()}")
@pytest.mark.skipif(not jail_groups.places()[0], reason=f"no control groups: {jail_groups.places()[1]}")
def test_what_a_killed_sandbox_leaves_is_swept(tmp_path: Path) -> None:
    root, run = tmp_path / "root", tmp_path / "run"
    shutil.copytree(MINI, root)
    solution = root / "tasks_public" / "mini" / "solutions" / "mini_square.py"
    right = solution.read_text()
    solution.write_text(SLEEP)
    words = [sys.executable, "-m", "webds", "run", "--root", str(root)]
    more = ["--agent", "scripted", "--tasks", "mini-square", "--out", str(run)]
    with subprocess.Popen([*words, *more], stderr=subprocess.PIPE, text=True, env=environment()) as process:
        end = time.monotonic() + 60
        while not (left := groups(process.pid)):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end
            time.sleep(0.1)
        os.kill(process.pid, signal.SIGKILL)
    assert any(folder.exists() for folder in left), "nothing to sweep: this test proves nothing"
    solution.write_text(right)
    done = subprocess.run(
        [*words, "--resume", str(run)], capture_output=True, text=True, env=environment(), timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert not any(folder.exists() for folder in left)
    for folder in left:
        assert f"removed control group {folder}, left by a run that was killed" in done.stderr.replace("\n", "")
    assert not mounts(tmp_path)
    assert results(run)["episodes"][0]["outcome"] == "pass"
