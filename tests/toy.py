"""The `toy` suite: a counter without browser or sandbox. It passes the same contracts as the real environments."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from webds.ports import Environment, Recorder
from webds.types import Action, Budget, Observation, Params, Task

ADD: Params = {
    "name": "add",
    "description": "Add to the counter.",
    "parameters": {"type": "object", "properties": {"by": {"type": "integer"}}, "required": ("by",)},
}


class Counter:
    """webds.ports.Environment."""

    actions: tuple[Params, ...] = (ADD,)
    endpoint = ""

    def __init__(self) -> None:
        self.value = 0

    async def observe(self) -> Observation:
        return Observation(text=f"the counter shows {self.value}", view={"value": self.value})

    async def act(self, action: Action) -> Observation:
        by = action.args.get("by")
        if action.name != "add" or not isinstance(by, int):
            seen = await self.observe()
            return Observation(text=seen.text, refused="known action: add, with a whole number", view=seen.view)
        if by == 666:
            raise RuntimeError("the counter broke")
        self.value += by
        return await self.observe()

    async def collect(self, task: Task, into: Path) -> Params:
        return {"value": self.value}


class Toy:
    """webds.ports.Suite."""

    def tasks(self) -> Iterable[Task]:
        return (task("count-to-three"),)

    def needs(self, tasks: Iterable[Task]) -> Params:
        return {}

    @asynccontextmanager
    async def open(self, task: Task, access: Params, recorder: Recorder, work: Path) -> AsyncIterator[Environment]:
        work.mkdir(parents=True, exist_ok=True)
        yield Counter()

    async def close(self) -> None:
        return


class ToyWorld:
    """webds.ports.World with nothing in it."""

    def __init__(self) -> None:
        self.facts: Params = {"provider": "toy"}

    @asynccontextmanager
    async def episode(self, name: str, log: Path) -> AsyncIterator[Params]:
        log.touch()
        yield {}

    async def healthy(self) -> bool:
        return True


def task(name: str, **budget: Any) -> Task:
    """A toy task."""
    return Task(id=name, suite="toy", revision=1, prompt="Count to three.", budget=Budget(**budget))


def make(config: Mapping[str, Any]) -> Toy:
    return Toy()
