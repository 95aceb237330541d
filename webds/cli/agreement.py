"""`webds judge agreement` and `webds judge calibrate`: people's labels against each other and against judges."""

import json
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from webds.errors import InputFault
from webds.store import RunFolder

Labels = Annotated[list[Path] | None, typer.Argument(help="Files of labels, JSON Lines (docs/labels.md).")]
Runs = Annotated[list[Path] | None, typer.Option("--run", help="Run folder whose judges' verdicts count as labels.")]


def agreement(
    labels: Labels = None,
    runs: Runs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """How far raters agree: percent, kappa, AC1, alpha with intervals, confusion by tier, McNemar, corrected success.

    Give one file of labels or more; judges' verdicts come from rows of the files or from --run.
    """
    found = measured(labels, runs)
    if as_json:
        typer.echo(json.dumps(found, indent=1, ensure_ascii=False))
        return
    for line in _part("words").lines(found):
        typer.echo(line)


def measured(labels: list[Path] | None, runs: list[Path] | None) -> dict[str, Any]:
    """The figures, with what the judges of the runs were (webds_judge.agreement.stamps)."""
    read, figures, stamps = (_part(name) for name in ("labels", "figures", "stamps"))
    folders = [RunFolder.view(run) for run in runs or ()]
    rows = read.read(_given(labels)) + [row for run in folders for row in read.of_run(run)]
    return {**figures.report(rows), **stamps.of(rows, folders)}


def calibrate(
    labels: Labels = None,
    runs: Runs = None,
    out: Annotated[Path, typer.Option(help="Folder for calibration.json and calibration.html.")] = Path("calibration"),
    apply: Annotated[
        Path | None, typer.Option(help="A calibration.json to correct the runs' success rates by.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the calibration, or the rates, as JSON.")] = False,
) -> None:
    """Measure the rubric's model against people's labels of judged runs, or correct a run's success rate by that.

    A calibration is stamped with model, prompts and rubric; used on a run that was judged by others it is refused.
    """
    folders = [RunFolder.view(run) for run in runs or ()]
    if not folders:
        raise InputFault("--run: a run that the rubric has judged is needed")
    if apply is not None:
        _apply(apply, folders, as_json)
        return
    read, calibration, words = (_part(name) for name in ("labels", "calibration", "words"))
    found = calibration.made(read.read(_given(labels)), folders)
    paths = calibration.write(out, found, words.page(found))
    if as_json:
        typer.echo(json.dumps(found, indent=1, ensure_ascii=False))
        return
    for line in (*words.lines(found["figures"]), *(f"warning: {line}" for line in found["warnings"])):
        typer.echo(line)
    typer.echo(f"calibration: {paths[0]}, {paths[1]}")


def _apply(path: Path, folders: list[RunFolder], as_json: bool) -> None:
    calibration, words = _part("calibration"), _part("words")
    rates = {str(run.path): calibration.applied(path, run) for run in folders}
    plain = {name: rate.plain() if rate else None for name, rate in rates.items()}
    if as_json:
        typer.echo(json.dumps(plain, indent=1))
        return
    for name, rate in rates.items():
        typer.echo(f"{name}: as judged {rate.apparent.text if rate else 'unknown'}; {words.corrected(plain[name])}")


def _given(labels: list[Path] | None) -> list[Path]:
    if not labels:
        raise InputFault("LABELS: at least one file of labels is needed (docs/labels.md)")
    return labels


def _part(name: str) -> Any:
    # The libraries of statistics take a second to load, so that only these verbs load them.
    return import_module(f"webds_judge.agreement.{name}")
