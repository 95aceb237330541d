"""labels.db: people, leases, drafts, labels and events, in SQLite. A label that was acknowledged is on disk.

Nothing is overwritten: a changed label closes the row before it (`withdrawn`) and adds one. WAL lets readers and one
writer work at once; synchronous=FULL makes a commit outlive a power cut. Every change is one short transaction.
"""

import hashlib
import sqlite3
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from webds import database
from webds.annotate.plan import BOOK, plan_file, read
from webds.annotate.records import Item, Plan
from webds.errors import InputFault

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS people (
  alias TEXT PRIMARY KEY, role TEXT NOT NULL, invite TEXT NOT NULL UNIQUE, invited REAL NOT NULL, expires REAL NOT NULL,
  entered REAL, revoked REAL) STRICT;
CREATE TABLE IF NOT EXISTS sessions (
  key TEXT PRIMARY KEY, alias TEXT NOT NULL REFERENCES people, expires REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS leases (
  item TEXT NOT NULL, alias TEXT NOT NULL REFERENCES people, until REAL NOT NULL, PRIMARY KEY (item, alias)) STRICT;
CREATE TABLE IF NOT EXISTS drafts (
  item TEXT NOT NULL, alias TEXT NOT NULL REFERENCES people, body TEXT NOT NULL, at REAL NOT NULL,
  PRIMARY KEY (item, alias)) STRICT;
CREATE TABLE IF NOT EXISTS labels (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, item TEXT NOT NULL, alias TEXT NOT NULL REFERENCES people, role TEXT NOT NULL,
  label TEXT NOT NULL, body TEXT NOT NULL, at REAL NOT NULL, withdrawn REAL, exported REAL) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS one_label ON labels (item, alias) WHERE withdrawn IS NULL;
CREATE TABLE IF NOT EXISTS events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, alias TEXT NOT NULL, item TEXT NOT NULL, what TEXT NOT NULL
  ) STRICT;
CREATE INDEX IF NOT EXISTS events_of ON events (item, alias, what);
"""
_BUSY = 20
"""Seconds that a writer waits for another."""


class Book:
    """A plan with its labels. Each call of `reading` or `writing` is a connection of its own, closed when done."""

    def __init__(self, folder: Path) -> None:
        """InputFault: no plan in `folder`, or the labels were made under another plan."""
        self.file = plan_file(folder)
        self.folder = self.file.parent
        self.plan: Plan = read(folder)
        self.items: dict[str, Item] = {item.id: item for item in self.plan.items}
        self.repeats: dict[str, Item] = {item.repeat: item for item in self.plan.items if item.repeat}
        self._path = self.folder / BOOK
        self._prepare(hashlib.sha256(self.file.read_bytes()).hexdigest())

    def item(self, name: str) -> Item | None:
        """The item that an id, or the id of its hidden repeat, stands for."""
        return self.items.get(name) or self.repeats.get(name)

    def try_folder(self, item: Item) -> Path:
        """Where the item's try lies."""
        return (self.folder / item.path).resolve()

    def _prepare(self, digest: str) -> None:
        try:
            database.prepare(self._path, _SCHEMA, _BUSY)
        except sqlite3.DatabaseError as error:
            raise InputFault(f"{self._path}: not a database of labels: {error}") from error
        with self.writing() as db:
            db.execute("INSERT OR IGNORE INTO facts VALUES ('plan', ?)", (digest,))
            kept = db.execute("SELECT value FROM facts WHERE name = 'plan'").fetchone()[0]
        if kept != digest:
            raise InputFault(f"{self.file}: changed since the first label; a plan is fixed: put the first one back")

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """One transaction that holds the write lock from its start: what it reads stays true until it commits."""
        return database.writing(self._path, _BUSY)

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """One consistent view."""
        return database.reading(self._path, _BUSY)


def stamp(at: float) -> str:
    """A time of the book as ISO 8601 in UTC."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def event(db: sqlite3.Connection, at: float, alias: str, item: str, what: str) -> None:
    """Note what somebody did: reference, skip, undo, export."""
    db.execute("INSERT INTO events (at, alias, item, what) VALUES (?, ?, ?, ?)", (at, alias, item, what))


def rows(db: sqlite3.Connection, query: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
    """All rows of a query as dicts."""
    return [dict(row) for row in db.execute(query, values)]
