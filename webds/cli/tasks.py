"""`webds tasks`: the public tasks of this checkout. Shows what an agent may see, never a key."""

import asyncio
import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table

from webds import config as settings
from webds.agents.scripted import solution
from webds.cli.terminal import drive
from webds.codec import plain
from webds.difficulty import difficulty
from webds.errors import InputFault
from webds.suites import taskfiles
from webds.tracks.siteapps import fetch_from
from webds.types import Task

app = typer.Typer(no_args_is_help=True, help="The public tasks.")
Root = Annotated[str, typer.Option(help="Checkout that holds tasks_public; default: the nearest parent.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Id = Annotated[str, typer.Argument(help="Task by id, as `webds tasks list` shows it.")]


@app.command("list")
def list_(root: Root = "", as_json: Json = False) -> None:
    """List the tasks with their labels and computed difficulty."""
    where = settings.find_root(root)
    tasks = [entry.task() for _, entry in taskfiles.entries(where)]
    if as_json:
        typer.echo(json.dumps([_row(task) for task in tasks], indent=1, ensure_ascii=False))
        return
    table = Table(Column("task", no_wrap=True), "difficulty", "kind", "hops", "tools", "script", box=SIMPLE)
    for task in tasks:
        labels = task.labels
        tools = "yes" if labels.get("tools") else ""
        script = "yes" if solution(where, task.id) else ""
        table.add_row(
            task.id, difficulty(labels), str(labels.get("kind", "")), str(labels.get("hops", "")), tools, script
        )
    Console().print(table)


@app.command()
def show(task: Id, root: Root = "", as_json: Json = False) -> None:
    """Show one task as an agent gets it."""
    found = _find(settings.find_root(root), task)
    if as_json:
        typer.echo(json.dumps(_row(found), indent=1, ensure_ascii=False))
        return
    console = Console()
    console.print(f"{found.id}, revision {found.revision}, {difficulty(found.labels)}", style="bold", markup=False)
    console.print(found.prompt, markup=False, highlight=False)
    console.print(f"start: {found.start.get('url', '')}", markup=False, highlight=False)
    console.print(f"budget: {found.budget.steps} steps, {found.budget.seconds:g} s", markup=False)
    console.print(f"labels: {json.dumps(plain(found.labels))}", markup=False, highlight=False)


@app.command("open")
def open_(
    task: Id,
    root: Root = "",
    config: Annotated[Path | None, typer.Option(help="TOML file over the defaults.")] = None,
) -> None:
    """Solve a task yourself in this terminal: the agent's own actions, one JSON object a line on stdin.

    For example {"name": "click", "args": {"id": "3"}}. Each answer is the observation's text. Nothing is judged.
    """
    where = settings.find_root(root)
    found = _find(where, task)
    resolved = settings.resolve(config, ())
    resolved["chromium"] = settings.find_chromium(resolved["chromium"])
    with tempfile.TemporaryDirectory(prefix="webds-open-") as folder:
        asyncio.run(drive(where, found, resolved, Path(folder), sys.stdin, sys.stdout))


@app.command()
def validate(root: Root = "", as_json: Json = False) -> None:
    """Check tasks and keys: fields, references, oracle, evidence against what the sites serve. Exit 1 on a fault."""
    where = settings.find_root(root)
    count = sum(1 for _ in taskfiles.entries(where))
    findings = import_module("webds_judge.validate").validate(where, fetch_from(where))
    if as_json:
        typer.echo(json.dumps({"tasks": count, "findings": [plain(item) for item in findings]}, indent=1))
    else:
        for item in findings:
            typer.echo(f"{item.file}: {item.task}: {item.field}: {item.problem}")
        typer.echo(f"{count} tasks, {len(findings)} faults")
    if findings:
        raise typer.Exit(1)


def _find(root: Path, name: str) -> Task:
    tasks = {entry.id: entry.task() for _, entry in taskfiles.entries(root)}
    if name not in tasks:
        raise InputFault(f"no task {name!r}; known: {', '.join(tasks) or 'none'}")
    return tasks[name]


def _row(task: Task) -> dict[str, Any]:
    value = plain(task)
    assert isinstance(value, dict)
    return {**value, "difficulty": difficulty(task.labels)}
