"""Agent `scripted`: runs tasks_public/<group>/solutions/<task id>.py, which really drives the browser."""

import importlib.util
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from webds.errors import InputFault
from webds.ports import Session
from webds.types import Task


def solution(root: Path, task: str) -> Path | None:
    """The script of a task, or None."""
    name = task.replace("-", "_").replace(".", "_") + ".py"
    return next(iter(sorted((root / "tasks_public").glob(f"*/solutions/{name}"))), None)


class Scripted:
    """webds.ports.Agent. config: root."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def solve(self, session: Session) -> None:
        """Run the task's script."""
        path = solution(self._root, session.task.id)
        if path is None:
            raise InputFault(f"task {session.task.id}: has no scripted solution")
        await _load(path)(session)


def _load(path: Path) -> Callable[[Session], Awaitable[None]]:
    spec = importlib.util.spec_from_file_location(f"webds_solution_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    solve: Callable[[Session], Awaitable[None]] = module.solve
    return solve


def make(config: Mapping[str, Any]) -> Scripted:
    """Entry point webds.agents: scripted."""
    return Scripted(Path(config["root"]))


def able(config: Mapping[str, Any], task: Task) -> bool:
    """Whether the task has a script."""
    return solution(Path(config["root"]), task.id) is not None
