"""The runner killed with -9 at seeded random moments loses nothing, repeats nothing, changes no score."""

import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.runs import KILL, MINI, environment, log, results

SEED = 20261130
KILLS = 10
WORDS = ["--agent", "scripted", "--tasks", "mini-square,mini-mean,mini-hostile", "--repeat", "5"]


def start(words: list[str], kill: str = "") -> int:
    """Run to its end or its death; the exit code (negative: the signal)."""
    env = environment(PYTHONPATH=str(KILL), WEBDS_TEST_KILL=kill)
    command = [sys.executable, "-m", "webds", "run", "--root", str(MINI), *words]
    return subprocess.run(command, env=env, capture_output=True, timeout=300).returncode


def processes(run: Path) -> list[str]:
    """Command lines of living processes that belong to this run."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().decode(errors="replace").replace("\0", " ")
        except OSError:
            continue
        if str(run) in words or ("webds.worker" in words and str(run.parent) in _folder(file.parent)):
            found.append(words)
    return found


def _folder(process: Path) -> str:
    try:
        return str((process / "cwd").resolve())
    except OSError:
        return ""


def gone(run: Path) -> bool:
    """Wait until nothing of the killed run lives (the kernel kills children with their parent)."""
    end = time.monotonic() + 20
    while processes(run) and time.monotonic() < end:
        time.sleep(0.05)
    return not processes(run)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_ten_kills_change_nothing(tmp_path: Path) -> None:
    calm, run = tmp_path / "calm", tmp_path / "killed"
    assert start([*WORDS, "--out", str(calm)]) == 0
    chance = random.Random(SEED)
    kills: list[str] = []
    words = [*WORDS, "--out", str(run)]
    while len(kills) < KILLS:
        role = chance.choice(["worker", "runner"])
        kill = f"{role}:{chance.randint(1, 40 if role == 'worker' else 14)}:{chance.choice(['before', 'after'])}"
        code = start(words, kill)
        if code == 0:
            break
        assert code == -9, kill
        assert gone(run), processes(run)
        kills.append(kill)
        if (run / "run.json").exists():
            words = ["--resume", str(run)]
        else:
            shutil.rmtree(run, ignore_errors=True)
    assert start(words) == 0
    print(f"killed at {kills}")
    assert len(kills) >= KILLS
    assert results(run) == results(calm)
    once(run)


def once(run: Path) -> None:
    """No episode starts after its commit, and each has exactly one committed try."""
    committed = set()
    for event in log(run):
        key = (event.get("task"), event.get("repeat"))
        if event["event"] == "start":
            assert key not in committed
        if event["event"] == "commit":
            committed.add(key)
    for episode in (run / "episodes").iterdir():
        assert len(list(episode.glob("try-*/evidence.json"))) == 1, episode
