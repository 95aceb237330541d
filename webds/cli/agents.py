"""`webds agents`: which agents there are, and a self-test of any of them."""

import inspect
import json
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table

from webds import config as settings
from webds import plugins
from webds.agents.selftest import FIXTURE, Row, examine, plain
from webds.cli.planning import Wish, plan_new
from webds.cli.running import carry_out
from webds.errors import InputFault
from webds.runner.choosing import Selection
from webds.runner.plan import head, run_id
from webds.scratch import scratch
from webds.store import RunFolder

app = typer.Typer(no_args_is_help=True, help="Agents: list them, try one.")
GROUP = "webds.agents"
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(as_json: _Json = False) -> None:
    """List the agents that `--agent` takes, installed plug-ins too."""
    rows = [_described(entry) for _, entry in sorted(plugins.known(GROUP).items())]
    if as_json:
        typer.echo(json.dumps(rows, indent=1))
        return
    table = Table(Column("agent", no_wrap=True), "from", "what it is", box=SIMPLE)
    for row in rows:
        table.add_row(row["name"], row["from"], row["about"])
    Console().print(table)


def _described(entry: EntryPoint) -> dict[str, str]:
    source = entry.dist.name if entry.dist else ""
    try:
        factory = plugins.find(GROUP, entry.name)
    except InputFault as broken:
        return {"name": entry.name, "from": source, "about": str(broken)}
    text = inspect.getdoc(sys.modules[factory.__module__]) or "no description"
    first = " ".join(text.partition("\n\n")[0].split())
    return {"name": entry.name, "from": source, "about": first.partition(": ")[2] or first}


@app.command()
def check(
    name: Annotated[str, typer.Argument(help="Agent by name, as `webds agents list` shows it.")],
    set_: Annotated[list[str] | None, typer.Option("--set", help="One field, as a.b=value.")] = None,
    config: Annotated[Path | None, typer.Option(help="TOML file over the defaults.")] = None,
    out: Annotated[Path | None, typer.Option(help="Keep the run in this folder; default: it is removed.")] = None,
    solve: Annotated[bool, typer.Option("--solve", help="An unsolved task, too, is a failure.")] = False,
    as_json: _Json = False,
) -> None:
    """Try an agent on three small browser tasks, offline; exit 1 if it does not behave (with --solve: or solve)."""
    resolved = settings.resolve(config, (*(set_ or ()), "limits.endpoint_wait=0"))
    screen = Console(stderr=True, quiet=as_json)
    wish = Wish(suite="web", track="dockerized", agent=name, selection=Selection(words=()))
    plan = plan_new(FIXTURE, resolved, wish)
    with scratch() as place:
        label = run_id(name)
        run = RunFolder.create(out or place / "run", head(plan, label, {}))
        paths, stopped = carry_out(plan, run, screen)
        rows = [examine(run.tries(task.id, 0)[-1]) for task in plan.tasks if run.tries(task.id, 0)]
        if stopped:
            raise typer.Exit(130)
    _show(rows, out and paths.html, as_json)
    if len(rows) < len(plan.tasks) or any(row.wrong or (solve and not row.solved) for row in rows):
        raise typer.Exit(1)


def _show(rows: list[Row], report: Path | None, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps([plain(row) for row in rows], indent=1))
        return
    table = Table(Column("task", no_wrap=True), "behaved", "solved", "ending", "steps", "model", box=SIMPLE)
    for row in rows:
        words = ("no" if row.wrong else "yes", "yes" if row.solved else "no")
        table.add_row(row.task, *words, row.ending, str(row.steps), row.usage)
    screen = Console()
    screen.print(table)
    for row in rows:
        for line in row.wrong:
            screen.print(f"{row.task}: {line}", markup=False, highlight=False, soft_wrap=True)
    behaved, solved = (sum(map(bool, flags)) for flags in ([not r.wrong for r in rows], [r.solved for r in rows]))
    typer.echo(f"behaved in {behaved} of {len(rows)}, solved {solved}" + (f"; report: {report}" if report else ""))
