"""`webds report`: write a run's report again, from its folder alone."""

import json
from pathlib import Path
from typing import Annotated

import typer

from webds.report.build import build
from webds.report.export import results

app = typer.Typer()


@app.command()
def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's folder.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts and scores as JSON.")] = False,
) -> None:
    """Write report.html, results.json, episodes.parquet and a page for each episode into RUN."""
    paths = build(run)
    if as_json:
        typer.echo(json.dumps(results(paths.view)["run"], indent=1, sort_keys=True))
    else:
        typer.echo(f"report: {paths.html}")
