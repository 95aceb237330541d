"""What `webds run` does with a plan: say what it would take, run it with a live line, close it with its report."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Column, Table

from webds import plugins
from webds.cli.planning import price_file
from webds.engines import engine
from webds.prices import read_prices
from webds.report.build import ReportPaths, build
from webds.report.estimate import Estimate, estimate, past_rows
from webds.report.render import duration
from webds.report.rows import RunView
from webds.report.stats import lenient, strict
from webds.report.tally import ledger, repeats
from webds.runner.choosing import values
from webds.runner.plan import Plan
from webds.runner.run import Runner
from webds.store import RunFolder
from webds.types import Outcome, Task

RUNS = Path("runs")
"""Where runs lie by default, and where past ones are looked for."""
type Episodes = Sequence[tuple[Task, int]]
"""Tasks, each with the number of its repeat."""
STOPPED = {"SIGINT": 130, "cancel": 130, "SIGTERM": 143}
"""Exit codes of a run that was stopped, as a shell gives them."""


def finish(plan: Plan, folder: RunFolder, screen: Console, as_json: bool) -> None:
    """Run what is not done yet, write the report, say where it is. Exit as STOPPED says if it was stopped."""
    paths, stopped = carry_out(plan, folder, screen)
    _close(paths, screen, as_json)
    if stopped:
        stop(folder.path, stopped, screen)


def stop(folder: Path, stopped: str, screen: Console) -> NoReturn:
    """Say how to go on, and exit: as a shell says it where a signal stopped the run, with 1 where a cap did."""
    higher = f" ({stopped}); a higher --max-cost goes with it" if stopped not in STOPPED else ""
    screen.print(f"stopped; what is finished is kept. Go on with: webds run --resume {folder}{higher}", markup=False)
    raise typer.Exit(STOPPED.get(stopped, 1))


def carry_out(plan: Plan, folder: RunFolder, screen: Console) -> tuple[ReportPaths, str]:
    """Run and report; "" or what stopped it, as in STOPPED. The folder's lock is given back."""
    for line in plan.warnings:
        screen.print(f"warning: {line}", markup=False, highlight=False)
    stopped = _drive(plan, folder, screen)
    paths = build(folder.path)
    folder.release()
    return paths, stopped


def _drive(plan: Plan, folder: RunFolder, screen: Console) -> str:
    """Run to the end with a live line; "" or what stopped it: SIGINT (Ctrl-C), SIGTERM, cancel."""
    done: dict[tuple[str, int], str] = {}
    episodes = plan.episodes
    here = dict.fromkeys(task.id for task, _ in episodes)
    needed = [task for task in plan.tasks if task.id in here]
    needs = plugins.make("webds.suites", plan.suite, {"root": plan.root}).needs(needed)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[counts]}"))
    timing = (TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, *timing, console=screen, refresh_per_second=4) as progress:
        bar = progress.add_task("starting", total=len(episodes), counts="")

        def listen(event: str, task: str, repeat: int, result: Outcome | None) -> None:
            if result is not None:
                done[task, repeat] = result.value  # once, though it may be requeued and end again
            said = " ".join(f"{name} {number}" for name, number in sorted(Counter(done.values()).items()))
            label = task if plan.repeat == 1 else f"{task}~{repeat}"
            if event == "note":
                progress.console.print(task, markup=False, highlight=False)
                return
            if event == "pause":  # a live line that nothing changes would cost a tenth of a core
                progress.stop()
                return
            progress.start()
            what = {"start": label, "retry": f"{label} again", "done": f"{label} {result}"}.get(event, task)
            progress.update(bar, description=what, counts=said, completed=len(done))

        try:
            with engine(plan.config) as hire:
                runner = Runner(plan, folder, needs, listen, hire)
                stopped = asyncio.run(runner.go())
        except KeyboardInterrupt:
            stopped = "SIGINT"
        if stopped:
            return stopped
        progress.update(bar, description="finished")
    for line in runner.complaints[:1]:
        more = f" (and {len(runner.complaints) - 1} more like it)" if len(runner.complaints) > 1 else ""
        screen.print(f"warning: ungraded: {line}{more}", markup=False, highlight=False)
    return ""


