"""Reviews: tasks_public/<group>/reviews.toml, what an independent second solver found. It lies beside the keys.

[[review]]
task = "group.task"
revision = 1                # of the task that was solved
reviewer = "A"              # an alias
closed_book = "unknown"     # the answer from memory, before the site was opened: wrong, unknown or right
answer = "12.5"             # as it would be submitted
files = []                  # submitted files, under reviews/ of the group's folder
minutes = 14
path = "home, downloads, sheet 2, SQL"
doubts = ""
agrees = true               # written by `webds tasks review`: the judge's word on `answer`, never the reviewer's

A task counts when a review of its revision agrees. `closed_book = "right"` sends the task back.
"""

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from webds.codec import load, sha256
from webds.errors import InputFault
from webds.store import write_atomic
from webds.types import STRICT, AnswerKey, Check, Ending, Evidence, File
from webds_judge.checkout import Checkout, toml
from webds_judge.checks import answer, csv_file, picture, report
from webds_judge.fields import Finding

FILE = "reviews.toml"
CLOSED_BOOK = ("wrong", "unknown", "right")
_CHECKS = {"answer": answer.check, "csv_file": csv_file.check, "picture": picture.check, "report": report.check}


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One `[[review]]` table."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    task: str
    revision: int
    reviewer: str
    closed_book: str
    answer: str
    minutes: float
    path: str
    doubts: str = ""
    files: tuple[str, ...] = ()
    agrees: bool


def agrees(key: AnswerKey, said: str, folder: Path, files: tuple[str, ...] = ()) -> tuple[bool, str]:
    """(whether the judge takes answer and files for right, why). `files` are relative to `folder`.

    Of an `sql` check that has a type, the answer stands for the value that its query would give; what only a database
    can tell is left out. Where several checks want a value, the answer gives them all, in the order of the checks, with
    semicolons between. InputFault: no check of the key can be compared with an answer, or the key is wrong.
    """
    valued = [check for check in key.checks if check.kind == "answer" or _is_typed_query(check)]
    parts = [part.strip() for part in said.split(";")]
    each = iter(parts if len(parts) == len(valued) else [said] * len(valued))
    evidence = _evidence(key, said, folder, files)
    words = []
    for check in key.checks:
        of = replace(evidence, answer=next(each)) if check in valued else evidence
        if (word := _word(check, of, folder)) is not None:
            words.append(word)
    if not words:
        raise InputFault(f"task {key.task}: no check has a type, so no answer can be compared with the key")
    wrong = [why for passed, why in words if not passed]
    return (False, wrong[0]) if wrong else (True, words[0][1])


def _word(check: Check, evidence: Evidence, folder: Path) -> tuple[bool, str] | None:
    if check.kind not in _CHECKS and not _is_typed_query(check):
        return None
    passed, why, _ = _CHECKS["answer" if _is_typed_query(check) else check.kind](evidence, folder, check.params)
    return passed, f"{check.name}: {why}"


def _is_typed_query(check: Check) -> bool:
    return check.kind == "sql" and "type" in check.params


def _evidence(key: AnswerKey, said: str, folder: Path, files: tuple[str, ...]) -> Evidence:
    listed = []
    for name in files:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()) or not path.is_file():
            raise InputFault(f"{name!r:.200}: no such file in {folder.name}")
        data = path.read_bytes()
        listed.append(File(name=path.name, path=name, sha256=sha256(data), size=len(data)))
    return Evidence(
        task=key.task, revision=key.revision, repeat=0, attempt=1, agent="reviewer", ending=Ending.SUBMITTED,
        answer=said, files=tuple(listed),
    )  # fmt: skip


def read(found: Checkout) -> Iterator[tuple[str, Path, Review]]:
    """(file relative to the root, its folder, review) of every review that can be read; the rest are findings."""
    for path in sorted(found.root.glob(f"tasks_public/*/{FILE}")):
        file = str(path.relative_to(found.root))
        content = toml(found.root, path, found.findings)
        rows = content.get("review", [])
        if set(content) - {"review"} or not isinstance(rows, list):
            found.findings.append(Finding(file, "-", "review", "wanted only [[review]] tables"))
            continue
        for number, row in enumerate(rows, start=1):
            try:
                yield file, path.parent, load(Review, row, f"review {number}")
            except InputFault as error:
                task = row.get("task", "-") if isinstance(row, Mapping) else "-"
                found.findings.append(Finding(file, str(task), f"review {number}", str(error)))


