"""`webds diff`: two runs compared over the tasks that they share."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table

from webds.errors import InputFault
from webds.report.compare import Comparison, Pair, Side, compare
from webds.report.rows import RunView, read_run
from webds.stats import p_text, points

app = typer.Typer()
LIVE = "live"
_LISTED = 20


@app.command()
def diff(
    before: Annotated[Path, typer.Argument(metavar="RUN_A", show_default=False, help="The run to compare with.")],
    after: Annotated[Path, typer.Argument(metavar="RUN_B", show_default=False, help="The run compared.")],
    by: Annotated[
        list[str] | None, typer.Option(help="Label to compare within, p adjusted by Holm; may be given again.")
    ] = None,
    tracks: Annotated[
        bool, typer.Option("--tracks", help="RUN_A is live, RUN_B the same agent on frozen sites: print the gap.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare two runs task by task: difference with interval, McNemar's exact test, the tasks that flipped."""
    views = (read_run(before), read_run(after))
    if tracks:
        _check_tracks(*views)
    wanted = tuple(dict.fromkeys(by or ("difficulty",)))
    _check_labels(views[0], wanted)
    found = compare(*views, by=wanted)
    if as_json:
        typer.echo(json.dumps(found.plain(), indent=1, ensure_ascii=False))
        return
    names = ("live", "frozen") if tracks else ("before", "after")
    console = Console(markup=False, highlight=False)
    for line in lines(found, *names):
        console.print(line, soft_wrap=True)
    if found.groups:
        console.print(_table(found))
    for text in found.warnings:
        typer.echo(f"warning: {text}", err=True)


def lines(found: Comparison, before: str, after: str) -> Iterator[str]:
    """The comparison in words; the runs are called `before` and `after`."""
    for name, run in ((before, found.before), (after, found.after)):
        yield f"{name:<7} {_named(run)}: {run.lenient.text}"
    test = found.test
    if test.difference is None:
        yield "no task is graded in both runs"
    else:
        yield f"{after} less {before}: {test.difference.text}"
        yield f"  whole sites drawn: {_by_site(found)}"
        if found.strict:
            yield f"  every planned episode counted: {found.strict.text}"
        yield f"McNemar, exact: {test.better} better, {test.worse} worse, {test.alike} alike: {p_text(test.p)}"
    for word, pairs in zip(("better", "worse"), found.flipped, strict=True):
        yield from _flipped(word, pairs)
    yield from _left_out(found)


def _named(run: Side) -> str:
    return f"{run.id} ({run.agent} on {run.track})"


def _by_site(found: Comparison) -> str:
    if found.by_cluster is None:
        return f"no interval from {found.clusters} {'site' if found.clusters == 1 else 'sites'}"
    low, high = found.by_cluster
    return f"95 % interval {points(low)} to {points(high)}; {found.clusters} sites"


def _flipped(word: str, pairs: list[Pair]) -> Iterator[str]:
    for pair in pairs[:_LISTED]:
        was, became = pair.before, pair.after
        yield f"  {word}: {pair.task}: {was.passes} of {was.n}, then {became.passes} of {became.n}"
    if len(pairs) > _LISTED:
        yield f"  {word}: and {len(pairs) - _LISTED} more (--json lists them)"


def _left_out(found: Comparison) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for task, why in found.left_out:
        reasons.setdefault(why, []).append(task)
    for why, tasks in reasons.items():
        more = f" and {len(tasks) - 3} more" if len(tasks) > 3 else ""
        yield f"left out, {why}: {len(tasks)}: {', '.join(tasks[:3])}{more}"


def _table(found: Comparison) -> Table:
    table = Table(Column("group", no_wrap=True), "difference", "better", "worse", "alike", "p (Holm)", box=SIMPLE)
    for group in found.groups:
        test = group.test
        said = test.difference.text if test.difference else "no task"
        counts = (str(test.better), str(test.worse), str(test.alike))
        table.add_row(f"{group.label} {group.value}", said, *counts, p_text(group.holm))
    return table


def _check_tracks(live: RunView, frozen: RunView) -> None:
    for view, wanted in ((live, True), (frozen, False)):
        track = view.head.get("track")
        if (track == LIVE) is not wanted:
            accepted = LIVE if wanted else "any but live"
            raise InputFault(f"{view.path / 'run.json'}: field track: {track!r}; --tracks wants {accepted} here")


def _check_labels(view: RunView, wanted: tuple[str, ...]) -> None:
    known = {"difficulty", *(label for row in view.rows for label in row.labels)}
    for label in wanted:
        if label not in known:
            raise InputFault(f"--by {label}: no such label; known: {', '.join(sorted(known))}")
