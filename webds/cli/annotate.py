"""`webds annotate`: the human verification pass, from the sample to the figures (docs/annotation.md)."""

import json
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from time import time
from typing import Annotated, Any

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table

from webds import config as settings
from webds.annotate import people
from webds.annotate import plan as plans
from webds.annotate.book import Book, stamp
from webds.store import write_atomic

app = typer.Typer(no_args_is_help=True, help="People label a sample of a run's tries, blind.")
Plan = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan's folder.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def plan(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders.", show_default=False)],
    per_stratum: Annotated[int, typer.Option(help="Tries of each tier, outcome, site and agent.")],
    seed: Annotated[int, typer.Option(help="Seed of every draw and of each rater's order.")],
    out: Annotated[Path, typer.Option(help="The plan's folder; labels are kept there too.")] = Path("annotation"),
    double: Annotated[float, typer.Option(help="Share that is labelled twice; every disagreement is.")] = 0.2,
    repeats: Annotated[float, typer.Option(help="Share that comes again, hidden, to who labelled it.")] = 0.05,
    gap: Annotated[int, typer.Option(help="Labels between an item and its hidden repeat.")] = 5,
    lease: Annotated[float, typer.Option(help="Seconds for which an item is held for who opened it.")] = 1800,
    training: Annotated[
        Path | None, typer.Option(help="JSON lines of known labels: run, task, label, why.", show_default=False)
    ] = None,
    root: Annotated[str, typer.Option(help="Checkout that holds the keys; default: the nearest parent.")] = "",
    as_json: AsJson = False,
) -> None:
    """Draw the sample, before anyone looks: N of each stratum, all on which the judges differ, everything ungraded."""
    plans.refuse_second(out)
    how = plans.How(per_stratum=per_stratum, seed=seed, double=double, repeats=repeats, gap=gap, lease=lease)
    draft = plans.Draft(settings.find_root(root), out, how)
    taught = list(draft.training(training)) if training is not None else []
    made = draft.plan(plans.gather(draft, runs), taught, datetime.now(UTC).isoformat(timespec="seconds"))
    path = plans.write(out, made)
    sample = [item for item in made.items if not item.training]
    counts = {
        "plan": str(path),
        "items": len(sample),
        "strata": len(made.strata),
        "twice": sum(item.wanted > 1 for item in sample),
        "repeats": sum(bool(item.repeat) for item in sample),
        "training": len(taught),
        "left_out": list(made.left_out),
    }
    if as_json:
        typer.echo(json.dumps(counts, indent=1))
        return
    for line in made.left_out:
        typer.echo(f"left out: {line}", err=True)
    typer.echo(
        f"plan: {path}: {counts['items']} items of {counts['strata']} strata, {counts['twice']} labelled twice, "
        f"{counts['repeats']} hidden repeats, {counts['training']} for training"
    )


@app.command()
def invite(
    plan: Plan,
    alias: Annotated[
        str, typer.Argument(help="Name under which labels are kept; omit to list.", show_default=False)
    ] = "",
    adjudicate: Annotated[bool, typer.Option("--adjudicate", help="A third person: settles, labels nothing.")] = False,
    days: Annotated[float, typer.Option(help="Days until the link ends.")] = 14,
    at: Annotated[str, typer.Option(help="Address of the server.")] = "http://127.0.0.1:8765",
    revoke: Annotated[bool, typer.Option("--revoke", help="End the alias's link and sessions; labels stay.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print an invite link, once; or list who was invited. A new link for an alias ends the old one."""
    book = Book(plan)
    if not alias:
        _list(people.everybody(book), as_json)
    elif revoke:
        people.revoke(book, alias, time())
        typer.echo(f"{alias}: revoked")
    else:
        role = people.ROLES[adjudicate]
        token = people.invite(book, alias, role, days, time())
        link = f"{at.rstrip('/')}/annotate/enter#{token}"
        typer.echo(json.dumps({"alias": alias, "role": role, "link": link}) if as_json else link)


def _list(found: list[dict[str, Any]], as_json: bool) -> None:
    shown = [{k: stamp(v) if isinstance(v, float) else v for k, v in row.items()} for row in found]
    if as_json:
        typer.echo(json.dumps(shown, indent=1))
        return
    names = ("alias", "role", "labels", "entered", "expires", "revoked")
    table = Table(*(Column(name, no_wrap=True) for name in names), box=SIMPLE)
    for row in shown:
        table.add_row(*(str(row[name] if row[name] is not None else "-") for name in names))
    Console().print(table)


@app.command()
def export(
    plan: Plan,
    to: Annotated[Path, typer.Option("--to", help="File to write.")] = Path("labels.jsonl"),
) -> None:
    """Write all labels as JSON Lines (docs/labels.md). From then on they can no longer be changed."""
    number = _part("export").export(Book(plan), to, time())
    typer.echo(f"{number} labels: {to}")


@app.command("import")
def import_(
    labels: Annotated[list[Path], typer.Argument(help="Files of labels, JSON Lines.", show_default=False)],
    run: Annotated[list[Path], typer.Option(help="Run folder that they speak of; may be given again.")],
) -> None:
    """Keep people's labels beside the runs as verdicts of judge human:<alias>; one that does not match refuses all."""
    done = _part("export").bring_in(labels, run)
    typer.echo(f"{done.verdicts} verdicts written, {done.other} other rows (training, hidden repeats, judges) left out")


@app.command()
def report(
    plan: Plan,
    html: Annotated[Path | None, typer.Option(help="Also write a page.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Agreement of people with each other and with the judges, confusion by tier, disagreements with their steps."""
    part = _part("report")
    book = Book(plan)
    found = part.report(book)
    if html is not None:
        write_atomic(html, part.page(found, str(book.folder.resolve().name)))
    if as_json:
        typer.echo(json.dumps(found, indent=1, ensure_ascii=False))
        return
    for line in part.lines(found):
        typer.echo(line)


def _part(name: str) -> Any:
    # The libraries of statistics take a second to load, so that only these verbs load them.
    return import_module(f"webds.annotate.{name}")
