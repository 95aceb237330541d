"""Task files: tasks_public/<group>/tasks.toml as records. No answer is in them; `guard` stays out of the Task."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from webds.codec import load
from webds.config import read_toml
from webds.errors import InputFault
from webds.files import read_json
from webds.types import STRICT, Budget, Collect, Params, Task

_ID = re.compile(r"[a-z0-9][a-z0-9.-]{0,98}")
"""A task's id names its folder in a run."""
PRIVATE = "tasks_private"
SEALED = ".sealed.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEntry:
    """One `[[task]]` table. `guard` says which convention of the site makes the well-known or hasty answer wrong."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    id: str
    suite: str
    revision: int
    prompt: str
    start: Params
    guard: str
    budget: Budget = field(default_factory=Budget)
    inputs: tuple[str, ...] = ()
    collect: tuple[Collect, ...] = ()
    labels: Params = field(default_factory=dict)

    def task(self) -> Task:
        """What an agent may see."""
        return Task(
            id=self.id,
            suite=self.suite,
            revision=self.revision,
            prompt=self.prompt.strip(),
            start=self.start,
            inputs=self.inputs,
            budget=self.budget,
            collect=self.collect,
            labels=self.labels,
        )


def files(root: Path) -> list[Path]:
    """Every public task file of the checkout."""
    return sorted((root / "tasks_public").glob("*/tasks.toml"))


def read(file: Path, *, guarded: bool = True) -> list[TaskEntry]:
    """The tasks of one file. `guarded` False: `guard` may be missing. InputFault names file, task and field."""
    table = read_toml(file)
    rows = table.pop("task", [])
    if table or not isinstance(rows, list):
        raise InputFault(f"{file}: field {next(iter(table), 'task')}: unknown; wanted only [[task]] tables")
    found = []
    for number, row in enumerate(rows, start=1):
        name = row.get("id", f"number {number}") if isinstance(row, dict) else f"number {number}"
        more = {} if guarded or not isinstance(row, dict) else {"guard": "", **row}
        entry = load(TaskEntry, more or row, f"{file}: task {name}")
        if not _ID.fullmatch(entry.id):
            raise InputFault(f"{file}: task {name}: field id: {entry.id!r}; wanted small letters, digits, - and .")
        found.append(entry)
    return found


def entries(root: Path) -> Iterator[tuple[Path, TaskEntry]]:
    """Every public task with its file. InputFault on an id that stands twice."""
    seen: dict[str, Path] = {}
    for file in files(root):
        for entry in read(file):
            if entry.id in seen:
                raise InputFault(f"{file}: task {entry.id}: field id: also in {seen[entry.id]}")
            seen[entry.id] = file
            yield file, entry


def private(root: Path) -> list[Task]:
    """The private tasks of the checkout, from the heads of their sealed files: nothing of a box is read."""
    found: dict[str, Task] = {}
    for file in sorted((root / PRIVATE).glob(f"*/*{SEALED}")):
        head = read_json(file)
        inner = head.get("head") if isinstance(head, dict) else None
        task = load(Task, inner.get("task") if isinstance(inner, dict) else None, f"{file}: field head.task")
        if task.id in found:
            raise InputFault(f"{file}: task {task.id}: field id: stands twice")
        found[task.id] = task
    return list(found.values())


def own(paths: Iterable[str]) -> list[Task]:
    """The tasks of a user's own files. InputFault on an id that stands twice."""
    found: dict[str, Task] = {}
    for file in map(Path, paths):
        for entry in read(file, guarded=False):
            if entry.id in found:
                raise InputFault(f"{file}: task {entry.id}: field id: stands twice")
            found[entry.id] = entry.task()
    return list(found.values())


def site_of(task: Task) -> str:
    """The site name that a web task starts on."""
    host = urlsplit(str(task.start.get("url", ""))).hostname or ""
    return host.removesuffix(".test")


def sites_of(task: Task) -> tuple[str, ...]:
    """Every site that a web task needs: where it starts, and what its label `sites` names."""
    labelled = task.labels.get("sites")
    named = labelled if isinstance(labelled, list | tuple) else ()
    return tuple(dict.fromkeys((site_of(task), *map(str, named))))
