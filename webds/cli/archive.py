"""`webds archive`: look at, check, compare and exchange archives."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from webds.cli.freeze import instant, origins
from webds.errors import InputFault
from webds.store import read_json
from webds_recorder.archive import ArchiveReader
from webds_recorder.drift import Manner
from webds_recorder.drift import drift as drifted
from webds_recorder.rules import read_rules
from webds_recorder.verify import diff as differences
from webds_recorder.verify import info as facts
from webds_recorder.verify import set_rules
from webds_recorder.verify import verify as check
from webds_recorder.warc_export import export_wacz, export_warc
from webds_recorder.warc_import import import_file
from webds_recorder.writer import ArchiveWriter, Terms

app = typer.Typer(no_args_is_help=True)


def named(word: Path) -> Path:
    """The archive's folder; a word that is none of a folder is the name of a site that was frozen or imported."""
    site = Path("archives") / word
    return site if not (word / "manifest.json").is_file() and (site / "manifest.json").is_file() else word


Folder = Annotated[
    Path,
    typer.Argument(
        metavar="ARCHIVE", help="The archive's folder, or a SITE in archives/.", show_default=False, callback=named
    ),
]


@app.callback()
def archive() -> None:
    """Verify, show, compare, export and import archives."""


@app.command()
def verify(folder: Folder) -> None:
    """Check every file of an archive against its name, the index against the digest, and each rule by its example."""
    typer.echo(f"{folder}: whole, digest {check(folder)}")


@app.command()
def info(
    folder: Folder,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of lines.")] = False,
) -> None:
    """Say what an archive holds."""
    found = facts(folder)
    if as_json:
        typer.echo(json.dumps(found, indent=1, sort_keys=True))
        return
    for name, value in sorted(found.items()):
        typer.echo(f"{name}: {value if isinstance(value, str | int) else json.dumps(value, sort_keys=True)}")


@app.command()
def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="An archive's folder.", show_default=False)],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="Another one's.", show_default=False)],
) -> None:
    """Say what differs between two archives; exit code 1 where anything does."""
    lines = list(differences(old, new))
    for line in lines:
        typer.echo(line)
    if lines:
        raise typer.Exit(1)


@app.command()
def rules(
    folder: Folder,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON of rules.", show_default=False)],
) -> None:
    """Accept match rules: what FILE names is added to what the archive declares, in place of what has the same name.

    Each rule's example is asked first: where one is missed, the archive stays as it was. The digest is made anew.
    """
    with ArchiveReader(folder) as found:
        old = found.rules
    new = read_rules(read_json(file), str(file))
    for rule in new.rules:
        if not rule.example:
            raise InputFault(f"{file}: rule {rule.name!r}: field example: missing; wanted a URL that the rule answers")
    known = {rule.name for rule in new.rules}
    scripts = {script.name for script in new.scripts}
    merged = replace(
        new,
        query=tuple(sorted({*old.query, *new.query})),
        json=tuple(sorted({*old.json, *new.json})),
        rules=(*(rule for rule in old.rules if rule.name not in known), *new.rules),
        scripts=(*(script for script in old.scripts if script.name not in scripts), *new.scripts),
    )
    typer.echo(f"{folder}: digest {set_rules(folder, merged)}")


@app.command("export")
def export_(
    folder: Folder,
    warc: Annotated[Path | None, typer.Option(help="Write a WARC file (.gz: compressed).")] = None,
    wacz: Annotated[Path | None, typer.Option(help="Write a WACZ file.")] = None,
) -> None:
    """Write an archive as WARC or WACZ."""
    if (warc is None) == (wacz is None):
        raise InputFault("archive export: one of --warc FILE and --wacz FILE is wanted")
    with ArchiveReader(folder) as found:
        if warc is not None:
            with warc.open("wb") as out:
                report = export_warc(found, out, zipped=warc.suffix == ".gz")
        else:
            assert wacz is not None
            report = export_wacz(found, wacz)
    for note in report.notes:
        typer.echo(f"warning: {note}", err=True)
    typer.echo(f"{warc or wacz}: {report.records} records")


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .warc, .warc.gz or .wacz.", show_default=False)],
    site: Annotated[str, typer.Option(help="Name of the site.", show_default=False)],
    out: Annotated[Path | None, typer.Option(help="Archive folder; default archives/<site>.")] = None,
    frozen: Annotated[str, typer.Option(help="Instant that pages believe in; default now.")] = "",
    redact: Annotated[list[str] | None, typer.Option(help="Text to replace wherever it stands in answers.")] = None,
    allow_header: Annotated[list[str] | None, typer.Option(help="Header whose values may look random.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an archive that is there.")] = False,
) -> None:
    """Make an archive from a file that another tool captured."""
    folder = out or Path("archives") / site
    with ArchiveWriter(folder, Terms(site=site, frozen=instant(frozen)), force=force) as writer:
        report = import_file(file, writer, tuple(redact or ()))
        digest = writer.finish({"imported": file.name, "notes": report.notes}, allow_header or ())
    for note in report.notes:
        typer.echo(f"warning: {note}", err=True)
    typer.echo(f"archive: {folder} {digest}")


@app.command()
def drift(
    folder: Folder,
    value: Annotated[list[str] | None, typer.Option(help="A value that tasks rely on; may be given again.")] = None,
    delay: Annotated[float, typer.Option(min=0, help="Seconds between pages.")] = 1.0,
    map_: Annotated[list[str] | None, typer.Option("--map", help="HOST=ORIGIN: ask another address.")] = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="Accept any certificate of the origin.")] = False,
    robots: Annotated[bool, typer.Option("--robots/--no-robots", help="Obey robots.txt.")] = True,
) -> None:
    """Fetch the live pages again and say what has changed; exit code 1 where anything has."""
    manner = Manner(origins=origins(map_ or ()), delay=delay, insecure=insecure, robots=robots)
    if asyncio.run(_drift(folder, manner, tuple(value or ()))):
        raise typer.Exit(1)


async def _drift(folder: Path, manner: Manner, values: tuple[str, ...]) -> int:
    pages, changed = 0, 0
    with ArchiveReader(folder) as found:
        async for url, lines in drifted(found, manner, values):
            if lines is None:
                typer.echo(f"note: {url}: robots.txt forbids it (--no-robots asks all the same)", err=True)
                continue
            pages += 1
            changed += bool(lines)
            for line in lines:
                typer.echo(f"~ {url}: {line}")
    typer.echo(f"{changed} of {pages} pages changed")
    return changed
