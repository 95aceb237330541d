"""`webds status`: how a run stands, from any shell that reaches its folder."""

import json
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from webds.errors import InputFault
from webds.runner.status import MATRIX, Status, cells, read_status

app = typer.Typer()
PERIOD = 2.0


@app.command()
def status(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of a run, or of a matrix of runs.", show_default=False)
    ],
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Show it live until no runner works on it.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="As JSON; with --follow one line each time it changed.")
    ] = False,
) -> None:
    """Show what runs, what is done and how it ended, and how many tries it took."""
    if (run / MATRIX).is_file():
        _matrix(run, follow, as_json)
    elif not follow:
        found = read_status(run)
        typer.echo(json.dumps(found.plain(), indent=1) if as_json else words(found))
    elif as_json:
        _lines(run)
    else:
        with Live(console=Console(), auto_refresh=False) as live:
            while True:
                found = read_status(run)
                live.update(Text(words(found)), refresh=True)
                if found.settled:
                    return
                time.sleep(PERIOD)


def _matrix(folder: Path, follow: bool, as_json: bool) -> None:
    """Each cell that has begun."""
    found = [read_status(cell) for cell in cells(folder)]
    if follow:
        named = ", ".join(item.run for item in found) or "none has begun"
        raise InputFault(f"{folder}: --follow is of one run; this matrix's runs: {named}")
    typer.echo(json.dumps([item.plain() for item in found], indent=1) if as_json else "\n\n".join(map(words, found)))


def _lines(run: Path) -> None:
    last = ""
    while True:
        found = read_status(run)
        line = json.dumps(found.plain())
        if line != last:
            typer.echo(line)
        if found.settled:
            return
        last = line
        time.sleep(PERIOD)


def words(found: Status) -> str:
    """The status as a person reads it."""
    outcomes = ", ".join(f"{count} {name}" for name, count in found.outcomes.items()) or "none yet"
    tries = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in found.tries.items() if count)
    who = f" (process {found.pid} on {found.host})" if found.pid else ""
    lines = [
        f"{found.run}: {found.state}{who}",
        f"episodes: {found.done} of {found.planned} done: {outcomes}",
        f"tries:    {tries or 'none'}",
        *(f"running:  {row['task']}~{row['repeat']}, try {row['try']}, since {row['since']}" for row in found.running),
    ]
    lines += [f"requeued: {found.requeues} not taken yet"] if found.requeues else []
    return "\n".join(lines)
