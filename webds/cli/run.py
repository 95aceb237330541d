"""`webds run`: plan, run with live progress, judge, report."""

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Column, Table

from webds import config as settings
from webds import jail, plugins
from webds.errors import InputFault
from webds.ports import Suite, Track
from webds.report.build import build
from webds.runner.plan import Plan, able, choose, head, read_tasks, run_id
from webds.runner.run import KEYED, Runner
from webds.store import RunFolder
from webds.tracks import docker
from webds.tracks.world import choose_isolation
from webds.types import Outcome, Task

app = typer.Typer()
INTERRUPTED = 130


@app.command()
def run(
    track: Annotated[str, typer.Option(help="How sites are served: dockerized.")] = "dockerized",
    agent: Annotated[
        str, typer.Option(help="Agent by name: oracle, nop, scripted, replay, or an installed plug-in.")
    ] = "scripted",
    tasks: Annotated[list[str] | None, typer.Option(help="Task ids or patterns; may be given more than once.")] = None,
    suite: Annotated[str, typer.Option(help="Suite by name.")] = "web",
    provider: Annotated[
        str, typer.Option(help="What the dockerized track runs its sites in: process or docker; default: the config's.")
    ] = "",
    repeat: Annotated[int, typer.Option(min=1, help="Episodes a task.")] = 1,
    concurrency: Annotated[int, typer.Option(min=1, help="Worker slots.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Run folder; default runs/<utc>-<agent>-<4 hex>.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the run in this folder.")] = None,
    config: Annotated[Path | None, typer.Option(help="TOML file over the defaults.")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="One field, as a.b=value.")] = None,
    root: Annotated[str, typer.Option(help="Checkout that holds sites_docker; default: the nearest parent.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print results.json's `run` part instead of tables.")] = False,
) -> None:
    """Run tasks with an agent, judge the episodes, write the report."""
    where = settings.find_root(root)
    if resume is not None:
        folder = RunFolder.open(resume)
        plan = _again(folder, where)
    else:
        sets = [*(set_ or ()), *([f"provider={provider}"] if provider else [])]
        plan = _plan(where, settings.resolve(config, sets), suite, track, agent, tasks or [], repeat, concurrency)
        name = run_id(agent)
        folder = RunFolder.create(out or Path("runs") / name, head(plan, name, {}))
    screen = Console(stderr=True, quiet=as_json)
    for line in plan.warnings:
        screen.print(f"warning: {line}", markup=False, highlight=False)
    finished = _drive(plan, folder, screen)
    paths = build(folder.path)
    folder.release()
    _close(paths, screen, as_json)
    if not finished:
        screen.print(f"stopped; what is finished is kept. Go on with: webds run --resume {folder.path}", markup=False)
        raise typer.Exit(INTERRUPTED)


def _plan(
    root: Path, config: dict[str, Any], suite: str, track: str, agent: str, words: list[str], repeat: int, slots: int
) -> Plan:
    plugins.find("webds.tracks", track)
    plugins.find("webds.agents", agent)
    if agent != KEYED:
        plugins.make("webds.agents", agent, {"root": root, **config["agents"].get(agent, {})})
    _find_browser(config)
    suited = plugins.make("webds.suites", suite, {"root": root})
    every = tuple(suited.tasks())
    chosen = choose(every, words)
    if not words:
        chosen = able(agent, {"root": root}, chosen)
    if not chosen:
        raise InputFault(
            f"agent {agent!r}: no task that it can try; known tasks: {', '.join(t.id for t in every) or 'none'}"
        )
    isolation, warning = _isolate(config, config["isolation"])
    _check_sites(plugins.make("webds.tracks", track, {"root": root, "isolation": isolation}), suited, chosen)
    sandbox = jail.mechanism()
    warnings = [f"sandbox: none ({jail.mechanism_reason()})"] if sandbox == "none" else []
    warnings += [warning] if warning else []
    return Plan(
        root=root,
        suite=suite,
        track=track,
        agent=agent,
        tasks=chosen,
        repeat=repeat,
        concurrency=slots,
        config=config,
        isolation=isolation,
        sandbox=sandbox,
        warnings=tuple(warnings),
    )


