"""Collect kind `state`: what a stateful site has written, saved as a SQLite file when the agent has left.

Task.collect = [{name = "forum", kind = "state", params = {site = "tent-watch"}}] gives `collected/forum.sqlite` in the
try's folder, and Evidence.findings["collected"]["forum"] = {"path", "sha256", "size"}. The World's control socket
(`access["control"]`) saves the site's state inside the World's own scratch folder, whatever provider runs it.
"""

import asyncio
import json
import re
import shutil
from pathlib import Path
from typing import Any

from webds.codec import sha256
from webds.errors import InfraFault, TaskFault, blame
from webds.ports import Environment
from webds.types import Action, Collect, Observation, Params, Task

KIND = "state"
SECONDS = 20.0
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")


class Collecting:
    """webds.ports.Environment: the inner one, and what the task says to collect."""

    def __init__(self, inner: Environment, control: str) -> None:
        """`control`: path of the World's control socket."""
        self.actions: tuple[Params, ...] = inner.actions
        self.endpoint = inner.endpoint
        self._inner = inner
        self._control = control

    async def observe(self) -> Observation:
        """The inner environment's observation."""
        return await self._inner.observe()

    async def act(self, action: Action) -> Observation:
        """The inner environment's action."""
        return await self._inner.act(action)

    async def collect(self, task: Task, into: Path) -> Params:
        """What the inner environment finds, and `collected`. TaskFault: the task asks for what nobody can save."""
        findings: dict[str, Any] = dict(await self._inner.collect(task, into))
        saved = {wanted.name: await self._saved(wanted, into) for wanted in task.collect}
        return {**findings, "collected": saved} if saved else findings

    async def _saved(self, wanted: Collect, into: Path) -> Params:
        if wanted.kind != KIND:
            raise TaskFault(f"no collect kind {wanted.kind!r:.80}; known: {KIND}", f"collect {wanted.name}")
        site = wanted.params.get("site")
        if not _NAME.fullmatch(wanted.name) or not isinstance(site, str):
            raise TaskFault("a name of small letters, digits and -, and the site's name are needed", "collect")
        with blame(InfraFault, f"collect {wanted.name}"):
            made = await _ask(self._control, {"do": "save", "site": site})
            if not made.get("ok"):
                raise InfraFault(str(made.get("why", "no reason given")), f"collect {wanted.name}")
            target = into / "collected" / f"{wanted.name}.sqlite"
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(str(made["path"]), target)
            data = target.read_bytes()
        return {"path": f"collected/{target.name}", "sha256": sha256(data), "size": len(data)}


async def _ask(control: str, command: dict[str, Any]) -> dict[str, Any]:
    """One command to the World's control socket, on a connection of its own."""
    async with asyncio.timeout(SECONDS):
        reader, writer = await asyncio.open_unix_connection(control)
        try:
            writer.write(json.dumps(command).encode() + b"\n")
            await writer.drain()
            line = await reader.readline()
        finally:
            writer.close()
    answer: dict[str, Any] = json.loads(line) if line else {"ok": False, "why": "the world has ended"}
    return answer
