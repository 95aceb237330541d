"""The least that a typer app with rich help can be: what `webds --help` is measured against."""

import rich
import typer

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _top() -> None:
    """Do nothing."""


@app.command()
def nothing() -> None:
    """Print nothing."""
    rich.print("")


if __name__ == "__main__":
    app(prog_name="empty")
