"""`webds judge`: grade episodes again, offline, from their evidence alone; and prove the typed comparison."""

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from webds import config as settings
from webds import scratch
from webds.cli import rubric
from webds.cli.agreement import agreement, calibrate
from webds.cli.answers import answers
from webds.cli.explain import explain
from webds.errors import InputFault
from webds.outcome import outcome
from webds.report.build import build
from webds.runner.children import Child
from webds.runner.judging import GRADED, keys_beside
from webds.store import Committed, RunFolder, read_try

app = typer.Typer(no_args_is_help=True, help="Grade episodes again.")
app.command("answers")(answers)
app.command("explain")(explain)
app.command("agreement")(agreement)
app.command("calibrate")(calibrate)


@app.callback()
def _verbs() -> None:
    """Grade the episodes of a run again."""


@app.command()
def run(
    folder: Annotated[Path, typer.Argument(help="Run folder.")],
    missing: Annotated[bool, typer.Option(help="Only episodes that have no verdict yet.")] = False,
    force: Annotated[bool, typer.Option(help="The rubric's verdicts anew as well, from its cache.")] = False,
    canaries: Annotated[bool, typer.Option(help="Ask the canaries; without them verdicts are unsound.")] = True,
    sets: Annotated[list[str] | None, typer.Option("--set", help="A field of table rubric: rubric.model=...")] = None,
    root: Annotated[str, typer.Option(help="Checkout with the keys; default: the nearest parent.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome counts as JSON.")] = False,
) -> None:
    """Grade every finished episode of a run again, and write the report anew.

    The typed judge speaks first. Where a table `rubric` names a model (--set rubric.model=..., rubric.base_url=...;
    kept in the run for the next time) the rubric then judges the episodes that have no verdict of it yet.
    """
    where = settings.find_root(root)
    store = RunFolder.open(folder)
    items = [item for item in store.committed() if item.evidence.ending in GRADED]
    wanted = [item for item in items if not missing or "tier1" not in item.verdicts]
    with scratch.home():
        answers = asyncio.run(_grade(where, store, wanted))
        _check_keys(where, answers)
        second = rubric.judged(where, store, items, sets or (), rubric.How(force=force, canaries=canaries))
    counts = Counter(outcome(i.evidence, read_try(i.folder).verdicts).value for i in store.committed())
    paths = build(store.path)
    store.release()
    if as_json:
        typer.echo(json.dumps({"graded": len(answers), "outcomes": dict(sorted(counts.items())), "rubric": second}))
        return
    for item, answer in zip(wanted, answers, strict=True):
        word = answer.get("error") or f"{answer.get('kind')}: {answer.get('passed')}: {answer.get('why')}"
        typer.echo(f"{item.evidence.task}~{item.evidence.repeat}  {word}")
    for line in rubric.lines(second):
        typer.echo(line)
    typer.echo(f"report: {paths.html}")


def _check_keys(root: Path, answers: list[dict[str, Any]]) -> None:
    """InputFault where the keys of tries that were graded before are not to be had."""
    kept = sum(answer.get("kept") is True for answer in answers)
    if kept:
        raise InputFault(
            f"--root {root}: no key here for {kept} of {len(answers)} episodes that have a verdict already; "
            "those verdicts stay as they were"
        )


async def _grade(root: Path, store: RunFolder, items: list[Committed]) -> list[dict[str, Any]]:
    words = ("webds_judge", "--root", str(root), *keys_beside(store.head.get("config", {})))
    judge = Child(words, store.path / "logs" / "judge.log")
    (store.path / "logs").mkdir(exist_ok=True)
    await judge.start()
    try:
        return [await judge.ask({"grade": str(item.folder)}, 120) for item in items]
    finally:
        await judge.stop()
