"""Runs whose tries look alike to people, and plans over them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.report.build_run import Act, Episode, add_try, head, task
from webds.annotate.book import Book
from webds.annotate.people import ROLES, Person, enter, invite
from webds.annotate.plan import Draft, How, gather, write
from webds.annotate.records import Form
from webds.files import write_atomic
from webds.store import RunFolder, read_try, write_verdict
from webds.types import JudgeStamp, Verdict

SITES = ("alpha", "beta", "gamma", "delta", "epsilon")
TIERS = ("easy", "medium", "hard")
AGENT, MODEL = "zebra", "quagga-7b-instruct"
SECRET = "CANARY-of-the-judge"
NOW = 1_800_000_000.0


def prompt(number: int) -> str:
    return f"Question {number}: how many terawatt hours?"


def make_run(
    path: Path, passed: Sequence[bool | None], rubric: dict[int, bool] | None = None, why: str = SECRET
) -> Path:
    """A run with one try of each task `t<n>`; `passed[n]` is the typed judge's word, None for none."""
    tasks = []
    for number in range(len(passed)):
        labels = {"kind": "qa", "sites": [SITES[number % len(SITES)]]}
        tasks.append(task(f"t{number}", prompt(number), TIERS[number % 3], **labels))
    config = {"agents": {AGENT: {"model": f"org/{MODEL}"}}}
    run = RunFolder.create(path, head(tasks, id=f"run-{AGENT}-{path.name}", agent=AGENT, config=config))
    for number, word in enumerate(passed):
        folder = add_try(run, _episode(number, word, why))
        digest = read_try(folder).digest
        if rubric and number in rubric:
            stamp = JudgeStamp(name="rubric", version="1")
            write_verdict(folder, Verdict(judge=stamp, evidence=digest, passed=rubric[number], stars=3, why=why))
    run.rebuild_index()
    run.release()
    return path


def _episode(number: int, passed: bool | None, why: str) -> Episode:
    acts = (
        Act(name="goto", args={"url": f"https://{SITES[number % 5]}.test/"}, text=f"page {number} says {MODEL}"),
        Act(
            name="python",
            args={"code": f"# {AGENT} runs\nprint({number})"},
            text="out",
            view={"result": f"{MODEL}: {number}"},
        ),
        Act(name="submit", args={"answer": f"{number} by {AGENT}"}),
    )
    return Episode(
        task=f"t{number}", answer=f"{number} TWh, says {AGENT} ({MODEL})", acts=acts, passed=passed, reason=why
    )


def add_files(run: Path, number: int, files: dict[str, bytes]) -> None:
    """Files in a try's work folder, as if downloaded."""
    for name, data in files.items():
        write_atomic(run / "episodes" / f"t{number}~0" / "try-1" / "files" / name, data)


def make_plan(root: Path, folder: Path, *runs: Path, training: Path | None = None, **how: Any) -> Book:
    """A plan over `runs` with everything drawn, unless `how` says otherwise."""
    draft = Draft(root, folder, How(**{"per_stratum": 1000, "seed": 7, "repeats": 0, "double": 0, **how}))
    taught = list(draft.training(training)) if training else []
    write(folder, draft.plan(gather(draft, runs), taught, "2026-11-30T00:00:00+00:00"))
    return Book(folder)


def person(book: Book, alias: str, role: str = ROLES[0], now: float = NOW) -> Person:
    """Somebody who was invited and has entered."""
    found = enter(book, invite(book, alias, role, 14, now), f"session of {alias}", now)
    assert found is not None
    return found


def form(label: str = "pass", stars: int = 5, **more: Any) -> Form:
    return Form(label=label, stars=stars, **more)  # type: ignore[arg-type] # a mix of fields


def by_task(book: Book) -> dict[str, str]:
    """Task -> id of its item."""
    return {item.episode.removesuffix("~0"): item.id for item in book.plan.items}
