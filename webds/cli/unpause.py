"""`webds unpause`: tell a run from another shell, through a file in its folder."""

from pathlib import Path
from typing import Annotated

import typer

from webds.runner.status import going

app = typer.Typer()


@app.command()
def unpause(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of a run, or of a matrix of runs.", show_default=False)
    ],
) -> None:
    """Go on after a pause."""
    going(run).unpause()
    typer.echo(f"{run}: going on")