def _close(paths: ReportPaths, screen: Console, as_json: bool) -> None:
    results = json.loads(paths.results.read_text(encoding="utf-8"))
    if as_json:
        typer.echo(json.dumps(results["run"], indent=1))
        return
    table = Table(Column("task", no_wrap=True), "outcome", "ending", "steps", "seconds", box=SIMPLE)
    for row in results["episodes"]:
        seconds = f"{row['seconds']:.1f}" if row.get("seconds") is not None else ""
        name = row["task"] if results["run"]["repeat"] == 1 else f"{row['task']}~{row['repeat']}"
        table.add_row(name, str(row["outcome"]), str(row["ending"]), str(row["steps"]), seconds)
    screen.print(table)
    for line in score_lines(paths.view):
        screen.print(line, markup=False, highlight=False, soft_wrap=True)
    typer.echo(f"report: {paths.html}")


def score_lines(view: RunView) -> Iterator[str]:
    """The score in words, each share with its interval; further lines only where they say something more."""
    counted, rows = view.counts, view.rows
    yield f"graded:  {lenient(counted).text}"
    if strict(counted) != lenient(counted):
        yield f"planned: {strict(counted).text}"
    for item in repeats(rows)[1:]:
        yield f"pass@{item.k}:  {item.at.text}"
        yield f"pass^{item.k}:  {item.hat.text}"
    tries = ledger(rows)
    if tries.all.calls:
        yield f"usage:   {tries.all.text}"
    if tries.superseded or tries.cut_off:
        yield f"tries:   {tries.superseded} tried again, {tries.cut_off} cut off"
    for row in rows:
        yield from (f"flagged: {row.task}~{row.repeat}: {flag}" for flag in row.flags)


def announce(plans: Sequence[Plan], as_json: bool, left: Sequence[Episodes] = ()) -> None:
    """`--dry-run`: what each plan would run, and what it would take by past runs. Makes no run folder.

    `left`: for each plan of a run that goes on, what is not done of it.
    """
    rows = [_announced(plan, rest) for plan, rest in zip(plans, left or [p.episodes for p in plans], strict=True)]
    if as_json:
        typer.echo(json.dumps(rows[0] if len(rows) == 1 else rows, indent=1, ensure_ascii=False))
        return
    for plan, row in zip(plans, rows, strict=True):
        typer.echo(_words(plan, row))


def _announced(plan: Plan, left: Episodes) -> dict[str, Any]:
    episodes = [task.id for task, _ in left]
    found = _estimate(plan, episodes)
    chosen = {task.id: task for task, _ in left}
    limits = [task.budget.seconds for task, _ in left]
    return {
        "agent": plan.agent,
        "model": plan.declares.get("model"),
        "track": plan.track,
        "episodes": len(episodes),
        "repeat": plan.repeat,
        "shard": str(plan.shard),
        "tasks": list(chosen),
        "difficulty": dict(Counter(text for task in chosen.values() for text in values(task, "difficulty"))),
        "seconds_limit": sum(limits) if all(limits) else None,
        "estimate": {
            "seconds": found.seconds,
            "tokens": dict(found.tokens) if found.tokens is not None else None,
            "dollars": found.dollars,
            "why": found.why,
        },
        "cost": found.cost,
        "warnings": list(plan.warnings),
    }


def _estimate(plan: Plan, episodes: Sequence[str]) -> Estimate:
    model = str(plan.declares.get("model", ""))
    named = price_file(plan.config, plan.agent)
    prices = read_prices(Path(named)) if named else None
    return estimate(episodes, past_rows(RUNS, plan.agent, model), model, prices)


def _words(plan: Plan, row: dict[str, Any]) -> str:
    kinds = ", ".join(f"{count} {name}" for name, count in row["difficulty"].items())
    model = f" with model {row['model']}" if row["model"] else ""
    part = f", shard {plan.shard}" if plan.shard.of > 1 else ""
    shown = ", ".join(row["tasks"][:8]) + (f" and {len(row['tasks']) - 8} more" if len(row["tasks"]) > 8 else "")
    took = row["estimate"]["seconds"]
    at_most = duration(row["seconds_limit"] / plan.concurrency) if row["seconds_limit"] else "no limit"
    time = f"about {duration(took / plan.concurrency)} of steps" if took is not None else "unknown, no past episode"
    what = f"{row['episodes']} episodes of {len(row['tasks'])} tasks ({kinds})"
    lines = (
        f"{row['agent']}{model} on {row['track']}: {what}{part}",
        f"tasks:   {shown}",
        f"time:    {time}, at concurrency {plan.concurrency}; by the tasks' limits at most {at_most}, retries apart",
        f"cost:    {row['cost']}",
        *(f"warning: {line}" for line in plan.warnings),
    )
    return "\n".join(lines)
