"""Agent `replay`: repeats the actions of a recorded trajectory. Ids are given in page order, so they are the same."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from webds.errors import InputFault
from webds.ports import Session
from webds.store import RunFolder, read_steps


class Replay:
    """webds.ports.Agent. `run` is the folder of the run whose last committed tries are repeated, those of `repeat`."""

    def __init__(self, run: Path, repeat: int = 0) -> None:
        self._run = RunFolder.view(run)
        self._repeat = repeat

    async def solve(self, session: Session) -> None:
        """Act as recorded, and look where the recorded agent did: what a look shows is without the last act's notes.

        An action whose element is missing now comes back refused, as it should.
        """
        tries = self._run.tries(session.task.id, self._repeat)
        if not tries:
            raise InputFault(f"{self._run.path}: no finished episode of task {session.task.id} to replay")
        known = None
        for step in read_steps(tries[-1].folder):
            if step.saw != known:
                await session.observe()
            await session.act(step.did)
            if step.by == "agent":  # the recorded session had only looked: its page is without this act's notes
                await session.observe()
            known = step.then


def make(config: Mapping[str, Any]) -> Replay:
    """Entry point webds.agents: replay. config: run (--set agents.replay.run=DIR), repeat (of that run; 0)."""
    if not config.get("run"):
        raise InputFault("agent replay: field run: missing; say --set agents.replay.run=RUN_FOLDER")
    repeat = config.get("repeat", 0)
    if not isinstance(repeat, int) or isinstance(repeat, bool) or repeat < 0:
        raise InputFault(f"agent replay: field repeat: {repeat!r:.40}; wanted the number of a repeat, from 0")
    return Replay(Path(str(config["run"])), repeat)
