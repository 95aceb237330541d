"""`webds run --resume`: go on with a run or a matrix of runs, or say what is left of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from webds import config as settings
from webds.cli import running
from webds.cli.planning import plan_again
from webds.control import Control
from webds.errors import InputFault
from webds.runner.plan import Plan
from webds.standing import History, is_final
from webds.store import RunFolder
from webds.types import Task

FREE = ("address", "as_json", "dry_run", "endpoint_wait", "engine", "max_cost", "resume", "root", "strict_lock")
"""Parameters of `webds run` that a run which goes on may have otherwise than when it began."""


@dataclass(frozen=True, slots=True)
class Again:
    """How to go on: from which checkout, with which changes by table of the configuration, for whom to read."""

    root: Path
    screen: Console
    changes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    strict: bool = False
    dry_run: bool = False
    as_json: bool = False

    def open(self, path: Path) -> tuple[Plan, RunFolder]:
        """The plan of the run in `path` and its folder: to write in, or in a dry run to look at."""
        folder = RunFolder.view(path) if self.dry_run else RunFolder.open(path)
        plan = plan_again(folder, self.root, strict=self.strict)
        return replace(plan, config=self.changed(plan.config)), folder

    def changed(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """The configuration with the changes."""
        return {**config, **{name: {**config.get(name, {}), **table} for name, table in self.changes.items()}}


def check_words(context: typer.Context) -> None:
    """InputFault for the words beside --resume that would be passed over: a run goes on as it began."""
    given = [p.opts[0] for p in context.command.params if p.name not in FREE and _is_given(context, str(p.name))]
    free = ", ".join(sorted(p.opts[0] for p in context.command.params if p.name in FREE and p.name != "resume"))
    if given:
        raise InputFault(f"{', '.join(given)}: a run goes on as it began; beside --resume there may be {free}")


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def caps_of_run(words: list[str]) -> dict[str, dict[str, Any]]:
    """New caps of a run that goes on, as a table of the configuration; none where none is named."""
    if wrong := [word for word in words if not word.startswith("caps.run.")]:
        raise InputFault(f"--max-cost {wrong[0].removeprefix('caps.')}: with --resume only caps of the run")
    return {"caps": settings.resolve(None, words)["caps"]} if words else {}


def again(folder: Path, how: Again) -> None:
    """Go on with the run in `folder`, or say what is left of it."""
    plan, kept = how.open(folder)
    if how.dry_run:
        running.announce([plan], how.as_json, [left(plan, kept)])
    else:
        running.finish(plan, kept, how.screen, how.as_json)


def left(plan: Plan, folder: RunFolder) -> list[tuple[Task, int]]:
    """The episodes that a resumed run would run: without a final try, or asked for once more."""
    history = History.read(folder.path)
    asked = {key for path, key in Control(folder.path).requeues() if not history.has(path.stem)}
    return [
        (task, repeat)
        for task, repeat in plan.episodes
        if (task.id, repeat) in asked or not is_final(history.fresh((task.id, repeat), folder.tries(task.id, repeat)))
    ]
