"""The runner's parts, each by itself: clock, patience, capacity, scratch folders, standing."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.runner.toys import eventually
from webds.clock import GAP, TICK, Awake, limit
from webds.runner.capacity import free_mb, slots
from webds.runner.endpoint import ALONE, FIRST, LONGEST, Patience
from webds.scratch import PREFIX, processes, scratch, sweep
from webds.standing import Event, History, is_final
from webds.types import Ending, Evidence


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


async def test_time_asleep_does_not_count() -> None:
    source = Clock()
    clock = Awake(source)
    async with clock.ticking():
        begun = clock()
        for _ in range(100):
            source.now += TICK
            assert clock() - begun <= 100 * TICK
        assert clock() - begun == 100 * TICK
        source.now += TICK + GAP
        assert clock.away == 0, "a slow machine is not asleep"
        assert clock() - begun == 101 * TICK + GAP
        source.now += 8 * 3600
        assert clock() - begun == 102 * TICK + GAP
        assert clock.away == 8 * 3600 - TICK


async def test_a_limit_is_put_off_by_a_jump_and_ends_all_the_same() -> None:
    source = Clock()
    clock = Awake(source)

    async def work() -> None:
        await asyncio.sleep(0.02)
        source.now += 3600  # a night
        while True:
            await asyncio.sleep(0.02)
            source.now += 0.02

    async def limited() -> None:
        async with clock.ticking(), limit(0.2, clock):
            await work()

    began = time.monotonic()
    with pytest.raises(TimeoutError):
        await limited()
    assert 0.15 < time.monotonic() - began < 5


async def test_a_limit_that_is_kept_changes_nothing() -> None:
    async with limit(5), limit(None):
        await asyncio.sleep(0)


def test_a_stopped_process_loses_no_time() -> None:
    """A lid closed in the middle: the process is stopped for longer than its limit, then goes on."""
    code = (
        "import asyncio, webds.clock as c\n"
        "c.TICK, c.GAP = 0.1, 0.5\n"
        "async def main():\n"
        "    async with c.awake.ticking(), c.limit(2):\n"
        "        print('on', flush=True)\n"
        "        await asyncio.sleep(1.2)\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "on\n"
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(3)
        os.kill(process.pid, signal.SIGCONT)
        assert process.wait(20) == 0


def test_patience_backs_off_gives_up_and_begins_anew() -> None:
    clock = Clock()
    patience = Patience(600, clock)
    waits = []
    while patience.down(("t", 0)):
        waits.append(patience.waiting)
        clock.now += patience.waiting
    assert waits[:7] == [FIRST, 2, 4, 8, 16, 32, LONGEST]
    assert sum(waits) == pytest.approx(600), "it knocks a last time when the wait is over"
    assert not patience.down(("u", 0)), "the next episode does not wait as long once more"
    patience.up()
    assert patience.down(("t", 0))
    assert patience.waiting == FIRST


def test_several_slots_meet_one_outage_as_one() -> None:
    clock = Clock()
    patience = Patience(600, clock)
    for number in range(4):
        assert patience.down(("t", number))
    assert patience.waiting == FIRST


def test_an_endpoint_that_fails_one_episode_alone_is_not_waited_for() -> None:
    clock = Clock()
    patience = Patience(600, clock)
    tries = 0
    while patience.down(("bad", 0)):
        tries += 1
        patience.up()
    assert tries == ALONE


@pytest.mark.parametrize(
    ("wanted", "free", "fit"), [(4, 100_000.0, 4), (4, 2200.0, 3), (4, 100.0, 1), (1, 10.0, 1), (8, 700.0, 1)]
)
def test_slots_by_memory(wanted: int, free: float, fit: int) -> None:
    got, line = slots(wanted, 700, free)
    assert got == fit
    assert bool(line) == (fit != wanted)
    assert free_mb() > 0


def test_scratch_of_the_living_stays_and_that_of_the_dead_goes(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, os, time\n"
        "from pathlib import Path\n"
        "from webds.scratch import scratch\n"
        f"with scratch(Path({str(tmp_path)!r})) as folder:\n"
        "    env = {**os.environ, 'TMPDIR': str(folder / 'worker-0')}\n"
        "    subprocess.Popen(['sleep', '1000'], env=env, start_new_session=True)\n"
        "    (folder / 'file').write_text('x')\n"
        "    time.sleep(1000)\n"
    )
    with scratch(tmp_path) as mine, subprocess.Popen([sys.executable, "-c", code]) as other:
        eventually(lambda: any(path != mine and (path / "file").exists() for path in tmp_path.glob(f"{PREFIX}*")))
        theirs = next(path for path in tmp_path.glob(f"{PREFIX}*") if path != mine)
        assert sweep(tmp_path) == []
        os.kill(other.pid, signal.SIGKILL)
        other.wait()
        assert len(processes(theirs)) == 1, "the child outlived its parent"
        assert sweep(tmp_path) == [f"removed {theirs}, left by a run that was killed, 1 processes killed"]
        assert not theirs.exists()
        assert processes(theirs) == []
        assert mine.exists()
    assert list(tmp_path.iterdir()) == []


def test_processes_of_worker_10_are_not_those_of_worker_1(tmp_path: Path) -> None:
    env = {**os.environ, "TMPDIR": str(tmp_path / "worker-10")}
    with subprocess.Popen(["sleep", "100"], env=env) as process:
        assert processes(tmp_path / "worker-1") == []
        assert [found.pid for found in processes(tmp_path / "worker-10")] == [process.pid]
        process.kill()


def tries(*endings: str) -> list[Evidence]:
    made = []
    for number, word in enumerate(endings, start=1):
        blame = "endpoint" if word == "endpoint" else ""
        ending = Ending.INFRA if blame else Ending(word)
        made.append(Evidence(task="t", revision=1, repeat=0, attempt=number, agent="", ending=ending, blame=blame))
    return made


@pytest.mark.parametrize(
    ("endings", "final"),
    [
        ([], False),
        (["submitted"], True),
        (["gave_up"], True),
        (["limit"], True),
        (["agent_fault"], True),
        (["task_fault"], True),
        (["infra"], False),
        (["infra", "infra"], False),
        (["infra", "infra", "infra"], True),
        (["infra", "endpoint", "infra"], False),
        (["endpoint"] * 9, False),
        (["infra", "infra", "endpoint", "infra"], True),
        (["blocked"], False),
        (["blocked", "blocked"], True),
        (["blocked", "infra"], False),
        (["blocked", "infra", "blocked"], True),
        (["blocked", "submitted"], True),
    ],
)
def test_which_try_stands(endings: list[str], final: bool) -> None:
    assert is_final(tries(*endings)) is final


def event(text: str) -> Event:
    """`start:task:attempt` or `ending:task:attempt`."""
    kind, task, attempt = text.split(":")
    if kind == "start":
        return Event("start", (task, 0), int(attempt))
    blame = "endpoint" if kind == "endpoint" else ""
    return Event("commit", (task, 0), int(attempt), "infra" if blame else kind, blame)


BAD = [f"{kind}:bad:{n}" for n in (1, 2, 3) for kind in ("start", "infra")]


@pytest.mark.parametrize(
    ("events", "through"),
    [
        (BAD, False),
        ([*BAD, "start:b:1", "submitted:b:1"], True),
        ([*BAD, "start:b:1", "infra:b:1"], False),
        (["start:a:1", "submitted:a:1", *BAD], True),
        (["start:a:1", "submitted:a:1", *BAD, "start:b:1", "infra:b:1"], False),
        (["start:a:1", "infra:a:1", *BAD], False),
        # It ran before the first break and ended after it: that says nothing of the machine since.
        (["start:a:1", *BAD[:2], "submitted:a:1", *BAD[2:]], False),
        ([*BAD[:2], "start:a:1", *BAD[2:], "agent_fault:a:1"], True),
        ([*BAD, "start:b:1", "endpoint:b:1"], False),
    ],
)
def test_whether_others_got_through(events: list[str], through: bool) -> None:
    assert History(map(event, events)).others_got_through(("bad", 0), [1, 2, 3]) is through
