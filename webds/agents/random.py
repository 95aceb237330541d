"""Agent `random`: the floor under every score. Seeded: the same seed does the same on the same pages."""

import random
import re
from collections.abc import Mapping
from typing import Any

from webds.agents.hand import marks
from webds.errors import InputFault
from webds.ports import Session
from webds.types import Action, Json

_WORD = re.compile(r"[\w.,%-]+")
_FIELDS = ("textbox", "searchbox", "combobox", "spinbutton")


class Random:
    """webds.ports.Agent. config: seed; steps, after which it submits a word of the page that it is on."""

    def __init__(self, seed: int, steps: int) -> None:
        self._seed = seed
        self._steps = steps

    async def solve(self, session: Session) -> None:
        """Random acts, then a random word."""
        dice = random.Random(f"{self._seed} {session.task.id}")
        limit = session.task.budget.steps
        seen = await session.observe()
        for _ in range(min(self._steps, limit - 1) if limit else self._steps):
            seen = await session.act(_act(dice, seen.text))
        words = _WORD.findall(seen.text) or ["nothing"]
        await session.submit(dice.choice(words))


def _act(dice: random.Random, text: str) -> Action:
    """A click or an entry on what the page shows, a scroll, or the way back."""
    shown = list(marks(text))
    if not shown or dice.random() < 0.2:
        name = dice.choice(("scroll", "back"))
        args: dict[str, Json] = {"direction": dice.choice(("up", "down"))} if name == "scroll" else {}
        return Action(name=name, args=args)
    mark = dice.choice(shown)
    if mark.role in _FIELDS:
        return Action(name="fill", args={"id": mark.id, "text": dice.choice(_WORD.findall(text))})
    return Action(name="click", args={"id": mark.id})


def make(config: Mapping[str, Any]) -> Random:
    """Entry point webds.agents: random. InputFault names the field."""
    found = {"seed": config.get("seed", 0), "steps": config.get("steps", 12)}
    for name, value in found.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InputFault(f"agents.random: field {name}: {value!r}; wanted a whole number from 0")
    return Random(found["seed"], found["steps"])


def declares(config: Mapping[str, Any]) -> dict[str, Any]:
    """What run.json says of this agent."""
    return {"sampling": {"seed": config.get("seed", 0), "steps": config.get("steps", 12)}}
