"""Agent `human`: a person solves the task in a Chromium window, with a panel to submit; their acts become steps.

What they do is told by the environment (webds.envs.browser.person), which this agent asks for as `person`; a window
needs a display, and `headless` is for tests.
"""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from webds.config import display
from webds.errors import InputFault
from webds.ports import Session
from webds.types import Action, Observation


class Human:
    """webds.ports.Agent."""

    async def solve(self, session: Session) -> None:
        """Report what the person does until they submit or give up."""
        seen = await session.observe()
        reader, writer = await asyncio.open_unix_connection(session.endpoint.removeprefix("unix:"))
        try:
            while line := await reader.readline():
                said = json.loads(line)
                if "left" in said:
                    return
                if "submit" in said:
                    handed = said["submit"]
                    await session.submit(handed["answer"], handed["files"], handed["unachievable"])
                    return
                seen = await _report(session, said["did"], seen)
        finally:
            writer.close()


async def _report(session: Session, did: Mapping[str, Any], seen: Observation) -> Observation:
    """One act as a step. A question of the page, which no person can answer while the harness listens, is accepted."""
    then = await session.acted(Action(name=did["name"], args=_named(did["args"], seen)))
    if any(str(line).startswith("dialog open") for line in _rows(then.view.get("dialogs"))):
        then = await session.act(Action(name="dialog", args={"do": "accept"}))
    return then


def _rows(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _named(args: Mapping[str, Any], seen: Observation) -> dict[str, Any]:
    """A point as the id of the smallest element of the last observation that holds it, where there is one."""
    marks = seen.view.get("marks")
    if "x" not in args or not isinstance(marks, Mapping):
        return dict(args)
    held = []
    for name, mark in marks.items():
        assert isinstance(mark, Mapping)
        left, top, width, height = (float(str(number)) for number in _rows(mark["box"]))
        if left <= args["x"] <= left + width and top <= args["y"] <= top + height:
            held.append((width * height, name))
    rest = {key: value for key, value in args.items() if key not in ("x", "y")}
    return {"id": min(held)[1], **rest} if held else dict(args)


def needs(config: Mapping[str, Any]) -> tuple[str, ...]:
    """A person to listen to, and a window for them."""
    return ("person",) if config.get("headless") is True else ("person", "window")


def declares(config: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - one signature for all agents
    """What run.json says of this agent."""
    return {"observation": ["the page as it is"], "actions": ["mouse and keyboard"]}


def make(config: Mapping[str, Any]) -> Human:
    """Entry point webds.agents: human. InputFault: there is no display."""
    if "window" in needs(config) and not display():
        raise InputFault("agent human: no display: DISPLAY is not set; run it on a desktop, or under xvfb-run")
    return Human()
