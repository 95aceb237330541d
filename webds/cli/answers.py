"""`webds judge answers`: how often the typed comparison is right on labelled pairs, over all and by kind."""

import json
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table

from webds.errors import InputFault


def answers(
    pairs: Annotated[Path, typer.Argument(help="JSON lines: id, kind, reference, type, candidate, verdict.")],
    minimum: Annotated[float, typer.Option("--min", help="Least accuracy, 0 to 1; below it the exit code is 1.")] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Judge labelled answer pairs: accuracy, false accepts and rejects. Exit 1 below --min, or where one broke."""
    if not 0 <= minimum <= 1:
        raise InputFault(f"--min: {minimum} is not between 0 and 1")
    judge = import_module("webds_judge.answers.pairs")
    rows = list(judge.judged(judge.read(pairs)))
    total, kinds = judge.tally(rows), judge.by_kind(rows)
    if as_json:
        shown = {**total.plain(), "by_kind": {kind: found.plain() for kind, found in kinds.items()}}
        typer.echo(json.dumps(shown, indent=1, ensure_ascii=False))
    else:
        _show(rows, total, kinds)
    broken = [row for row in rows if row.broke]
    for row in broken:
        typer.echo(f"comparison broke: {row.pair.id}: {row.why}", err=True)
    if broken or total.accuracy < minimum:
        raise typer.Exit(1)


def _show(rows: list[Any], total: Any, kinds: dict[str, Any]) -> None:
    table = Table(*(Column(name, justify="right" if name != "kind" else "left") for name in _HEAD), box=SIMPLE)
    for kind, found in (*kinds.items(), ("all", total)):
        table.add_row(
            kind, *map(str, (found.n, f"{found.accuracy:.1%}", len(found.false_accepts), len(found.false_rejects)))
        )
    Console().print(table)
    for row in rows:
        if row.passed is not row.pair.verdict:
            word = "false accept" if row.passed else "false reject"
            typer.echo(f"{word}  {row.pair.id}: {row.pair.candidate[:80]!r}: {row.why}")
    typer.echo(
        f"{total.n} pairs ({total.right} right, {total.wrong} wrong): accuracy {total.accuracy:.2%}, "
        f"{len(total.false_accepts)} false accepts, {len(total.false_rejects)} false rejects"
    )


_HEAD = ("kind", "pairs", "accuracy", "false accepts", "false rejects")
