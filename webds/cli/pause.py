"""`webds pause`: tell a run from another shell, through a file in its folder."""

from pathlib import Path
from typing import Annotated

import typer

from webds.runner.status import going

app = typer.Typer()


@app.command()
def pause(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of a run, or of a matrix of runs.", show_default=False)
    ],
) -> None:
    """Let the running episodes finish and begin no other; workers and browsers end, the runner sleeps."""
    going(run).pause()
    typer.echo(f"{run}: pausing; running episodes finish. Go on with: webds unpause {run}")
