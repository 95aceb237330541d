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
from webds import plugins
from webds.cli.planning import Wish, plan_again, plan_new
from webds.report.build import build
from webds.runner.plan import Plan, head, run_id
from webds.runner.run import Runner
from webds.store import RunFolder
from webds.types import Outcome

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
    strict_lock: Annotated[
        bool, typer.Option(help="Refuse archives that are not those of sites_docker/lock.toml (always so in CI).")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print results.json's `run` part instead of tables.")] = False,
) -> None:
    """Run tasks with an agent, judge the episodes, write the report."""
    where = settings.find_root(root)
    if resume is not None:
        folder = RunFolder.open(resume)
        plan = plan_again(folder, where)
    else:
        sets = [*(set_ or ()), *([f"provider={provider}"] if provider else [])]
        wish = Wish(suite=suite, track=track, agent=agent, words=tuple(tasks or ()), strict_lock=strict_lock)
        plan = plan_new(where, settings.resolve(config, sets), wish, repeat, concurrency)
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
