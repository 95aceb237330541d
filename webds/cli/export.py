"""`webds export`: a run in forms that other programs read; a leaderboard as static files."""

from pathlib import Path
from typing import Annotated

import typer

from webds.report.triplets import export_triplets
from webds.serve.board.export import export_board

app = typer.Typer(no_args_is_help=True)


@app.callback()
def export() -> None:
    """Export what a run recorded, or a leaderboard."""


@app.command()
def triplets(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's folder.", show_default=False)],
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="Where to write.", show_default=False)],
) -> None:
    """Write (observation, action, next observation) as DIR/triplets.parquet, with the screenshots in DIR/images."""
    done = export_triplets(run, to)
    for line in done.warnings:
        typer.echo(f"warning: {line}", err=True)
    typer.echo(f"{done.rows:,} triplets, {done.images:,} images: {done.parquet}")


@app.command()
def board(
    to: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write.", show_default=False)],
    books: Annotated[
        Path, typer.Option("--board", metavar="DB", help="Folder of the board's books.", show_default=False)
    ],
) -> None:
    """Write a leaderboard as static files: its pages, a page an entry, JSON, CSV and the style sheets."""
    typer.echo(f"{export_board(books, to)} entries: {to / 'index.html'}")
