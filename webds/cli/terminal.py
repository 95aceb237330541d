"""A person, or a second solver, drives one task from a terminal with the agent's own actions."""

import asyncio
import json
from pathlib import Path
from typing import Any, TextIO

from webds import plugins
from webds.errors import InputFault, WebdsError
from webds.session import EpisodeSession, monotonic
from webds.tracks.world import choose_isolation
from webds.types import Action, Observation, Task


async def drive(root: Path, task: Task, config: dict[str, Any], folder: Path, lines: TextIO, out: TextIO) -> None:
    """Open the task's world and browser, print prompt and actions, then one observation an input line."""
    isolation, warning = choose_isolation(config["isolation"])
    suite = plugins.make("webds.suites", task.suite, {"root": root, **config})
    track = plugins.make("webds.tracks", "dockerized", {"root": root, "isolation": isolation, "seconds": 60})
    recorder = plugins.make("webds.recorders", "files", {"folder": folder, "blobs": folder / "blobs"})
    try:
        async with (
            track.serve(suite.needs([task])) as world,
            world.episode(task.id, folder / "requests.jsonl") as access,
            suite.open(task, access, recorder, folder / "files") as environment,
        ):
            session = EpisodeSession(task, environment, recorder, monotonic)
            _say(out, f"{warning}\n{task.prompt}\n\nactions:\n" + "\n".join(_usage(tool) for tool in session.actions))
            _say(out, (await session.observe()).text)
            await _converse(session, lines, out)
    finally:
        await suite.close()


async def _converse(session: EpisodeSession, lines: TextIO, out: TextIO) -> None:
    while line := await asyncio.to_thread(lines.readline):
        if not line.strip():
            continue
        try:
            seen = await session.act(_action(line))
        except InputFault as wrong:
            seen = Observation(text=str(wrong))
        except WebdsError as ended:
            _say(out, str(ended))
            return
        _say(out, seen.text)
        if session.submission is not None:
            return


def _action(line: str) -> Action:
    try:
        row = json.loads(line)
        return Action(name=str(row["name"]), args=dict(row.get("args", {})))
    except (ValueError, TypeError, KeyError) as error:
        raise InputFault('wanted a line like {"name": "click", "args": {"id": "3"}}') from error


def _usage(tool: Any) -> str:
    return f"  {tool['name']} {json.dumps(list(tool['parameters']['properties']))}: {tool['description']}"


def _say(out: TextIO, text: str) -> None:
    out.write(text.strip() + "\n---\n")
    out.flush()
