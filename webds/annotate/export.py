"""Labels out as JSON Lines (docs/labels.md), and back into run folders as verdicts of judge `human:<alias>`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webds.annotate.book import Book, event, rows, stamp
from webds.annotate.people import check_alias
from webds.annotate.records import Form, Item
from webds.codec import canonical, load, loads
from webds.errors import InputFault
from webds.files import write_atomic
from webds.report.episode import read_page
from webds.store import Committed, RunFolder, write_verdict
from webds.types import JudgeStamp, Part, Verdict
from webds_judge.agreement.labels import PERSON, Row
from webds_judge.agreement.labels import read as read_labels
from webds_judge.rubric.criteria import rubric_hash

_PASSED = {"pass": True, "fail": False, "unsure": None}
_STANDING = "SELECT seq, item, alias, role, body, at FROM labels WHERE withdrawn IS NULL ORDER BY seq"
_LOOKED = "SELECT 1 FROM events WHERE item = ? AND alias = ? AND what = 'reference' AND at <= ?"


def label_rows(book: Book) -> list[dict[str, Any]]:
    """All labels that stand, in the order in which they were given."""
    with book.reading() as db:
        found = rows(db, _STANDING)
        looked = {
            row["seq"]: bool(db.execute(_LOOKED, (row["item"], row["alias"], row["at"])).fetchone()) for row in found
        }
    return [_row(book, row, looked[row["seq"]]) for row in found]


def _row(book: Book, row: Mapping[str, Any], looked: bool) -> dict[str, Any]:
    item = book.item(row["item"])
    assert item is not None
    form = load(Form, loads(row["body"], "labels.db"), "labels.db")
    return {
        "format": 1,
        "run": item.run,
        "episode": item.episode,
        "trajectory": item.trajectory,
        "evidence": item.evidence,
        "rubric": book.plan.rubric,
        "rater": f"{PERSON}{row['alias']}",
        "role": row["role"],
        **({"known": item.known} if row["role"] == "training" else {}),
        "label": form.label,
        "stars": form.stars,
        "criteria": {name: form.criteria.get(name) for name in item.criteria},
        "failure": form.failure,
        "injection": form.injection,
        "flagged": form.flagged,
        "reference_opened": looked,
        "note": form.note,
        "reason": form.reason,
        "seconds": round(form.seconds, 1),
        "tier": item.tier,
        "site": item.site,
        "agent": item.agent,
        "at": stamp(row["at"]),
        "tool": book.plan.tool,
    }


def export(book: Book, to: Path, now: float) -> int:
    """Write all labels that stand to `to`, and close them: they can no longer be changed. Returns how many.

    InputFault: `to` cannot be written; then no label is closed.
    """
    if to.is_dir():
        raise InputFault(f"--to {to}: is a folder; wanted a file's name")
    with book.writing() as db:  # its lock keeps the labels that are read as they are until they are closed
        made = label_rows(book)
        try:
            write_atomic(to, b"".join(canonical(row) + b"\n" for row in made))
        except OSError as error:
            raise InputFault(f"--to {to}: cannot be written: {error.strerror or error}") from error
        db.execute("UPDATE labels SET exported = ? WHERE withdrawn IS NULL AND exported IS NULL", (now,))
        event(db, now, "", "", "export")
    return len(made)


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import wrote, and the rows that are no verdict (training, hidden repeats, words of judges)."""

    verdicts: int
    other: int


def bring_in(files: Sequence[Path], runs: Sequence[Path]) -> Imported:
    """Write each person's label as verdict `human:<alias>` beside the try that it speaks of. Nothing is written where
    one row does not match: another run, episode, trajectory, evidence or rubric, or steps that were changed.
    """
    rows_ = read_labels(files)
    tries = {(str(run.head.get("id")), f"{task}~{repeat}"): (run, item) for run, item, (task, repeat) in _tries(runs)}
    wanted = [row for row in rows_ if row.person and row.counts]
    checked = [(found, row) for row in wanted for found in (_matching(row, tries),)]
    for found, row in checked:
        write_verdict(found.folder, _verdict(row, found))
    return Imported(verdicts=len(checked), other=len(rows_) - len(checked))


def _tries(runs: Iterable[Path]) -> Iterator[tuple[RunFolder, Committed, tuple[str, int]]]:
    for path in runs:
        run = RunFolder.view(path)
        yield from ((run, item, item.key) for item in run.committed())


def _matching(row: Row, tries: Mapping[tuple[str, str], tuple[RunFolder, Committed]]) -> Committed:
    where = f"label of {row.rater} on {row.episode} of run {row.run}"
    check_alias(row.rater.removeprefix(PERSON))
    if (row.run, row.episode) not in tries:
        raise InputFault(f"{where}: field run: no such episode in the runs given")
    run, item = tries[(row.run, row.episode)]
    for name, given, ours in (
        ("trajectory", row.trajectory, str(item.evidence.digests.get("trajectory", ""))),
        ("evidence", row.evidence or item.digest, item.digest),
        ("rubric", row.rubric, rubric_hash()),
    ):
        if given != ours:
            raise InputFault(f"{where}: field {name}: {given[:12]!r} in the label, {ours[:12]!r} here; refused")
    if read_page(run.path, item.folder).chain != "whole":
        raise InputFault(f"{where}: the steps in {item.folder} are not those that were recorded; refused")
    return item


def _verdict(row: Row, item: Committed) -> Verdict:
    parts = [Part(name=name, passed=met, why="as labelled") for name, met in row.criteria.items() if met is not None]
    return Verdict(
        judge=JudgeStamp(name=row.rater, version=row.tool or "1", settings=row.rubric),
        evidence=item.digest,
        passed=_PASSED[row.label],
        stars=row.stars,
        parts=tuple(parts),
        why=row.reason or row.note or row.role,
    )


def plan_items(book: Book) -> dict[tuple[str, str, str], Item]:
    """The plan's items by the try that a label row names."""
    return {(item.run, item.episode, item.trajectory): item for item in book.plan.items}
