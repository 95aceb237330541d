"""Which item a person gets next. One transaction decides and takes the lease, so that a place goes to one person only.

An item has one place, or two where it is labelled twice; a place is taken by a label or by a live lease of another
person. Items come in an order of each person's own, from the stored seed: training first, a hidden repeat when enough
labels lie between, then the sample, what was skipped last. An adjudicator gets the items on which raters differ.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from webds.annotate.book import Book, event, rows
from webds.annotate.people import Person
from webds.annotate.records import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Next:
    """`item`: the id to open; "" with `wait` True where others hold what is left, with False where all is done."""

    item: str = ""
    wait: bool = False


class Standing:
    """What is labelled and held at one moment, read once in a transaction."""

    def __init__(self, book: Book, db: sqlite3.Connection, who: Person, now: float) -> None:
        self.book = book
        self.alias = who.alias
        found = rows(db, "SELECT item, alias, role, label, seq FROM labels WHERE withdrawn IS NULL ORDER BY seq")
        self.labels: dict[str, dict[str, str]] = {}
        self.settled: set[str] = set()
        for row in found:
            if row["role"] == "adjudication":
                self.settled.add(row["item"])
            else:
                self.labels.setdefault(row["item"], {})[row["alias"]] = row["label"]
        self.own = [row["item"] for row in found if row["alias"] == who.alias]
        held = rows(db, "SELECT item, alias FROM leases WHERE until > ? ORDER BY until", (now,))
        self.held: dict[str, set[str]] = {}
        for row in held:
            self.held.setdefault(row["item"], set()).add(row["alias"])
        skips = rows(db, "SELECT item FROM events WHERE what = 'skip' AND alias = ? ORDER BY seq", (who.alias,))
        self.skipped = [row["item"] for row in skips]

    def wanted(self, item: Item) -> int:
        """How many people's labels the item needs: two also where a label contradicts what was found automatically."""
        said = self.labels.get(item.id, {}).values()
        contradicted = item.outcome in ("pass", "fail") and any(label != item.outcome for label in said)
        return 2 if contradicted else item.wanted

    def open(self, item: Item) -> bool:
        """Whether the item needs this person's label, held by others or not."""
        said = self.labels.get(item.id, {})
        return self.alias not in said and len(said) < self.wanted(item)

    def free(self, item: Item) -> bool:
        """Whether a place of the item is free for this person."""
        said = self.labels.get(item.id, {})
        others = self.held.get(item.id, set()) - {self.alias} - said.keys()
        return self.open(item) and len(said) + len(others) < self.wanted(item)

    def differs(self, item: Item) -> bool:
        """Whether a third person has to settle the item: two labels or more, not all the same, or all unsure."""
        said = list(self.labels.get(item.id, {}).values())
        return len(said) > 1 and item.id not in self.settled and (len(set(said)) > 1 or said[0] == "unsure")

    def to_settle(self, item: Item) -> bool:
        """Whether this person may settle the item."""
        return not item.training and self.differs(item) and self.alias not in self.labels[item.id]


def order(book: Book, alias: str) -> list[Item]:
    """The sample in this person's order, the same at every start."""
    # By id first: the plan lists them by stratum, and nothing of that may show in the order.
    items = sorted((item for item in book.plan.items if not item.training), key=lambda item: item.id)
    Random(f"{book.plan.seed} order {alias}").shuffle(items)
    return items


def take(book: Book, who: Person, now: float) -> Next:
    """The person's next item, held for them from now on; the one they hold already where there is one."""
    with book.writing() as db:
        standing = Standing(book, db, who, now)
        ids, wait = _adjudications(standing) if who.role == "adjudicator" else _labels(standing)
        if not ids:
            return Next(wait=wait)
        hold(db, book, who.alias, ids, now)
    return Next(item=ids)


def hold(db: sqlite3.Connection, book: Book, alias: str, item: str, now: float) -> None:
    """Hold an item for a person from now on."""
    db.execute(
        "INSERT INTO leases VALUES (?, ?, ?) ON CONFLICT (item, alias) DO UPDATE SET until = excluded.until",
        (item, alias, now + book.plan.lease),
    )


def _labels(standing: Standing) -> tuple[str, bool]:
    book, own = standing.book, set(standing.own)
    mine = [item for item, who in standing.held.items() if standing.alias in who and item not in own]
    if mine:
        return mine[0], False
    training = [item.id for item in book.plan.items if item.training and item.id not in own]
    sample = order(book, standing.alias)
    due = _due(standing, book.plan.gap)
    free = _skipped_last([item.id for item in sample if standing.free(item)], standing.skipped)
    for ids in (training, due, free, _due(standing, 0)):
        if ids:
            return ids[0], False
    return "", any(standing.open(item) for item in sample)


def _due(standing: Standing, gap: int) -> list[str]:
    """Hidden repeats of items that this person labelled at least `gap` labels ago."""
    place = {item: number for number, item in enumerate(standing.own)}
    last = len(standing.own) - 1
    found = [item for item in standing.book.plan.items if item.repeat and item.id in place and item.repeat not in place]
    return [item.repeat for item in found if last - place[item.id] >= gap]


def _skipped_last(ids: Iterable[str], skipped: Sequence[str]) -> list[str]:
    """The ids, those that were skipped at the end, the first skipped first."""
    when = {item: number for number, item in enumerate(skipped, start=1)}
    return sorted(ids, key=lambda item: when.get(item, 0))


def _adjudications(standing: Standing) -> tuple[str, bool]:
    open_ = [item for item in order(standing.book, standing.alias) if standing.to_settle(item)]
    free = [item.id for item in open_ if not standing.held.get(item.id, set()) - {standing.alias}]
    ids = _skipped_last(free, standing.skipped)
    if ids:
        return ids[0], False
    raters_at_work = any(
        len(standing.labels.get(item.id, {})) < standing.wanted(item) for item in order(standing.book, standing.alias)
    )
    return "", raters_at_work or bool(open_)


def skip(book: Book, who: Person, item: str, now: float) -> None:
    """Put an item behind all others of this person, and give its place back. What was filled in stays a draft."""
    with book.writing() as db:
        db.execute("UPDATE leases SET until = ? WHERE item = ? AND alias = ?", (now, item, who.alias))
        event(db, now, who.alias, item, "skip")


def was_given(book: Book, who: Person, item: str) -> bool:
    """Whether the person has held this item at any time: nobody sees what they were not given."""
    with book.reading() as db:
        return bool(db.execute("SELECT 1 FROM leases WHERE item = ? AND alias = ?", (item, who.alias)).fetchone())


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What a person is told of their work: nothing of anybody else's."""

    done: tuple[tuple[str, str, float], ...]
    """(id, prompt, at) of each item labelled, newest first."""
    open: int
    """Items that still need a label of theirs, held by others or not; hidden repeats not counted."""


def progress(book: Book, who: Person, now: float) -> Progress:
    """How far this person has come."""
    with book.reading() as db:
        standing = Standing(book, db, who, now)
        own = rows(
            db, "SELECT item, at FROM labels WHERE alias = ? AND withdrawn IS NULL ORDER BY seq DESC", (who.alias,)
        )
    sample = order(book, who.alias)
    if who.role == "adjudicator":
        left = sum(standing.to_settle(item) for item in sample)
    else:
        untaught = sum(item.training and item.id not in standing.own for item in book.plan.items)
        left = untaught + sum(standing.open(item) for item in sample)
    done = []
    for row in own:
        item = book.item(row["item"])
        if item is not None:
            done.append((row["item"], item.prompt, row["at"]))
    return Progress(done=tuple(done), open=left)
