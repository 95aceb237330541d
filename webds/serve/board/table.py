"""The board's rows out of its books: who is ranked, who stands beside, what the filters take. No private detail."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from webds.errors import InputFault
from webds.prices import read_usage
from webds.submit.agreed import RUBRIC, Agreement, registered
from webds.submit.book import HUMAN, LEVELS, Book
from webds.submit.decide import HIDDEN, REGISTERED
from webds.submit.ladder import beside
from webds.submit.stars import NO_JUDGE, PRIVATE
from webds.submit.words import Words, mean, read, share, tried

FILTERS = ("split", "track", "agent", "model", "level", "denominator")
PROVEN = "proven"
"""Level filter: replayed or better, what is shown unless asked."""
DENOMINATORS = ("lenient", "strict")
KNOWN = {
    "split": ("public", "private"), "level": (PROVEN, *LEVELS, "all"), "denominator": DENOMINATORS,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One submission as the board shows it. Shares in [0, 1]; of the private split the ladder's, without interval."""

    id: int
    kind: str
    """agent or human"""
    rank: int | None
    """Among agents of its split and track that are proven and tried every task; None: not ranked."""
    team: str
    agent: str
    model: str
    track: str
    split: str
    level: str
    reserved: bool
    registered: bool
    """Maintainers registered it as a person's run."""
    figure: float | None
    """Passes over the graded tasks: lenient. Of a task with repeats its share counts."""
    low: float | None
    high: float | None
    n: int
    strict: float | None
    """Of the public split: passes over all tasks that it had, ungraded and untried ones among them."""
    strict_low: float | None
    strict_high: float | None
    tasks: int
    """Of the split when it was scored; of the private one, of the period's subset."""
    untried: int
    stars: float | None
    """Mean of 1 to 5 by the rubric, which passes and fails nothing; None: not measured, for `stars_why`."""
    stars_n: int
    """Tasks that have stars; the rubric was asked about `stars_ungraded` others, and gave them none."""
    stars_ungraded: int
    stars_why: str
    stars_judge: str
    stars_people_n: int
    stars_kappa: float | None
    stars_kappa_low: float | None
    stars_kappa_high: float | None
    judge_cost: float | None
    """Dollars of the rubric's `judge_calls` replies in all; None: unknown, or none was given. No part of `cost`."""
    judge_calls: int
    cost: float | None
    """Dollars a task; None: unknown, or of a person, who has none."""
    steps: float | None
    judge: str
    people_n: int
    """Tries on which the judge was held against people's settled word; 0: it was not measured."""
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    run: str
    scored: str

    def main(self, denominator: str) -> tuple[float | None, float | None, float | None]:
        """(share, low, high) under a denominator. Private figures have one only."""
        if denominator == "strict" and self.strict is not None:
            return self.strict, self.strict_low, self.strict_high
        return self.figure, self.low, self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line with what it rests on, of the public split only: outcomes by task, and task -> revision, tier, labels."""

    line: Line
    words: Words
    tasks: Mapping[str, Mapping[str, Any]]


def check(asked: Mapping[str, str]) -> dict[str, str]:
    """What was asked for, with level and denominator filled in. InputFault lists the known names and values."""
    unknown = sorted(set(asked) - set(FILTERS))
    if unknown:
        raise InputFault(f"filter {unknown[0]!r:.40}; known: {', '.join(FILTERS)}")
    for name, known in KNOWN.items():
        if asked.get(name) and asked[name] not in known:
            raise InputFault(f"filter {name}: {asked[name]!r:.40}; known: {', '.join(known)}")
    given = {name: asked[name] for name in FILTERS if asked.get(name)}
    return {"level": PROVEN, "denominator": DENOMINATORS[0], **given}


def entries(book: Book, denominator: str) -> list[Entry]:
    """Every entry, by split and track, ranked: who tried every task by their share, then the others, then people."""
    found = list(_all(book))
    together: dict[tuple[str, str], list[Entry]] = {}
    for entry in found:
        together.setdefault((entry.line.split, entry.line.track), []).append(entry)
    placed = {
        entry.line.id: place for rivals in together.values() for entry, place in _placed(rivals, denominator)
    }  # fmt: skip
    ranked = [replace(entry, line=replace(entry.line, rank=placed.get(entry.line.id))) for entry in found]
    return sorted(ranked, key=lambda entry: _order(entry.line, denominator))


def fits(line: Line, wanted: Mapping[str, str]) -> bool:
    """Whether the filters take a line. Agent and model choose among agents: people stand beside any of them."""
    names = ("split", "track") if line.kind == HUMAN else ("split", "track", "agent", "model")
    if any(name in wanted and getattr(line, name) != wanted[name] for name in names):
        return False
    level = wanted["level"]
    return line.registered or level in ("all", line.level) or (level == PROVEN and line.level != "reported")


def _placed(found: Sequence[Entry], denominator: str) -> Iterator[tuple[Entry, int]]:
    """The ranked entries of a split and track; equal shares have one place."""
    share = {entry.line.id: entry.line.main(denominator)[0] for entry in found}
    ranked = [
        entry for entry in found
        if entry.line.kind != HUMAN and entry.line.level != "reported" and not entry.line.untried
        and share[entry.line.id] is not None
    ]  # fmt: skip
    for entry in ranked:
        mine = share[entry.line.id] or 0
        yield entry, 1 + sum((share[other.line.id] or 0) > mine for other in ranked)


def _order(line: Line, denominator: str) -> tuple[Any, ...]:
    share = line.main(denominator)[0]
    return (
        line.split,
        line.track,
        line.kind == HUMAN,
        bool(line.untried),
        -(share if share is not None else -1),
        line.id,
    )


def _all(book: Book) -> Iterable[Entry]:
    query = (
        f"SELECT submissions.*, results.*, {REGISTERED} AS registered"  # noqa: S608 - no input
        f" FROM submissions JOIN results ON submission = submissions.id"
        f" WHERE state = 'scored' AND NOT {HIDDEN} ORDER BY scored, submissions.id"
    )
    before: list[Mapping[str, Any]] = []
    agreed = [item for item in registered(book) if not item.stale]
    for row in book.rows(query):
        figure = row["figure"]
        if row["split"] == "private":  # a submission that brought nothing new shows what its team has
            before.append(row)
            figure = _standing(row, before)
        words = read(row["detail"])
        names = ("id", "team", "agent", "model", "track", "split", "level", "low", "high", "n", "stars", "cost")
        line = Line(
            **{name: row[name] for name in (*names, "steps", "judge", "run", "scored")},
            **_strict(words), **_agreement(row["stamp"], agreed), **_stars(row, agreed),
            kind=HUMAN if row["agent"] == HUMAN else "agent", rank=None, registered=bool(row["registered"]),
            reserved=bool(row["reserved"]), figure=figure, tasks=row["strict_n"] or row["n"],
            untried=sum(not tried(said) for said in words.values()),
        )  # fmt: skip
        yield Entry(line=line, words=words, tasks=json.loads(row["tasks"]))


def _standing(row: Mapping[str, Any], before: Iterable[Mapping[str, Any]]) -> float | None:
    """The best figure of the team's private runs up to this one, on its track and by a proof that stands for its."""
    found = (
        had["figure"] for had in before
        if had["team"] == row["team"] and had["track"] == row["track"] and beside(row["level"], had["level"])
    )  # fmt: skip
    return max((figure for figure in found if figure is not None), default=None)


