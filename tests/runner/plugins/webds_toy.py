"""Suite, track and agent `toy` as installed plug-ins: no browser, so that a test can afford many episodes and faults.

The agent does on the n-th try of a task what `script` in its config says: a word for each try, the last one repeated.
Each try is noted in the folder `state`.
"""

import asyncio
import base64
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.toy import Toy, ToyWorld
from webds.errors import EndpointFault
from webds.meter import current
from webds.ports import Environment, Recorder, Session
from webds.types import Action, Budget, Params, Task


class Suite(Toy):
    def __init__(self, root: Path) -> None:
        self._root = root

    def tasks(self) -> list[Task]:
        listed: dict[str, Any] = json.loads((self._root / "toy.json").read_text())
        return [
            Task(id=name, suite="toy", revision=1, prompt="Count to three.", budget=Budget(**budget))
            for name, budget in listed.items()
        ]

    @asynccontextmanager
    async def open(self, task: Task, access: Params, recorder: Recorder, work: Path) -> AsyncIterator[Environment]:
        """The endpoint of a toy is its work folder, so that its agent can write files there."""
        async with super().open(task, access, recorder, work) as counter:
            counter.endpoint = str(work)
            yield counter


class Track:
    def serve(self, needs: Params) -> Any:
        return _serve()


@asynccontextmanager
async def _serve() -> AsyncIterator[ToyWorld]:
    yield ToyWorld()


class Agent:
    def __init__(self, config: Mapping[str, Any]) -> None:
        self._state = Path(config["state"]) if "state" in config else None
        self._script: Mapping[str, list[str]] = config.get("script", {})

    async def solve(self, session: Session) -> None:
        word = self._word(session.task.id)
        name, _, more = word.partition(":")
        await getattr(self, name)(session, more)

    def _word(self, task: str) -> str:
        words = self._script.get(task, ["ok"])
        count = 0
        if self._state is not None:
            self._state.mkdir(exist_ok=True)
            count = len(list(self._state.glob(f"{task}.*")))
            (self._state / f"{task}.{count}").touch()
        return words[min(count, len(words) - 1)]

    async def ok(self, session: Session, more: str) -> None:
        await session.act(Action(name="add", args={"by": 3}))
        await session.submit(more or "3")

    async def said(self, session: Session, more: str) -> None:
        """Hand in what a JSON file says: answer, unachievable, and files (name -> bytes in base64), written first."""
        words = json.loads(Path(more).read_text())
        folder = Path(session.endpoint)
        for name, data in words.get("files", {}).items():
            (folder / name).write_bytes(base64.b64decode(data))
        await session.act(Action(name="add", args={"by": 3}))
        await session.submit(words.get("answer", ""), words.get("files", {}), words.get("unachievable", ""))

    async def steps(self, session: Session, more: str) -> None:
        for _ in range(int(more)):
            await session.act(Action(name="add", args={"by": 1}))
        await session.submit("3")

    async def gate(self, session: Session, more: str) -> None:
        """Wait until the file is there."""
        while not Path(more).exists():
            await asyncio.sleep(0.05)
        await self.ok(session, "")

    async def counting(self, session: Session, more: str) -> None:
        """So many steps, each with a model call; the n-th try kills the runner after step n, unless `calm`."""
        steps, _, calm = more.partition(":")
        assert self._state is not None
        tries = len(list(self._state.glob(f"{session.task.id}.*")))
        for step in range(1, int(steps) + 1):
            meter = current()
            assert meter is not None
            meter.charge("act", {"input": 100, "output": 10, "calls": 1, "dollars": 0.25})
            await session.act(Action(name="add", args={"by": 1}))
            if step == tries and not calm:
                os.kill(os.getppid(), signal.SIGKILL)
                await asyncio.Event().wait()
        await session.submit("3")

    async def infra(self, session: Session, more: str) -> None:
        await session.act(Action(name="add", args={"by": 666}))

    async def endpoint(self, session: Session, more: str) -> None:
        await session.act(Action(name="add", args={"by": 1}))
        raise EndpointFault("refused", "model endpoint")

    async def until(self, session: Session, more: str) -> None:
        """The endpoint is down until the file is there."""
        if not Path(more).exists():
            await self.endpoint(session, "")
        await self.ok(session, "")

    async def fault(self, session: Session, more: str) -> None:
        raise KeyError("no such thing")

    async def hang(self, session: Session, more: str) -> None:
        await asyncio.Event().wait()

    async def stubborn(self, session: Session, more: str) -> None:
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                continue

    async def block(self, session: Session, more: str) -> None:
        time.sleep(100_000)

    async def die(self, session: Session, more: str) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def suite(config: Mapping[str, Any]) -> Suite:
    return Suite(Path(config["root"]))


def track(config: Mapping[str, Any]) -> Track:
    return Track()


def agent(config: Mapping[str, Any]) -> Agent:
    return Agent(config)
