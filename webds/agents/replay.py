"""Agent `replay`: repeats the actions of a recorded trajectory. Ids are given in page order, so they are the same."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from webds.codec import load
from webds.errors import InputFault
from webds.ports import Session
from webds.store import RunFolder, read_lines
from webds.types import Step


class Replay:
    """webds.ports.Agent. `run` is the folder of the run whose last committed tries are repeated."""

    def __init__(self, run: Path) -> None:
        self._run = RunFolder.view(run)

    async def solve(self, session: Session) -> None:
        """Act as recorded. An action whose element is missing now comes back refused, as it should."""
        tries = self._run.tries(session.task.id, 0)
        if not tries:
            raise InputFault(f"{self._run.path}: no finished episode of task {session.task.id} to replay")
        path = tries[-1].folder / "trajectory.jsonl"
        await session.observe()
        for row in read_lines(path):
            await session.act(load(Step, row, str(path)).did)


def make(config: Mapping[str, Any]) -> Replay:
    """Entry point webds.agents: replay. config: run (--set agents.replay.run=DIR)."""
    if not config.get("run"):
        raise InputFault("agent replay: field run: missing; say --set agents.replay.run=RUN_FOLDER")
    return Replay(Path(str(config["run"])))
