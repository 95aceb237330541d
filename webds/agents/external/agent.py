"""Agent `external`: any program in any language. It gets the prompt, a work folder, an HTTP API that is also an MCP
server, and the run's model at an OpenAI-compatible address; with `cdp` the browser's own address, too.

    --set 'agents.external.command=["python", "{agent}/agent.py"]' --set agents.external.folder=my-agent
"""

import asyncio
import shlex
import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from webds.agents.external import http, mcp, model
from webds.agents.external.desk import Desk
from webds.agents.external.program import Order, Program
from webds.agents.external.server import listening
from webds.codec import load
from webds.errors import AgentFault, InputFault
from webds.meter import Meter, current
from webds.models import settings
from webds.models.client import Model
from webds.ports import Session
from webds.tools.room import Limits
from webds.types import Budget

LEAVE_SECONDS = 5.0
"""What a program gets to end by itself once the episode has."""
_CLOSED = ("tasks_public", "tasks_private", "sites_docker")
_ROOM = {"memory_mb": 4096, "processes": 256}
GIVEN = {
    "WEBDS_URL": "http://{api}",
    "WEBDS_MCP": "http://{api}/mcp",
    "WEBDS_WORK": "{work}",
    "OPENAI_BASE_URL": "http://{api}/v1",
    "OPENAI_API_KEY": "kept-by-the-worker",
    "NO_PROXY": "127.0.0.1",
}


class External:
    """webds.ports.Agent. `order` is started anew for each episode; `table` is the agent's config table."""

    def __init__(self, order: Order, table: Mapping[str, Any], where: str, *, cdp: bool) -> None:
        self._order = order
        self._cdp = cdp
        self._model = Model(settings.read(table, where), where) if table.get("model") else None
        self._work = Path(str(table.get("work", "")))
        self._blobs = Path(str(table.get("blobs", "")))

    async def solve(self, session: Session) -> None:
        """Until it submits, its budget ends, or the program does. AgentFault: it ended with another code than 0."""
        desk = Desk(session, self._blobs)
        meter = current() or Meter(Budget())
        app = mcp.app(desk, [*http.routes(desk), *model.routes(desk, self._model, meter)])
        async with AsyncExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="webds-agent-")))
            place = folder / "api"
            place.mkdir(mode=0o755)
            await stack.enter_async_context(listening(app, place / "socket"))
            sockets = {"api": place / "socket"}
            if self._cdp:
                sockets["cdp"] = Path(session.endpoint.removeprefix("unix:"))
            program = Program(self._order, self._work, sockets, self._work.parent / "agent.log")
            stack.push_async_callback(program.kill)
            await program.start()
            code = await _ended(program, desk)
        if desk.failure is not None:
            raise desk.failure
        if code and not desk.submitted:
            raise AgentFault(f"exit code {code}: {program.last_words or 'it printed nothing'}", "agent's program")


async def _ended(program: Program, desk: Desk) -> int:
    """The program's exit code; 0 where the episode ended first."""
    running, over = asyncio.ensure_future(program.ended()), asyncio.ensure_future(desk.over.wait())
    try:
        await asyncio.wait({running, over}, return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            await asyncio.wait({running}, timeout=LEAVE_SECONDS)
        return running.result() if running.done() else 0
    finally:
        running.cancel()
        over.cancel()


def needs(config: Mapping[str, Any]) -> tuple[str, ...]:
    """What the environment has to open for this agent: `cdp`, the browser's own address."""
    return ("cdp",) if config.get("cdp") is True else ()


def order(config: Mapping[str, Any], where: str) -> Order:
    """The agent's config table as an order. InputFault names the field."""
    given = config.get("command")
    words = shlex.split(given) if isinstance(given, str) else given
    if not isinstance(words, list | tuple) or not words or not all(isinstance(word, str) and word for word in words):
        raise InputFault(f'{where}: field command: {given!r}; wanted a list like ["python", "{{agent}}/agent.py"]')
    folder = _folder(str(config.get("folder", "")), str(config.get("root", "")), where)
    env = config.get("env") or {}
    if not isinstance(env, Mapping):
        raise InputFault(f"{where}: field env: {env!r}; wanted a table of texts")
    cdp = {"WEBDS_CDP": "http://{cdp}"} if "cdp" in needs(config) else {}
    named = {"WEBDS_MODEL": str(config["model"])} if config.get("model") else {}
    mounts = tuple(str(_folder(str(place), str(config.get("root", "")), where)) for place in config.get("mounts", ()))
    variables = {**GIVEN, **cdp, **named, **{str(name): str(value) for name, value in env.items()}}
    return Order(words=tuple(words), folder=folder, mounts=mounts, env=variables, limits=bounds(config, where))


def bounds(config: Mapping[str, Any], where: str) -> Limits:
    """Memory, processes and files of the program: the table `limits`, as that of the sandbox's tools."""
    given = config.get("limits") or {}
    known = sorted(Limits.__dataclass_fields__)
    if wrong := [name for name in given if name not in known]:
        raise InputFault(f"{where}: field limits.{wrong[0]}: unknown; known: {', '.join(known)}")
    return load(Limits, {**_ROOM, **given}, f"{where}.limits")


def _folder(given: str, root: str, where: str) -> Path | None:
    """The agent's folder; never one in which a checkout's keys or sites could be read."""
    if not given:
        return None
    folder = Path(given).resolve()
    if not folder.is_dir():
        raise InputFault(f"{where}: field folder: {given}: no such folder")
    closed = [Path(root).resolve(), *(Path(root).resolve() / name for name in _CLOSED)] if root else []
    if any(place.is_relative_to(folder) for place in closed) or any(folder.is_relative_to(c) for c in closed[1:]):
        raise InputFault(f"{where}: field folder: {given}: holds, or lies in, the checkout's tasks and sites")
    return folder


def declares(config: Mapping[str, Any]) -> dict[str, Any]:
    """What run.json says of this agent."""
    found: dict[str, Any] = {"program": list(order(config, "agents.external").words), "needs": list(needs(config))}
    if config.get("model"):
        found |= settings.declared(settings.read(config, "agents.external"))
    return found


def make(config: Mapping[str, Any]) -> External:
    """Entry point webds.agents: external."""
    return External(order(config, "agents.external"), config, "agents.external", cdp="cdp" in needs(config))