def _find_browser(config: dict[str, Any]) -> None:
    """Settle field chromium; with provider docker the browser is the image's."""
    if config.get("provider") != "docker":
        config["chromium"] = settings.find_chromium(config["chromium"])


def _isolate(config: dict[str, Any], wanted: str) -> tuple[str, str]:
    """(isolation, warning). With provider docker an engine must answer, and its image is built here if need be."""
    if config.get("provider") != "docker":
        return choose_isolation(wanted)
    docker.prepare(config["docker"], lambda line: typer.echo(f"webds: {line}", err=True))
    return "container", ""


def _check_sites(track: Track, suite: Suite, tasks: tuple[Task, ...]) -> None:
    """Say at once, with the task's name, that a task needs what the track does not have."""
    for task in tasks:
        try:
            track.serve(suite.needs([task]))
        except InputFault as wrong:
            raise InputFault(f"task {task.id}: {wrong}") from wrong


def _again(folder: RunFolder, root: Path) -> Plan:
    """The plan of an interrupted run, from its run.json."""
    kept, file = folder.head, str(folder.path / "run.json")
    try:
        names = {name: str(kept[name]) for name in ("suite", "track", "agent")}
        facts, config = kept["facts"], kept["config"]
        repeat, slots = int(kept["repeat"]), int(kept["concurrency"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputFault(f"{file}: field {error}: missing or malformed; this run cannot be resumed") from error
    _find_browser(config)
    isolation, _ = _isolate(config, str(facts["isolation"]))
    return Plan(
        root=root,
        **names,
        tasks=read_tasks(kept, file),
        repeat=repeat,
        concurrency=slots,
        config=config,
        isolation=isolation,
        sandbox=jail.mechanism(),
        warnings=tuple(kept.get("warnings", ())),
    )


def _drive(plan: Plan, folder: RunFolder, screen: Console) -> bool:
    """Run to the end with a live line; False after Ctrl-C."""
    counts: Counter[str] = Counter()
    needs = plugins.make("webds.suites", plan.suite, {"root": plan.root}).needs(plan.tasks)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[counts]}"))
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=screen) as progress:
        bar = progress.add_task("starting", total=len(plan.episodes), counts="")

        def listen(event: str, task: str, repeat: int, result: Outcome | None) -> None:
            if result is not None:
                counts[result.value] += 1
            said = " ".join(f"{name} {number}" for name, number in sorted(counts.items()))
            label = task if plan.repeat == 1 else f"{task}~{repeat}"
            what = {"start": label, "retry": f"{label} again", "done": f"{label} {result}"}[event]
            progress.update(bar, description=what, counts=said, advance=1 if event == "done" else 0)

        runner = Runner(plan, folder, needs, listen)
        try:
            asyncio.run(runner.go())
        except KeyboardInterrupt:
            return False
        progress.update(bar, description="finished")
    for line in runner.complaints[:1]:
        more = f" (and {len(runner.complaints) - 1} more like it)" if len(runner.complaints) > 1 else ""
        screen.print(f"warning: ungraded: {line}{more}", markup=False, highlight=False)
    return True


def _close(paths: Any, screen: Console, as_json: bool) -> None:
    results = json.loads(paths.results.read_text(encoding="utf-8"))
    if as_json:
        typer.echo(json.dumps(results["run"], indent=1))
        return
    table = Table(Column("task", no_wrap=True), "outcome", "ending", "steps", "seconds", box=SIMPLE)
    for row in results["episodes"]:
        seconds = f"{row['seconds']:.1f}" if row.get("seconds") is not None else ""
        table.add_row(row["task"], str(row["outcome"]), str(row["ending"]), str(row["steps"]), seconds)
    screen.print(table)
    typer.echo(f"report: {paths.html}")
