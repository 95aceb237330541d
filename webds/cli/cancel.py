"""`webds cancel`: tell a run from another shell, through a file in its folder."""

from pathlib import Path
from typing import Annotated

import typer

from webds.runner.status import going

app = typer.Typer()


@app.command()
def cancel(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of a run, or of a matrix of runs.", show_default=False)
    ],
) -> None:
    """Stop the run as Ctrl-C does: running episodes are given up, what is finished is kept."""
    going(run).cancel()
    typer.echo(f"{run}: stopping. Go on with: webds run --resume {run}")