def _strict(words: Words) -> dict[str, Any]:
    if not words:
        return {"strict": None, "strict_low": None, "strict_high": None}
    passes, n, low, high = mean(share(said, "strict") for said in words.values())
    return {"strict": passes / n, "strict_low": low, "strict_high": high}


def _stars(row: Mapping[str, Any], agreed: Iterable[Agreement]) -> dict[str, Any]:
    second = json.loads(row["second"])
    usage = read_usage(second.get("usage"))
    held = _agreement(second.get("stamp", ""), agreed)
    unasked = PRIVATE if row["split"] == "private" else NO_JUDGE
    return {
        "stars_n": second.get("n", 0), "stars_ungraded": second.get("ungraded", 0),
        "stars_why": second.get("why", unasked) if row["stars"] is None else "",
        "stars_judge": f"{RUBRIC} {second['model']}" if second.get("model") else "",
        **{f"stars_{name}": value for name, value in held.items()},
        "judge_cost": usage.cost, "judge_calls": usage.calls,
    }  # fmt: skip


def _agreement(stamp: str, agreed: Iterable[Agreement]) -> dict[str, Any]:
    found = next((item.figures for item in agreed if stamp and item.stamp == stamp), None)
    if found is None:
        return {"people_n": 0, "kappa": None, "kappa_low": None, "kappa_high": None}
    return {"people_n": found.n, "kappa": found.kappa, "kappa_low": found.low, "kappa_high": found.high}
