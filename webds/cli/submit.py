"""`webds submit`: reserve a run's id, pack the run, verify a bundle, send it (docs/submitting.md)."""

import hashlib
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from webds import config as settings
from webds.runner.plan import run_id
from webds.submit import reserved
from webds.submit.pack import pack as make_bundle
from webds.submit.verify import verified

app = typer.Typer(no_args_is_help=True, help="Hand in runs for scoring.")
Root = Annotated[str, typer.Option(help="Checkout; default: the nearest parent.")]
Server = Annotated[str, typer.Option(help="Address of the scoring server, https://...")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
TOKEN = "WEBDS_TEAM_TOKEN"  # noqa: S105 - the variable's name


@app.command()
def reserve(
    agent: Annotated[str, typer.Option(help="Agent of the run to come, as webds run --agent names it.")],
    server: Server,
    model: Annotated[str, typer.Option(help="Model of the run to come, as its table names it.")] = "",
    split: Annotated[str, typer.Option(help="public or private.")] = "private",
) -> None:
    """Reserve a run's id before the run: print it, for webds run --reserved."""
    name = run_id(agent)
    with reserved.client(server, settings.secret(TOKEN)) as http:
        reserved.reserve(http, name, {"agent": agent, "model": model, "split": split})
    if not model:
        typer.echo("webds: no --model: this id is for a run whose agent declares no model", err=True)
    typer.echo(name)


@app.command()
def pack(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    team: Annotated[str, typer.Option(help="Name of the team, as it was registered.")],
    to: Annotated[Path | None, typer.Option(help="Bundle to write; default: <run>.webds.zip beside the run.")] = None,
    as_json: Json = False,
) -> None:
    """Pack a run into one bundle: complete, and scrubbed of keys, tokens and home paths."""
    target = to or run.absolute().with_name(f"{run.absolute().name}.webds.zip")
    kept: list[str] = []
    manifest = make_bundle(run, team, target, kept.append)
    if as_json:
        counts = {"files": len(manifest.members), "scrubbed": dict(manifest.scrubbed), "home_paths_kept": kept}
        typer.echo(json.dumps({"bundle": str(target), **counts}))
        return
    several = f" of {manifest.repeat} repeats" if manifest.repeat > 1 else ""
    typer.echo(
        f"{target}: {len(manifest.tasks)} tasks{several}, {len(manifest.members)} files, {target.stat().st_size} bytes"
    )
    for kind, times in manifest.scrubbed.items():
        typer.echo(f"scrubbed: {kind}, {times} times")
    for name in kept:
        typer.echo(f"kept as it was handed in: a home path in {name}")


@app.command()
def verify(
    bundle: Annotated[Path, typer.Argument(help="Bundle.", exists=True, dir_okay=False)],
    root: Root = "",
    as_json: Json = False,
) -> None:
    """Check a bundle as the server does before it replays anything. Exit 2 and one reason where it is refused."""
    where = settings.find_root(root)
    with TemporaryDirectory(prefix="webds-verify-") as folder, verified(bundle, Path(folder) / "b", where) as manifest:
        said = {"run": manifest.run, "team": manifest.team, "split": manifest.split}
        counts = {"tasks": len(manifest.tasks), "repeat": manifest.repeat}
    if as_json:
        typer.echo(json.dumps({"bundle": str(bundle), "verified": True, **said, **counts}))
        return
    typer.echo(f"{bundle}: verified: {', '.join(f'{name} {value}' for name, value in {**said, **counts}.items())}")


@app.command()
def send(
    bundle: Annotated[Path, typer.Argument(help="Bundle.", exists=True, dir_okay=False)],
    server: Server,
    as_json: Json = False,
) -> None:
    """Upload a bundle; called again, go on where it stopped."""
    with bundle.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    with reserved.client(server, settings.secret(TOKEN)) as http:
        answer = reserved.send(http, bundle, digest, _progress if sys.stderr.isatty() else lambda *_: None)
    typer.echo(json.dumps(answer) if as_json else f"{bundle}: {answer.get('state')}: {answer.get('link', '')}")


def _progress(sent: int, size: int) -> None:
    end = "\n" if sent >= size else ""
    sys.stderr.write(f"\rsent {sent / 1e6:.1f} of {size / 1e6:.1f} MB{end}")
    sys.stderr.flush()
