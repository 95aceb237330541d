"""`webds judge explain`: one episode's chain from evidence to verdict, computed without a model."""

import subprocess
from pathlib import Path
from typing import Annotated

import typer

from webds import config as settings
from webds.errors import InputFault
from webds.interpreter import module
from webds.runner.judging import keys_beside
from webds.store import RunFolder


def explain(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder.")],
    episode: Annotated[str, typer.Argument(help="Task id, or task~repeat.")],
    root: Annotated[str, typer.Option(help="Checkout with the keys; default: the nearest parent.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the chain as JSON.")] = False,
) -> None:
    """Where each value of the answer comes from, pages missed, loops, and what each judge said and quoted."""
    keys = keys_beside(RunFolder.view(folder).head.get("config", {}))
    words = ["--root", str(settings.find_root(root)), *keys]
    words += ["--json"] if as_json else []
    done = subprocess.run(
        [*module("webds_judge.explain"), *words, str(folder), episode], capture_output=True, text=True, check=False
    )
    if done.returncode == 2:
        raise InputFault(done.stderr.strip())
    typer.echo(done.stdout, nl=False)
    if done.returncode:
        typer.echo(done.stderr, err=True, nl=False)
        raise typer.Exit(3)
