"""Drives an environment by what its observations say: every step by an id read from the text, never by a selector."""

from typing import Any

from webds.agents.hand import find, marks
from webds.ports import Environment
from webds.types import Action, Observation


class Eyes:
    """An environment and the last observation of it."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.seen = Observation()

    async def do(self, name: str, **args: Any) -> Observation:
        """One action; what comes back is the new last observation unless the page was only read."""
        then = await self.environment.act(Action(name=name, args=args))
        if name not in ("find", "table"):
            self.seen = then
        return then

    async def goto(self, url: str) -> Observation:
        return await self.do("goto", url=f"https://pages.test{url}")

    def id(self, role: str, name: str) -> str:
        """The id in the last observation."""
        return find(self.seen.text, role, name).id

    def has(self, role: str, name: str) -> bool:
        return any(mark.role == role and mark.name == name for mark in marks(self.seen.text))

    async def click(self, role: str, name: str, **args: Any) -> Observation:
        return await self.do("click", id=self.id(role, name), **args)

    @property
    def text(self) -> str:
        return self.seen.text


def downloads(seen: Observation) -> dict[str, dict[str, Any]]:
    """The observation's downloads by name."""
    listed: Any = seen.view["downloads"]
    return {str(row["name"]): dict(row) for row in listed}
