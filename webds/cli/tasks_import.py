"""`webds tasks import`: tasks of another benchmark as files of one's own, with a report of what could not be mapped."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import tomlkit
import typer

from webds.cli.freeze import origins
from webds.errors import InputFault
from webds.store import write_atomic
from webds.suites.webarena import Imported, Lack, convert

app = typer.Typer(no_args_is_help=True, help="Tasks of another benchmark as files of your own.")


@app.callback()
def _verbs() -> None:
    """Write tasks of another benchmark as a tasks.toml and keys.toml of your own."""


@app.command()
def webarena(
    file: Annotated[Path, typer.Argument(help="A JSON file with one task or a list of them, or a folder of such.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder for tasks.toml and keys.toml; default: the file's stem.")
    ] = None,
    map_: Annotated[
        list[str] | None, typer.Option("--map", help="__PLACEHOLDER__=https://host: what a start address stands for.")
    ] = None,
    prefix: Annotated[str, typer.Option(help="Before each task's number in its id.")] = "webarena-",
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 where anything was lost or skipped.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Write tasks in the WebArena shape as your own; exit 2 where a file has not that shape."""
    made = convert(_rows(file), origins(map_ or (), lower=False), prefix)
    folder = out or Path(file.stem)
    if not made.tasks:
        why = f"; first: {made.skipped[0].task}: {made.skipped[0].why}" if made.skipped else ""
        raise InputFault(f"{file}: no task could be read{why}")
    _write(folder, made, force)
    report = _report(folder, made)
    typer.echo(json.dumps(report, indent=1, ensure_ascii=False) if as_json else "\n".join(_lines(report)))
    if strict and (made.skipped or any(lack.lost for lack in made.lacks)):
        raise typer.Exit(1)


def _rows(file: Path) -> Iterator[tuple[str, Any]]:
    """(where, JSON value) of every task. InputFault for what cannot be read."""
    files = sorted(file.glob("*.json")) if file.is_dir() else [file]
    if not files:
        raise InputFault(f"{file}: no .json file in it")
    for path in files:
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputFault(f"{path}: cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise InputFault(f"{path}: not JSON: {error}") from error
        for number, row in enumerate(value if isinstance(value, list) else [value], start=1):
            yield f"{path}: task number {number}", row


def _write(folder: Path, made: Imported, force: bool) -> None:
    tables = {"tasks.toml": {"task": made.tasks}, "keys.toml": {"key": made.keys}}
    for name in tables:
        if (folder / name).exists() and not force:
            raise InputFault(f"{folder / name}: is there already; write over it with --force, or choose another --out")
    for name, table in tables.items():
        write_atomic(folder / name, tomlkit.dumps(table).encode())


def _report(folder: Path, made: Imported) -> dict[str, Any]:
    fields: dict[tuple[str, str, bool], list[str]] = {}
    for lack in made.lacks:
        fields.setdefault((lack.field, lack.why, lack.lost), []).append(lack.task)
    unmapped = [
        {"field": name, "why": why, "lost": lost, "tasks": tasks} for (name, why, lost), tasks in sorted(fields.items())
    ]
    return {
        "tasks": str(folder / "tasks.toml"),
        "written": len(made.tasks),
        "keys": len(made.keys),
        "skipped": [_plain(lack) for lack in made.skipped],
        "unmapped": unmapped,
    }


def _plain(lack: Lack) -> dict[str, str]:
    return {"task": lack.task, "field": lack.field, "why": lack.why}


def _lines(report: dict[str, Any]) -> Iterator[str]:
    yield f"{report['tasks']}: {report['written']} tasks, {report['keys']} with a key, {len(report['skipped'])} skipped"
    for row in report["skipped"]:
        yield f"skipped {row['task']}: {row['field']}: {row['why']}"
    for row in report["unmapped"]:
        word = "lost" if row["lost"] else "implied"
        tasks = row["tasks"]
        more = f" and {len(tasks) - 3} more" if len(tasks) > 3 else ""
        yield f"{word} {row['field']}: {row['why']} ({', '.join(tasks[:3])}{more})"
