"""The interpreter that starts when a file has come, while the agent thinks."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from webds.tools.sandbox import Limits, Sandbox
from webds.tools.workbench import Workbench
from webds.types import Action, Observation, Params, Task

SMALL = Limits(seconds=20, memory_mb=512, output_chars=2000, file_mb=4, processes=40)


@dataclass
class Shelf:
    """An environment whose action `take` puts one more file into the list of downloads."""

    actions: tuple[Params, ...] = ()
    endpoint: str = ""
    taken: list[str] = field(default_factory=list)

    async def observe(self) -> Observation:
        return Observation(text="a shelf", view={"downloads": tuple(self.taken)})

    async def act(self, action: Action) -> Observation:
        if action.name == "take":
            self.taken.append(f"{len(self.taken)}.csv")
        return await self.observe()

    async def collect(self, task: Task, into: Path) -> Params:
        return {}


def running(folder: Path) -> list[psutil.Process]:
    """Processes that name the folder: a sandbox's command does."""
    found = []
    for process in psutil.Process().children(recursive=True):
        words: list[Any] = process.cmdline()
        if any(str(folder) in str(word) for word in words):
            found.append(process)
    return found


async def test_it_starts_with_the_first_file_and_not_before(tmp_path):
    async with Sandbox(tmp_path, SMALL) as box:
        bench = Workbench(Shelf(), box, tmp_path, lambda data: "")
        await bench.observe()
        await bench.act(Action(name="look"))
        assert not running(tmp_path)
        await bench.act(Action(name="take"))
        async with asyncio.timeout(60):
            while not running(tmp_path):
                await asyncio.sleep(0.01)
        one = running(tmp_path)[0]
        seen = await bench.act(Action(name="python", args={"code": "x = 6 * 7\nx"}))
        assert "42" in seen.text
        await bench.act(Action(name="take"))
        assert (await box.python("x")).text == "42\n"
        assert one.is_running()
    assert not running(tmp_path)


async def test_closed_while_it_starts_nothing_is_left(tmp_path):
    async with Sandbox(tmp_path, SMALL) as box:
        box.ahead()
        box.ahead()
    assert not running(tmp_path)
