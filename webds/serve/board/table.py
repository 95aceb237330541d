"""The board's rows out of its books, for the page, the JSON and CSV API and the export. No private detail."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from webds.errors import InputFault
from webds.stats import holm, mcnemar, paired, wilson
from webds.submit.book import LEVELS, Book
from webds.submit.decide import HIDDEN
from webds.submit.ladder import SMALLEST_CELL
from webds.suites import taskfiles

FILTERS = ("split", "track", "agent", "model", "level")
CELLS = ("difficulty", "domain", "kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One submission as the board shows it. `figure` in [0, 1]; of the private split the ladder's, without interval."""

    id: int
    team: str
    agent: str
    model: str
    track: str
    split: str
    level: str
    reserved: bool
    figure: float | None
    low: float | None
    high: float | None
    n: int
    strict: float | None
    """Of the public split: passes over all tasks, the ungraded among them."""
    stars: float | None
    cost: float | None
    steps: float | None
    judge: str
    scored: str


def lines(book: Book, asked: Mapping[str, str]) -> list[Line]:
    """The rows that the filters take, the best first. Without `level`, only *replayed* or better; `all` takes all."""
    wanted = check(asked)
    found = [line for line in _all(book) if _fits(line, wanted)]
    return sorted(found, key=lambda line: (line.split, -(line.figure if line.figure is not None else -1), line.id))


def check(asked: Mapping[str, str]) -> dict[str, str]:
    """The filters that were asked for. InputFault lists the known ones."""
    unknown = sorted(set(asked) - set(FILTERS))
    if unknown:
        raise InputFault(f"filter {unknown[0]!r:.40}; known: {', '.join(FILTERS)}")
    if asked.get("level", "all") not in (*LEVELS, "all"):
        raise InputFault(f"filter level: {asked['level']!r:.40}; known: {', '.join((*LEVELS, 'all'))}")
    return {name: value for name, value in asked.items() if value}


def _fits(line: Line, wanted: Mapping[str, str]) -> bool:
    level = wanted.get("level", "")
    if not level and line.level == "reported":
        return False
    if level not in ("", "all") and line.level != level:
        return False
    return all(str(getattr(line, name)) == value for name, value in wanted.items() if name != "level")


def _all(book: Book) -> Iterable[Line]:
    query = (
        "SELECT submissions.*, results.* FROM submissions JOIN results ON submission = submissions.id"  # noqa: S608 - no input
        f" WHERE state = 'scored' AND NOT {HIDDEN} ORDER BY submissions.id"
    )
    best: dict[str, float] = {}
    for row in book.rows(query):
        figure = row["figure"]
        if row["split"] == "private":  # a submission that brought nothing new shows what its team has
            best[row["team"]] = figure = max(figure if figure is not None else 0.0, best.get(row["team"], 0.0))
        passed = [_share(words) for words in _words(row["detail"]).values()]
        yield Line(
            **{name: row[name] for name in ("id", "team", "agent", "model", "track", "split", "level", "low", "high")},
            **{name: row[name] for name in ("n", "stars", "cost", "steps", "judge", "scored")},
            reserved=bool(row["reserved"]), figure=figure, strict=sum(passed) / len(passed) if passed else None,
        )  # fmt: skip


type Words = Mapping[str, Sequence[str]]
"""Task -> the outcome of each repeat."""


def details(book: Book) -> dict[int, Words]:
    """Submission -> its outcomes, of the public split; nothing of the private one is kept."""
    rows = book.rows("SELECT submission, detail FROM results")
    return {row["submission"]: _words(row["detail"]) for row in rows}


def _words(detail: str) -> Words:
    found: dict[str, str | list[str]] = json.loads(detail)
    return {task: [words] if isinstance(words, str) else words for task, words in found.items()}


def _share(words: Sequence[str]) -> float:
    """Passes over all repeats of a task."""
    return words.count("pass") / len(words)


def cells(root: Path, words: Words) -> list[dict[str, Any]]:
    """By each label of a public submission's tasks: label, value, share of n tasks (a task's over graded repeats)."""
    from_task = {entry.id: entry.task() for _, entry in taskfiles.entries(root)}
    groups: dict[tuple[str, str], list[float]] = {}
    for task, said in words.items():
        known = [word == "pass" for word in said if word in ("pass", "fail")]
        labels = from_task[task].labels if task in from_task else {}
        for name in labels:
            value = labels[name]
            for item in value if isinstance(value, list | tuple) else (value,):
                if known:
                    groups.setdefault((name, str(item)), []).append(sum(known) / len(known))
    return [{"label": label, "value": value, **_mean(passed)} for (label, value), passed in sorted(groups.items())]


def _mean(shares: Sequence[float]) -> dict[str, float | int]:
    low, high = wilson(sum(shares), len(shares))
    return {"passes": sum(shares), "n": len(shares), "share": sum(shares) / len(shares), "low": low, "high": high}


def pairs(shown: Sequence[Line], words: Mapping[int, Words]) -> list[dict[str, Any]]:
    """Paired differences of public submissions of two teams over the same tasks, p by McNemar, Holm over all pairs."""
    public = [line for line in shown if line.split == "public" and words.get(line.id)]
    out = []
    for first, second in combinations(public, 2):
        common = sorted(set(words[first.id]) & set(words[second.id]))
        before, after = ([_share(words[line.id][task]) for task in common] for line in (first, second))
        difference = paired(before, after)
        if first.team == second.team or difference is None:
            continue
        worse = sum(b > a for b, a in zip(before, after, strict=True))
        better = sum(b < a for b, a in zip(before, after, strict=True))
        out.append({"first": first.id, "second": second.id, **difference.plain(), "p": mcnemar(worse, better)})
    for item, p in zip(out, holm([item["p"] for item in out]), strict=True):
        item["p_holm"] = p
    return out


def as_json(shown: Sequence[Line]) -> list[dict[str, Any]]:
    """For the API."""
    return [asdict(line) for line in shown]


def as_csv(shown: Sequence[Line]) -> str:
    """With a header; a cell that a spreadsheet would take for a formula begins with an apostrophe."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(Line.__dataclass_fields__)
    for line in shown:
        rows.writerow(_safe(value) for value in asdict(line).values())
    return text.getvalue()


def _safe(value: object) -> object:
    return (
        f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else "" if value is None else value
    )


NOTE = (
    f"Private figures are steps of the ladder rule over a subset that is drawn anew each week: no interval, and no cell"
    f" under {SMALLEST_CELL} tasks is shown."
)
