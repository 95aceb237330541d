"""`webds board`: what maintainers do on the scoring server's machine (docs/submitting.md)."""

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from webds import config as settings
from webds import scratch
from webds.cli.agreement import measured
from webds.cli.rubric import table_of
from webds.errors import InputFault
from webds.files import read_json
from webds.seal import box
from webds.submit import intake
from webds.submit.agreed import register as register_agreement
from webds.submit.book import FILE, Book, add_person
from webds.submit.decide import DECISIONS, decide, revoke
from webds.submit.human import register as register_human
from webds.submit.scorer import Scorer
from webds_judge.rubric import table as rubric_table

app = typer.Typer(no_args_is_help=True, help="Run a scoring server.")
Folder = Annotated[Path, typer.Argument(metavar="DB", help="Folder of the board's books.")]
Root = Annotated[str, typer.Option(help="Checkout; default: the nearest parent.")]
_PAUSE = 2.0
_TOLD = "SELECT state, level, why FROM submissions WHERE id = ?"
_WITH_STARS = (
    "SELECT state, level, why, coalesce('stars ' || round(stars, 1), 'no stars: ' || json_extract(second, '$.why'))"
    " AS stars FROM submissions LEFT JOIN results ON submission = id WHERE id = ?"
)


@app.command()
def team(folder: Folder, name: Annotated[str, typer.Argument(help="Name of the team.")]) -> None:
    """Register a team and print its token, which is shown this once."""
    typer.echo(add_person(Book(folder), "teams", name))


@app.command()
def maintainer(folder: Folder, name: Annotated[str, typer.Argument(help="Name of the maintainer.")]) -> None:
    """Register a maintainer and print the token that opens the maintainer's page, which is shown this once."""
    typer.echo(add_person(Book(folder), "maintainers", name))


@app.command("revoke")
def revoke_(
    folder: Folder,
    name: Annotated[str, typer.Argument(metavar="TEAM", help="Name of the team; with --maintainer, of a maintainer.")],
    reason: Annotated[str, typer.Option(help="Why; it is kept.")],
    who: Annotated[str, typer.Option(help="Who decides.")],
    of_maintainer: Annotated[bool, typer.Option("--maintainer", help="End a maintainer's token and sessions.")] = False,
) -> None:
    """End a token and keep the reason; what was handed in stays. Registered once more, the name gets a new token."""
    book = _book(folder)
    revoke(book, "maintainers" if of_maintainer else "teams", name, reason, who)
    if not of_maintainer:
        intake.drop(book, name)
    typer.echo(f"{name}: revoked")


@app.command()
def score(
    folder: Folder,
    root: Root = "",
    watch: Annotated[bool, typer.Option("--watch", help="Stay, and score what comes in.")] = False,
    config: Annotated[
        Path | None, typer.Option(help="TOML file whose table rubric names a judge model.", show_default=False)
    ] = None,
    sets: Annotated[list[str] | None, typer.Option("--set", help="A field of table rubric: rubric.model=...")] = None,
) -> None:
    """Score what is queued. This process alone has WEBDS_PRIVATE_KEY_FILE; without it only public runs are scored.

    Where a table `rubric` names a model, as for webds judge run, the rubric gives public runs their stars (1 to 5).
    """
    scratch.sweep()  # of a scorer that was killed: keys in clear may lie there
    book, where, file = _book(folder), settings.find_root(root), settings.private_key_file()
    rubric = table_of(settings.read_toml(config) if config is not None else {}, str(config), sets or ())
    if rubric:
        rubric_table.read(rubric)  # what is wrong with it is said now, and not of every submission
    scorer = Scorer(book, where, box.private_key(file) if file is not None else None, rubric)
    scorer.again()
    while True:
        number = scorer.one()
        if number:
            row = book.rows(_WITH_STARS if rubric else _TOLD, number)[0]
            typer.echo(" ".join(["submission", str(number) + ":", *(str(row[f]) for f in row if row[f])]))
        elif not watch:
            return
        else:
            time.sleep(_PAUSE)


@app.command("list")
def list_(folder: Folder, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the submissions with their state."""
    rows = _book(folder).rows("SELECT id, team, run, split, state, level, why, at FROM submissions ORDER BY id")
    if as_json:
        typer.echo(json.dumps(rows))
        return
    for row in rows:
        typer.echo("  ".join(str(value) for value in row.values() if value != ""))


@app.command("decide")
def decide_(
    folder: Folder,
    submission: Annotated[int, typer.Argument(help="Number of the submission.")],
    decision: Annotated[str, typer.Option(help=f"One of: {', '.join(DECISIONS)}.")],
    reason: Annotated[str, typer.Option(help="Why; it is kept.")],
    who: Annotated[str, typer.Option(help="Who decides.")],
) -> None:
    """Decide on a submission and keep the reason."""
    decide(_book(folder), submission, decision, reason, who)
    typer.echo(f"submission {submission}: {decision}")


@app.command()
def human(
    folder: Folder,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder of agent human.", show_default=False)],
    person: Annotated[str, typer.Option(help="Alias of the person, shown as human:ALIAS; 1 to 32 of a-z, 0-9, -, _.")],
    reason: Annotated[str, typer.Option(help="What is known of how the run was made; it is kept.")],
    who: Annotated[str, typer.Option(help="Who registers it.")],
    root: Root = "",
) -> None:
    """Register a person's run for the human row; board score scores it like any other."""
    number = register_human(
        _book(folder), settings.find_root(root), run, alias=person, who=who, reason=reason
    )  # fmt: skip
    typer.echo(f"submission {number}: queued")


@app.command("agreement")
def agreement_(
    folder: Folder,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="What webds judge agreement --json --run RUN printed, or a calibration.json; with --run, labels.",
            show_default=False,
        ),
    ],
    who: Annotated[str, typer.Option(help="Who registers it.")],
    runs: Annotated[list[Path] | None, typer.Option("--run", help="Run folder that the labels speak of.")] = None,
    judge: Annotated[str, typer.Option(help="Take the figures of this judge only; default: of every one.")] = "",
    root: Root = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Register how far the judge agrees with people's labels; what was measured on another judge is refused."""
    if runs:
        report, where = measured(files, runs), ", ".join(map(str, files))
    elif len(files) == 1:
        report, where = read_json(files[0]), str(files[0])
    else:
        raise InputFault("FILE...: one report, or files of labels with --run")
    if not isinstance(report, dict):
        raise InputFault(f"{where}: wanted a JSON object; files of labels need --run")
    kept = register_agreement(_book(folder), settings.find_root(root), report, who, where=where, only=judge)
    if as_json:
        typer.echo(json.dumps([asdict(item) for item in kept]))
        return
    for item in kept:
        typer.echo(f"{item.judge}: {item.figures.text}")


def _book(folder: Path) -> Book:
    if not (folder / FILE).is_file():
        raise InputFault(f"{folder}: no board's books here; begin them with: webds board team {folder} NAME")
    return Book(folder)
