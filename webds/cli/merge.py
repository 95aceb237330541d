"""`webds merge`: shards of one run, or the parts that several machines ran, as one run."""

import json
from pathlib import Path
from typing import Annotated

import typer

from webds.report.build import build
from webds.report.export import results
from webds.runner.merge import merge as merge_runs

app = typer.Typer()


@app.command()
def merge(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders.", show_default=False)],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="The merged run's folder; must not be there.", show_default=False)
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print results.json's `run` part.")] = False,
) -> None:
    """Merge run folders of one plan into one run and write its report. Different plans or archives are refused."""
    done = merge_runs(runs, out)
    paths = build(done.folder.path)
    done.folder.release()
    for line in done.warnings:
        typer.echo(f"warning: {line}", err=True)
    if done.missing:
        typer.echo(
            f"{done.missing} planned episodes are in none of them; run them with: webds run --resume {out}", err=True
        )
    if as_json:
        typer.echo(json.dumps(results(paths.view)["run"], indent=1, sort_keys=True))
    else:
        typer.echo(f"{done.episodes} episodes of {len(runs)} runs\nreport: {paths.html}")