def faults(found: Checkout) -> Iterator[Finding]:
    """Reviews that do not hold, and tasks without one that agrees with their revision."""
    agreeing: set[str] = set()
    for file, folder, review in read(found):
        wrong = [Finding(file, review.task, field, problem) for field, problem in _review(found, folder, review)]
        yield from wrong
        is_of_today = review.task in found.tasks and review.revision == found.tasks[review.task][1].get("revision")
        if not wrong and review.agrees and is_of_today:
            agreeing.add(review.task)
    for name, (file, entry) in found.tasks.items():
        if name not in agreeing:
            yield Finding(file, name, "review", f"no agreeing review of revision {entry.get('revision')!r:.40}")


def _review(found: Checkout, folder: Path, review: Review) -> Iterator[tuple[str, str]]:
    if review.task not in found.keys:
        if review.task not in found.tasks:
            yield "task", "no such task"
        return
    yield from fields(review)
    key = found.keys[review.task][1]
    if review.revision == key.revision:
        yield from _word_of_today(key, folder, review)


def fields(review: Review) -> Iterator[tuple[str, str]]:
    """(field, problem) of values that no review can have."""
    if review.closed_book not in CLOSED_BOOK:
        yield "closed_book", f"{review.closed_book!r:.40}; known: {', '.join(CLOSED_BOOK)}"
    if not review.answer.strip() and not review.files:
        yield "answer", "empty, and no files"
    for field in ("reviewer", "path"):
        if not str(getattr(review, field)).strip():
            yield field, "empty"
    if not 0 < review.minutes < 1000:
        yield "minutes", f"{review.minutes:g}; more than 0 and under 1000"


def _word_of_today(key: AnswerKey, folder: Path, review: Review) -> Iterator[tuple[str, str]]:
    if review.closed_book == "right":
        yield "closed_book", "right without opening the site: the task goes back"
    try:
        word, why = agrees(key, review.answer, folder, review.files)
    except InputFault as error:
        yield "agrees", str(error)
        return
    if word is not review.agrees:
        yield "agrees", f"{str(review.agrees).lower()}, but the judge says {str(word).lower()}: {why}"


def append(found: Checkout, review: Review, copies: Mapping[str, bytes]) -> tuple[Path, Review, str]:
    """Add a review to its group's file: (that file, the review with the judge's word in it, why).

    `copies` are the submitted files by name; they are kept under reviews/ of the group. InputFault: no such task, a
    field that no review can have, or the judge cannot compare.
    """
    if review.task not in found.tasks or review.task not in found.keys:
        raise InputFault(f"no task {review.task!r:.100} with a key; known: {', '.join(found.keys) or 'none'}")
    wrong = next(fields(replace(review, files=tuple(copies))), None)
    if wrong:
        raise InputFault(f"review: field {wrong[0]}: {wrong[1]}")
    file, entry = found.tasks[review.task]
    folder = (found.root / file).parent
    place = f"reviews/{review.task}-{entry['revision']}-{re.sub(r'[^A-Za-z0-9]+', '-', review.reviewer)}"
    names = tuple(f"{place}/{Path(name).name}" for name in copies)
    for name, data in zip(names, copies.values(), strict=True):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    word, why = agrees(found.keys[review.task][1], review.answer, folder, names)
    whole = replace(review, revision=int(entry["revision"]), files=names, agrees=word)
    target = folder / FILE
    before = target.read_text(encoding="utf-8") if target.is_file() else _head(found, folder)
    write_atomic(target, f"{before.rstrip()}\n\n{_as_toml(whole)}".encode())
    return target, whole, why


def _head(found: Checkout, folder: Path) -> str:
    own = next((site.canary for site in found.sites.values() if site.folder.name == folder.name), "")
    return (
        "# What second solvers found who had seen neither key nor oracle nor solution: read by the validator only.\n"
        f"# Benchmark data, not for training corpora. Canary {own}\n"
    )


def _as_toml(review: Review) -> str:
    rows = [(item.name, getattr(review, item.name)) for item in dataclasses.fields(review)]
    return "[[review]]\n" + "".join(f"{name} = {_value(value)}\n" for name, value in rows)


def _value(value: object) -> str:
    """A TOML value. A JSON string is one where DEL is escaped too."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"{value:g}" if isinstance(value, float) else str(value)
