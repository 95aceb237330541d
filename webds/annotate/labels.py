"""What people say: drafts, labels, undo, and what an adjudicator is shown of the labels before."""

import sqlite3
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from webds.annotate.book import Book, event, rows
from webds.annotate.people import Person
from webds.annotate.queue import Standing, hold
from webds.annotate.records import NOTE, Form, Item
from webds.codec import canonical, load, loads
from webds.errors import InputFault


class TooLate(Exception):
    """The label can no longer be changed: it was exported, or the item is settled."""


def read_form(data: object, item: Item) -> Form:
    """A form as it was sent. InputFault names the field: unknown, too long, or a criterion that was not asked."""
    form = load(Form, data, "label")
    for name, text in (("note", form.note), ("reason", form.reason)):
        if len(text) > NOTE:
            raise InputFault(f"label: field {name}: {len(text)} characters; at most {NOTE}")
    for name in form.criteria:
        if name not in item.criteria:
            raise InputFault(f"label: field criteria: {name!r:.60}; known: {', '.join(item.criteria)}")
    if not 0 <= form.seconds <= 864_000:
        raise InputFault(f"label: field seconds: {form.seconds}; wanted 0 to 864000")
    return form


def role_of(book: Book, who: Person, name: str) -> str:
    """As what a label of this person on this id counts (docs/labels.md)."""
    if name in book.repeats:
        return "repeat"
    if book.items[name].training:
        return "training"
    return "adjudication" if who.role == "adjudicator" else "label"


def save_draft(book: Book, who: Person, name: str, body: str, now: float) -> None:
    """Keep what is filled in so far, and hold the item for as long again."""
    with book.writing() as db:
        _draft(db, name, who.alias, body, now)
        if _own(db, name, who.alias) is None:
            hold(db, book, who.alias, name, now)


def submit(book: Book, who: Person, name: str, form: Form, now: float) -> None:
    """Keep a label; when this returns it is on disk. The same label sent again changes nothing.

    It counts even where the lease has run out and somebody else has taken the place: no label is thrown away.
    TooLate: another label of this person stands, and it was exported or the item is settled. InputFault: somebody else
    has settled it, or it needs no settling.
    """
    body = canonical(form).decode()
    role = role_of(book, who, name)
    with book.writing() as db:
        before = _own(db, name, who.alias)
        if before is not None and _same(before["body"], form):
            return
        _may_change(db, before, name, role)
        if role == "adjudication" and before is None and not Standing(book, db, who, now).to_settle(book.items[name]):
            raise TooLate("this item needs no settling any more")
        if before is not None:
            db.execute("UPDATE labels SET withdrawn = ? WHERE seq = ?", (now, before["seq"]))
        db.execute(
            "INSERT INTO labels (item, alias, role, label, body, at) VALUES (?, ?, ?, ?, ?, ?)",
            (name, who.alias, role, form.label, body, now),
        )
        db.execute("DELETE FROM drafts WHERE item = ? AND alias = ?", (name, who.alias))
        db.execute("UPDATE leases SET until = ? WHERE item = ? AND alias = ?", (now, name, who.alias))


def undo(book: Book, who: Person, now: float) -> str:
    """Take the person's newest label back and hold its item again, filled in as it was; its id, "" where there is none.

    TooLate: it was exported, or the item is settled.
    """
    with book.writing() as db:
        last = db.execute(
            "SELECT seq, item, role, body, exported FROM labels WHERE alias = ? AND withdrawn IS NULL "
            "ORDER BY seq DESC LIMIT 1",
            (who.alias,),
        ).fetchone()
        if last is None:
            return ""
        name = str(last["item"])
        _may_change(db, last, name, last["role"])
        db.execute("UPDATE labels SET withdrawn = ? WHERE seq = ?", (now, last["seq"]))
        _draft(db, name, who.alias, last["body"], now)
        hold(db, book, who.alias, name, now)
        event(db, now, who.alias, name, "undo")
    return name


def _may_change(db: sqlite3.Connection, before: sqlite3.Row | None, name: str, role: str) -> None:
    if before is not None and before["exported"] is not None:
        raise TooLate("this label was exported and can no longer be changed")
    settled = "SELECT 1 FROM labels WHERE item = ? AND role = 'adjudication' AND withdrawn IS NULL"
    if role == "label" and before is not None and db.execute(settled, (name,)).fetchone():
        raise TooLate("this item is settled and its labels can no longer be changed")


def _same(body: str, form: Form) -> bool:
    """Whether a label says the same; the time spent may differ, as it does when a label is sent twice."""
    kept = load(Form, loads(body, "labels.db"), "labels.db")
    return replace(kept, seconds=0) == replace(form, seconds=0)


def _own(db: sqlite3.Connection, name: str, alias: str) -> sqlite3.Row | None:
    query = "SELECT seq, body, exported FROM labels WHERE item = ? AND alias = ? AND withdrawn IS NULL"
    row: sqlite3.Row | None = db.execute(query, (name, alias)).fetchone()
    return row


def _draft(db: sqlite3.Connection, name: str, alias: str, body: str, now: float) -> None:
    db.execute(
        "INSERT INTO drafts VALUES (?, ?, ?, ?) "
        "ON CONFLICT (item, alias) DO UPDATE SET body = excluded.body, at = excluded.at",
        (name, alias, body, now),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """The form as it stands: `body` is a label's or a draft's, `sent` whether it is a label."""

    body: dict[str, Any]
    sent: bool


def filled(book: Book, who: Person, name: str) -> Filled:
    """What this person has filled in for an item so far."""
    with book.reading() as db:
        label = _own(db, name, who.alias)
        draft = db.execute("SELECT body FROM drafts WHERE item = ? AND alias = ?", (name, who.alias)).fetchone()
    found = draft or label
    return Filled(body=loads(found["body"], "labels.db") if found else {}, sent=label is not None)


def words(book: Book, item: Item) -> list[Form]:
    """For the adjudicator: the labels of an item, without who said them, in an order that does not tell either."""
    with book.reading() as db:
        found = rows(
            db,
            "SELECT body FROM labels WHERE item = ? AND role = 'label' AND withdrawn IS NULL ORDER BY alias",
            (item.id,),
        )
    forms = [load(Form, loads(row["body"], "labels.db"), "labels.db") for row in found]
    Random(f"{book.plan.seed} words {item.id}").shuffle(forms)
    return forms


def opened_reference(book: Book, who: Person, name: str, now: float) -> None:
    """Note that the person looked at the reference."""
    with book.writing() as db:
        event(db, now, who.alias, name, "reference")
