"""`webds tasks`: the public tasks of this checkout. Shows what an agent may see, never a key.

Only `validate`, `review` and `stats` load the judge, by name, and tell verdicts and counts of what they read there.
"""

import asyncio
import json
import sys
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table

from webds import config as settings
from webds import scratch
from webds.agents.scripted import solution
from webds.cli import tasks_import, tasks_private
from webds.cli.hovering import pointer
from webds.cli.terminal import drive
from webds.codec import plain
from webds.difficulty import difficulty
from webds.errors import InputFault
from webds.seal.proof import overlay
from webds.store import write_atomic
from webds.suites import taskfiles
from webds.tracks import archives
from webds.tracks.siteapps import fetch_from
from webds.tracks.sites import pick
from webds.types import Task

app = typer.Typer(no_args_is_help=True, help="The public tasks.")
app.add_typer(tasks_import.app, name="import")
for _verb in (tasks_private.seal, tasks_private.unseal, tasks_private.audit, tasks_private.leaks):
    app.command(_verb.__name__)(_verb)
Root = Annotated[str, typer.Option(help="Checkout that holds tasks_public; default: the nearest parent.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Config = Annotated[Path | None, typer.Option(help="TOML file over the defaults.")]
Split = Annotated[str, typer.Option(help="public, or private: the sealed tasks (docs/sealing.md).")]
Id = Annotated[str, typer.Argument(help="Task by id, as `webds tasks list` shows it.")]


@app.command("list")
def list_(root: Root = "", split: Split = "public", as_json: Json = False) -> None:
    """List the tasks with their labels and computed difficulty."""
    where = settings.find_root(root)
    tasks = _tasks(where, split)
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
def show(task: Id, root: Root = "", split: Split = "public", as_json: Json = False) -> None:
    """Show one task as an agent gets it."""
    found = _find(settings.find_root(root), task, split)
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
    config: Config = None,
    split: Split = "public",
) -> None:
    """Solve a task yourself in this terminal: the agent's own actions, one JSON object a line on stdin.

    For example {"name": "click", "args": {"id": "3"}}. Each answer is the observation's text. Nothing is judged.
    """
    where = settings.find_root(root)
    found = _find(where, task, split)
    resolved = settings.resolve(config, ())
    resolved["chromium"] = settings.find_chromium(resolved["chromium"])
    archives.ensure(where, pick(where, taskfiles.sites_of(found)), lambda line: typer.echo(f"webds: {line}", err=True))
    with scratch.home() as home:
        folder = home / "open"
        folder.mkdir()
        asyncio.run(drive(where, found, resolved, folder, sys.stdin, sys.stdout))


@app.command()
def validate(
    root: Root = "",
    as_json: Json = False,
    reviews: Annotated[bool, typer.Option("--reviews/--no-reviews", help="Ask for an agreeing review a task.")] = True,
    tips: Annotated[bool, typer.Option("--tips/--no-tips", help="Look at tips, with a real pointer.")] = True,
    config: Config = None,
    split: Split = "public",
) -> None:
    """Check tasks, keys, evidence and reviews against the sites, by the judge's own rules. Exit 1 on a fault."""
    here = settings.find_root(root)
    read, check = import_module("webds_judge.checkout").read, import_module("webds_judge.validate").findings_of
    with _at(here, split) as where, pointer(here, config, wanted=tips) as hover:
        found = read(where)
        findings = check(found, fetch_from(here), hover=hover, with_reviews=reviews)
    count, faulty = len(found.rows), _faulty(set(found.tasks), findings)
    if as_json:
        rows = [plain(item) for item in findings]
        typer.echo(json.dumps({"tasks": count, "tasks_with_faults": faulty, "findings": rows}, indent=1))
    else:
        for item in findings:
            typer.echo(f"{_named(item.file, split)}: {item.task}: {item.field}: {item.problem}")
        left_out = [name for name, wanted in (("reviews", reviews), ("tips", tips)) if not wanted]
        note = f" (left out: {', '.join(left_out)})" if left_out else ""
        typer.echo(f"{count} tasks, {faulty} with faults, {len(findings)} faults{note}")
    if findings:
        raise typer.Exit(1)


@app.command()
def review(
    task: Id,
    reviewer: Annotated[str, typer.Option(help="Alias of who solved it; one who has seen neither key nor solution.")],
    closed_book: Annotated[
        str, typer.Option(help="The answer from memory before the site was opened: wrong, unknown or right.")
    ],
    answer: Annotated[str, typer.Option(help="The answer found on the site, as it would be submitted.")],
    minutes: Annotated[float, typer.Option(help="How long it took on the site.")],
    path: Annotated[str, typer.Option(help="Which way led to it, in a few words.")],
    doubts: Annotated[str, typer.Option(help="What was unclear in prompt or pages.")] = "",
    file: Annotated[list[Path] | None, typer.Option(help="A file that would be submitted; may be given again.")] = None,
    root: Root = "",
    split: Split = "public",
) -> None:
    """Add a second solver's review to reviews.toml, which lies beside the keys. The judge says whether it agrees."""
    judge = import_module("webds_judge.reviews")
    said = judge.Review(
        task=task, revision=0, reviewer=reviewer, closed_book=closed_book, answer=answer, minutes=minutes, path=path,
        doubts=doubts, agrees=False,
    )  # fmt: skip
    copies = {item.name: item.read_bytes() for item in file or ()}
    with _at(settings.find_root(root), split) as where:
        target, kept, why = judge.append(import_module("webds_judge.checkout").read(where), said, copies)
        name = _named(str(target.relative_to(where)), split)
    word = "agrees" if kept.agrees else "differs"
    typer.echo(f"{name}: {task}, revision {kept.revision}: {word}")
    if not kept.agrees:
        typer.echo(why)
    if kept.closed_book == "right":
        typer.echo("right from memory: the task goes back")


@app.command()
def stats(root: Root = "", as_json: Json = False) -> None:
    """Count the tasks by every label, difficulty under both rules, check kind, answer type and review."""
    found = import_module("webds_judge.stats").stats(settings.find_root(root))
    if as_json:
        typer.echo(json.dumps(found, indent=1, ensure_ascii=False))
        return
    table = Table(Column("group", no_wrap=True), "counts", box=SIMPLE)
    for group, counts in found.items():
        table.add_row(group, ", ".join(f"{value} {count}" for value, count in counts.items()))
    Console().print(table)


@app.command()
def constants(
    root: Root = "",
    to: Annotated[Path | None, typer.Option(help="Write the table there instead of printing it.")] = None,
    split: Split = "public",
) -> None:
    """Let agents that know nothing try every task: constants, the prompt, a dump of numbers. Exit 1 from 3 %."""
    here = settings.find_root(root)
    judge = import_module("webds_judge.constants")
    with _at(here, split) as where:
        luck = judge.tried(where, fetch_from(here))
    if to is not None:
        write_atomic(to, judge.as_markdown(luck).encode())
    else:
        typer.echo(judge.as_markdown(luck))
    if luck.share >= judge.LIMIT:
        typer.echo(f"passed by luck: {', '.join(luck.together)}", err=True)
        raise typer.Exit(1)


def _at(root: Path, split: str) -> AbstractContextManager[Path]:
    """The checkout to look at: of the private split one whose task files are those of WEBDS_PRIVATE_DIR."""
    if split not in settings.ACCEPTED["split"]:
        raise InputFault(f"--split {split}: known: {', '.join(settings.ACCEPTED['split'])}")
    return overlay(root, settings.private_folder(root)) if split == "private" else nullcontext(root)


def _faulty(tasks: set[str], findings: list[Any]) -> int:
    """How many tasks have a fault: those of `tasks` by name, and tables of task files that give no name."""
    named = {item.task for item in findings} & tasks
    rest = {(item.file, item.task) for item in findings if item.task not in {*tasks, "-"}}
    return len(named) + sum(Path(file).name == "tasks.toml" for file, _ in rest)


def _named(file: str, split: str) -> str:
    """A file as a person finds it: the private folder stands where the public tasks are in a checkout."""
    return file.replace("tasks_public", "WEBDS_PRIVATE_DIR", 1) if split == "private" else file


def _tasks(root: Path, split: str) -> list[Task]:
    """The tasks as agents see them: of the private split the heads of what is sealed."""
    if split not in settings.ACCEPTED["split"]:
        raise InputFault(f"--split {split}: known: {', '.join(settings.ACCEPTED['split'])}")
    return taskfiles.private(root) if split == "private" else [entry.task() for _, entry in taskfiles.entries(root)]


def _find(root: Path, name: str, split: str) -> Task:
    tasks = {task.id: task for task in _tasks(root, split)}
    if name not in tasks:
        raise InputFault(f"no task {name!r}; known: {', '.join(tasks) or 'none'}")
    return tasks[name]


def _row(task: Task) -> dict[str, Any]:
    value = plain(task)
    assert isinstance(value, dict)
    return {**value, "difficulty": difficulty(task.labels)}
