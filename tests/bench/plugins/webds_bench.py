"""Agent `thinking`: the task's script with a pause before each act, in the place of a model of that latency."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from webds.agents.scripted import Scripted
from webds.ports import Session
from webds.types import Action, Observation


class Slow:
    """webds.ports.Session."""

    def __init__(self, session: Session, seconds: float) -> None:
        self.task = session.task
        self.actions = session.actions
        self.endpoint = session.endpoint
        self.observe = session.observe
        self.acted = session.acted
        self._session = session
        self._seconds = seconds

    async def act(self, action: Action) -> Observation:
        await asyncio.sleep(self._seconds)
        return await self._session.act(action)

    async def submit(self, answer: str, files: Iterable[str] = (), unachievable: str = "") -> None:
        await asyncio.sleep(self._seconds)
        await self._session.submit(answer, files, unachievable)


class Thinking:
    """webds.ports.Agent. config: root, seconds."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._scripted = Scripted(Path(config["root"]))
        self._seconds = float(config.get("seconds", 0))

    async def solve(self, session: Session) -> None:
        await self._scripted.solve(Slow(session, self._seconds))


def make(config: Mapping[str, Any]) -> Thinking:
    return Thinking(config)
