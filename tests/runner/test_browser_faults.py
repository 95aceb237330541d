"""T13, and a browser or proxy that dies under the agent: each ends in time, as what it is, and leaves nothing."""

import asyncio
import contextlib
import os
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.e2e.runs import results, webds
from tests.envs import opened
from tests.runner.test_order import MEMBERS
from webds.config import find_chromium
from webds.episode import Spec, run
from webds.ports import Session
from webds.scratch import processes
from webds.standing import WRECKED
from webds.store import RunFolder
from webds.suites.web import Web
from webds.tracks.world import ProcessWorld
from webds.types import Action, Budget, Ending, Evidence, Task

type Solve = Callable[[Session], Coroutine[Any, Any, None]]
ACT = 6.0
"""Seconds for one act in these tests."""


class Agent:
    def __init__(self, solve: Solve) -> None:
        self.solve = solve


def below(word: str) -> list[psutil.Process]:
    """Processes below this one whose command line has the word."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if any(word in part for part in process.cmdline()):
                found.append(process)
    return found


def to_chromium(number: signal.Signals) -> None:
    hit = below("/chromium")
    assert hit
    for process in hit:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, number)


async def stopped(session: Session) -> None:
    to_chromium(signal.SIGSTOP)
    await session.observe()


async def stopped_and_waited_for(session: Session) -> None:
    to_chromium(signal.SIGSTOP)
    with contextlib.suppress(Exception):
        await session.act(Action(name="goto", args={"url": "https://pages.test/home"}))
    await asyncio.Event().wait()


async def killed(session: Session) -> None:
    to_chromium(signal.SIGKILL)
    await session.act(Action(name="goto", args={"url": "https://pages.test/home"}))


async def never_settles(session: Session) -> None:
    for _ in range(3):
        await session.act(Action(name="goto", args={"url": "https://pages.test/restless"}))
    await session.submit("seen")


async def without_proxy(session: Session) -> None:
    for process in below("webds_recorder.proxy"):
        process.kill()
    seen = await session.act(Action(name="goto", args={"url": "https://pages.test/home"}))
    assert not seen.refused, "an agent that trusts the page fails here"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@asynccontextmanager
async def suite() -> AsyncIterator[Web]:
    made = Web({"root": opened.ROOT, "chromium": find_chromium(), "limits": opened.LIMITS, "launch_ahead": False})
    try:
        yield made
    finally:
        await made.close()


async def episode(web: Web, world: ProcessWorld, folder: Path, solve: Solve, seconds: float) -> tuple[Evidence, float]:
    folder.mkdir()
    task = Task(
        id=folder.name,
        suite="web",
        revision=1,
        prompt="",
        start={"url": "https://pages.test/home"},
        budget=Budget(seconds=seconds),
    )
    spec = Spec(task=task, repeat=0, attempt=1, folder=folder)
    began = time.monotonic()
    evidence = await run(spec, web, world, Agent(solve), opened.recorder(folder), "test", {"action": ACT})
    return evidence, time.monotonic() - began


@pytest.mark.long
async def test_each_ends_in_time_as_what_it_is(tmp_path: Path, temporary: Path) -> None:
    wanted = {
        # agent: seconds of budget, ending, words of the reason, seconds that it may take
        stopped: (60, Ending.INFRA, "did not answer", 25),
        stopped_and_waited_for: (2, Ending.INFRA, "did not answer either", 25),
        killed: (60, Ending.INFRA, "closed", 25),
        never_settles: (60, Ending.SUBMITTED, "", 50),
        without_proxy: (60, Ending.INFRA, "proxy ended", 45),
    }
    async with suite() as web, opened.world() as world:
        for solve, (seconds, ending, words, most) in wanted.items():
            evidence, took = await episode(web, world, tmp_path / solve.__name__, solve, seconds)
            assert (evidence.ending, words in evidence.why) == (ending, True), (solve.__name__, evidence.why)
            assert took < most, solve.__name__
    left = [process.cmdline()[:3] for process in processes(temporary)]
    assert left == []
    assert [path.name for path in temporary.iterdir()] == []


@pytest.mark.long
def test_an_agent_that_kills_its_own_browser_each_time_fails(tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ["--agent", "scripted", "--tasks", "members-wrecks,members-stays", "--repeat", "2"]
    done = webds("run", *words, "--out", str(out), root=MEMBERS)
    assert done.returncode == 0, done.stderr
    rows = {(row["task"], row["repeat"]): (row["outcome"], row["flags"]) for row in results(out)["episodes"]}
    assert rows == {
        ("members-wrecks", 0): ("fail", [WRECKED]),
        ("members-wrecks", 1): ("fail", [WRECKED]),
        ("members-stays", 0): ("pass", []),
        ("members-stays", 1): ("pass", []),
    }
    assert len(RunFolder.view(out).tries("members-wrecks", 0)) == 3
