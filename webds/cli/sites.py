"""`webds sites`: the frozen sites of this checkout."""

import json
import socket
from typing import Annotated, Any

import typer
import uvicorn
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table

from webds import config as settings
from webds.cli.sites_new import new
from webds.errors import InputFault
from webds.tracks import archives
from webds.tracks.siteapps import app_of
from webds.tracks.sites import Site, all_sites, pick

app = typer.Typer(no_args_is_help=True, help="The frozen sites.")
Root = Annotated[str, typer.Option(help="Checkout that holds sites_docker; default: the nearest parent.")]
Port = Annotated[int, typer.Option(help="Port on 127.0.0.1; 0 takes a free one.")]
Name = Annotated[str, typer.Argument(help="Site by name, as `webds sites list` shows it.")]


app.command()(new)


@app.command("list")
def list_(root: Root = "", as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the sites with their frozen instant and data digests."""
    sites = list(all_sites(settings.find_root(root)).values())
    if as_json:
        typer.echo(json.dumps([_row(site) for site in sites], indent=1))
        return
    table = Table(Column("site", no_wrap=True), "title", "frozen at", "data files", box=SIMPLE)
    for site in sites:
        table.add_row(site.name, site.title, f"{site.frozen:%Y-%m-%d %H:%M}", str(len(site.data)))
    Console().print(table)


@app.command()
def serve(name: Name, port: Port = 0, root: Root = "") -> None:
    """Serve a site to your own browser on 127.0.0.1 until Ctrl-C. Not how agents see it: no proxy, no namespace."""
    _serve(name, port, root, launch=False)


@app.command()
def build(
    names: Annotated[list[str] | None, typer.Argument(help="Sites to build; all that run from an archive.")] = None,
    force: Annotated[bool, typer.Option(help="Build even where nothing has changed.")] = False,
    update_lock: Annotated[bool, typer.Option(help="Pin the digests in sites_docker/lock.toml.")] = False,
    quiet: Annotated[bool, typer.Option(help="Say nothing where there was nothing to do.")] = False,
    strict_lock: Annotated[
        bool, typer.Option(help="Exit 1 where a digest is not the pinned one (always so in CI).")
    ] = False,
    root: Root = "",
) -> None:
    """Build the archives that agents are served from; nothing to do where they are there."""
    where = settings.find_root(root)
    sites = pick(where, names) if names else list(all_sites(where).values())
    for site in sites:
        if names and site.serve != "archive":
            raise InputFault(f"site {site.name}: field serve: {site.serve!r}: it runs from its app and has no archive")
    strict = strict_lock or settings.in_ci()
    built = archives.ensure(where, sites, typer.echo, force, whole=strict or update_lock)
    if update_lock:
        archives.lock(where, built)
        built = archives.ensure(where, sites, typer.echo)
    for item in (item for item in built if not quiet or item.warning or item.fresh):
        typer.echo(
            item.warning or f"{item.site}: {item.digest[:12]} as pinned{'' if item.fresh else ', nothing to do'}"
        )
    if strict and any(item.warning for item in built):
        raise typer.Exit(1)


@app.command("open")
def open_(name: Name, port: Port = 0, root: Root = "") -> None:
    """Serve a site, and open it in the default browser."""
    _serve(name, port, root, launch=True)


def _serve(name: str, port: int, root: str, *, launch: bool) -> None:
    where = settings.find_root(root)
    site = pick(where, [name])[0]
    try:
        listener = socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise InputFault(f"--port {port}: {error.strerror}; choose another, or 0 for a free one") from error
    address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    typer.echo(f"{site.title}: {address} (Ctrl-C ends)")
    if launch:
        typer.launch(address)
    config = uvicorn.Config(app_of(where, site), log_level="warning")
    uvicorn.Server(config).run(sockets=[listener])


def _row(site: Site) -> dict[str, Any]:
    return {
        "name": site.name,
        "title": site.title,
        "frozen": site.frozen.isoformat(),
        "host": site.host,
        "serve": site.serve,
        "data": list(site.data),
    }
