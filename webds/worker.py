"""One worker slot as a process: `python -m webds.worker`, JSON lines on stdin and stdout, one episode at a time.

    first in:  {"suite", "suite_config", "track", "track_config", "needs", "agent", "agent_config", "blobs",
                "limits"}
    first out: {"ready": true, "world": {...}}
    then in:   {"task": {...}, "repeat", "attempt", "folder", "key"?}    out: {"evidence": {...}, "worn": bool}

It imports neither key ring nor judge. `key` comes only with agent `oracle`, from the judge's process. A `worn` worker
had an INFRA episode, or an agent that would not stop: the runner ends it, so that the next try starts from nothing.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from webds import jail, plugins
from webds.codec import canonical, load
from webds.episode import LEFT_RUNNING, Spec, run
from webds.errors import DiskFull, Fault, InfraFault, InputFault, blame
from webds.ports import Agent, Suite, World
from webds.types import AnswerKey, Ending, Task

LINE = 64 << 20
"""Longest protocol line, in bytes: an answer may have a million characters."""


class Slot:
    """Suite, track and the current World of this worker."""

    def __init__(self, setup: dict[str, Any]) -> None:
        self.setup = setup
        self.suite: Suite = plugins.make("webds.suites", setup["suite"], setup["suite_config"])
        self.track = plugins.make("webds.tracks", setup["track"], setup["track_config"])
        self._serving: AbstractAsyncContextManager[World] | None = None
        self._world: World | None = None

    async def world(self) -> World:
        """The current World, made where there is none."""
        if self._world is None:
            serving: AbstractAsyncContextManager[World] = self.track.serve(self.setup["needs"])
            self._world = await serving.__aenter__()
            self._serving = serving
        return self._world

    async def drop_world(self) -> None:
        """End the World; the next episode gets a new one."""
        serving, self._serving, self._world = self._serving, None, None
        if serving is not None:
            await serving.__aexit__(None, None, None)

    async def episode(self, order: dict[str, Any]) -> dict[str, Any]:
        """One episode from its order to evidence, as JSON."""
        folder = Path(order["folder"])
        task = load(Task, order["task"], "worker: task")
        spec = Spec(task=task, repeat=order["repeat"], attempt=order["attempt"], folder=folder)
        recorder = plugins.make("webds.recorders", "files", {"folder": str(folder), "blobs": self.setup["blobs"]})
        limits = self.setup.get("limits") or {}
        label = self.setup["agent"]
        evidence = await run(spec, self.suite, await self.world(), self._agent(order), recorder, label, limits)
        worn = evidence.ending is Ending.INFRA or LEFT_RUNNING in evidence.findings
        answer: dict[str, Any] = json.loads(canonical({"evidence": evidence, "worn": worn}))
        return answer

    def _agent(self, order: dict[str, Any]) -> Agent:
        name = self.setup["agent"]
        work = str(Path(order["folder"]) / "files")
        config = {**self.setup["agent_config"], "blobs": self.setup["blobs"], "work": work}
        if "key" in order:
            if name != "oracle":
                raise InputFault(f"agent {name!r} cannot be given a key; known: oracle")
            config["key"] = load(AnswerKey, order["key"], "worker: key")
        agent: Agent = plugins.make("webds.agents", name, config)
        return agent


@asynccontextmanager
async def _slot(setup: dict[str, Any]) -> AsyncIterator[Slot]:
    slot = Slot(setup)
    try:
        yield slot
    finally:
        await slot.drop_world()
        await slot.suite.close()


async def serve(out: int) -> None:
    """Serve orders from stdin until it ends; answers go to the file descriptor `out`."""
    task = asyncio.current_task()
    assert task is not None
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    reader = asyncio.StreamReader(limit=LINE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)

    def say(value: dict[str, Any]) -> None:
        data = memoryview(json.dumps(value).encode() + b"\n")
        while data:
            data = data[os.write(out, data) :]

    async with _slot(json.loads(await reader.readline())) as slot:
        try:
            with blame(InfraFault, "start world"):
                say({"ready": True, "world": json.loads(canonical((await slot.world()).facts))})
        except (Fault, InputFault) as error:
            say({"failed": str(error), "input": isinstance(error, InputFault)})
            return
        while line := await reader.readline():
            say(await _answer(slot, line))


async def _answer(slot: Slot, line: bytes) -> dict[str, Any]:
    try:
        with blame(InfraFault, "worker"):
            return await slot.episode(json.loads(line))
    except (Fault, InputFault) as error:
        await slot.drop_world()
        return {"failed": str(error), "input": isinstance(error, InputFault), "disk": isinstance(error, DiskFull)}


def main() -> None:
    """Keep the protocol on a private descriptor: nothing that a library prints can be taken for an answer."""
    out = os.dup(1)
    os.dup2(2, 1)
    jail.own_mounts()  # before threads start: what the sandbox mounts goes when this process goes
    with contextlib.suppress(asyncio.CancelledError):
        asyncio.run(serve(out))


if __name__ == "__main__":
    main()
