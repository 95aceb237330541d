"""`webds serve`: the annotation pass and the leaderboard to browsers."""

from pathlib import Path
from typing import Annotated

import typer

from webds.config import find_root
from webds.errors import InputFault
from webds.serve.annotation.part import annotation_part
from webds.serve.board.part import board_part
from webds.serve.frame import log_to_stderr, make_app
from webds.serve.listen import Listen
from webds.serve.listen import serve as run_server
from webds.serve.part import Part

app = typer.Typer()
PORT = 8765
"""A fixed one by default: invite links name it."""


@app.command()
def serve(
    annotate: Annotated[
        Path | None,
        typer.Option(metavar="PLAN", help="Folder of an annotation plan: people label it.", show_default=False),
    ] = None,
    board: Annotated[
        Path | None,
        typer.Option(metavar="DB", help="Folder of a leaderboard's books (webds board).", show_default=False),
    ] = None,
    root: Annotated[str, typer.Option(help="Checkout of the board's tasks; default: the nearest parent.")] = "",
    host: Annotated[
        str, typer.Option(help="Address; wider than this machine only with TLS or --behind-proxy.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.")] = PORT,
    certificate: Annotated[Path | None, typer.Option(help="TLS certificate chain (PEM).", show_default=False)] = None,
    key: Annotated[Path | None, typer.Option(help="TLS key (PEM).", show_default=False)] = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="A proxy ends TLS and sets X-Forwarded-For.")
    ] = False,
    proxy: Annotated[
        str, typer.Option(help="Address of that proxy; no other's X-Forwarded-For is believed.")
    ] = "127.0.0.1",
    name: Annotated[
        list[str] | None, typer.Option(help="Host name that people type, with TLS or a proxy; may be given again.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No line for each request.")] = False,
) -> None:
    """Serve to browsers until Ctrl-C; by default to this machine only."""
    listen = Listen(
        host=host,
        port=port,
        certificate=certificate,
        key=key,
        behind_proxy=behind_proxy,
        proxy=proxy,
        names=tuple(name or ()),
    )
    listen.check()
    parts: list[Part] = []
    if annotate is not None:
        parts.append(annotation_part(annotate))
    if board is not None:
        parts.append(board_part(board, find_root(root)))
    if not parts:
        raise InputFault("nothing to serve: give --annotate PLAN, --board DB or both")
    if not quiet:
        log_to_stderr()
    run_server(
        make_app(parts, listen.settings()), listen, lambda address: typer.echo(f"serving {address} (Ctrl-C ends)")
    )
