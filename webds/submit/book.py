"""The board's books: one folder with board.sqlite (WAL), uploads/ and bundles/. Server and scorer share it.

No result of a private task is kept: of a private submission only its released figure and the score behind it.
"""

import hashlib
import secrets
import sqlite3
from contextlib import AbstractContextManager, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from webds import database
from webds.errors import InputFault
from webds.files import make_folder
from webds_judge.agreement.labels import PERSON

FILE = "board.sqlite"
HUMAN = "human"
"""The agent whose runs stand in the human row, apart from the ranking of agents."""
SESSION = timedelta(hours=12)
_BUSY_SECONDS = 30.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS teams (name TEXT PRIMARY KEY, token TEXT NOT NULL UNIQUE, at TEXT NOT NULL, revoked TEXT);
CREATE TABLE IF NOT EXISTS reservations (
    run TEXT PRIMARY KEY, team TEXT NOT NULL, agent TEXT NOT NULL, model TEXT NOT NULL, split TEXT NOT NULL,
    at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS uploads (sha TEXT NOT NULL, team TEXT NOT NULL, size INTEGER NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (sha, team));
CREATE TABLE IF NOT EXISTS submissions (
    id INTEGER PRIMARY KEY, sha TEXT NOT NULL UNIQUE, team TEXT NOT NULL, run TEXT NOT NULL UNIQUE, split TEXT NOT NULL,
    track TEXT NOT NULL, agent TEXT NOT NULL, model TEXT NOT NULL, reserved INTEGER NOT NULL, state TEXT NOT NULL,
    why TEXT NOT NULL DEFAULT '', level TEXT NOT NULL DEFAULT '', at TEXT NOT NULL, scored TEXT);
CREATE TABLE IF NOT EXISTS results (
    submission INTEGER PRIMARY KEY REFERENCES submissions, figure REAL, low REAL, high REAL, n INTEGER NOT NULL,
    strict_n INTEGER, stars REAL, cost REAL, steps REAL, judge TEXT NOT NULL, period TEXT NOT NULL DEFAULT '',
    detail TEXT NOT NULL DEFAULT '{}', tasks TEXT NOT NULL DEFAULT '{}', stamp TEXT NOT NULL DEFAULT '',
    behind REAL, second TEXT NOT NULL DEFAULT '{}');
CREATE TABLE IF NOT EXISTS agreements (
    id INTEGER PRIMARY KEY, judge TEXT NOT NULL, stamp TEXT NOT NULL, rubric TEXT NOT NULL, figures TEXT NOT NULL,
    source TEXT NOT NULL, who TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS flags (
    id INTEGER PRIMARY KEY, submission INTEGER NOT NULL REFERENCES submissions, kind TEXT NOT NULL, text TEXT NOT NULL,
    at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS decisions (
    id INTEGER PRIMARY KEY, submission INTEGER NOT NULL REFERENCES submissions, decision TEXT NOT NULL,
    reason TEXT NOT NULL, who TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS entered (session TEXT PRIMARY KEY, maintainer TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS maintainers (name TEXT PRIMARY KEY, token TEXT NOT NULL UNIQUE, at TEXT NOT NULL,
    revoked TEXT);
CREATE TABLE IF NOT EXISTS revocations (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, reason TEXT NOT NULL, who TEXT NOT NULL,
    at TEXT NOT NULL);
"""
_LATER = {
    "maintainers": {"revoked": "TEXT"},
    "results": {
        "tasks": "TEXT NOT NULL DEFAULT '{}'", "stamp": "TEXT NOT NULL DEFAULT ''", "behind": "REAL",
        "second": "TEXT NOT NULL DEFAULT '{}'",
    },
}  # fmt: skip
"""Columns that books of an earlier webds have not; they are added."""
STATES = ("queued", "scoring", "scored", "refused", "broken")
LEVELS = ("reported", "replayed", "re-run")


class Book:
    """`folder` is made where it is not there. A connection a block: cheap, and safe over threads and processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self.uploads = self.folder / "uploads"
        self.bundles = self.folder / "bundles"
        for place in (self.folder, self.uploads, self.bundles):
            make_folder(place)
        self.folder.chmod(0o700)
        database.prepare(self.folder / FILE, _SCHEMA, _BUSY_SECONDS)
        self._grow()

    def _grow(self) -> None:
        with self.change() as db:
            for table, columns in _LATER.items():
                there = {row["name"] for row in db.execute(f"PRAGMA table_info({table})")}
                for name in columns.keys() - there:
                    db.execute(f"ALTER TABLE {table} ADD COLUMN {name} {columns[name]}")

    def change(self) -> AbstractContextManager[sqlite3.Connection]:
        """One transaction that holds the write lock for the length of the block; undone where the block raises."""
        return database.writing(self.folder / FILE, _BUSY_SECONDS)

    def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        """The rows of a query."""
        with closing(database.connect(self.folder / FILE, _BUSY_SECONDS)) as db:
            return [dict(row) for row in db.execute(query, values)]

    def mark(self) -> str:
        """What changes with everything that the board shows: results, decisions, agreements."""
        query = (
            "SELECT (SELECT count(*) || ' ' || coalesce(max(scored), '') FROM submissions WHERE state = 'scored')"
            " || ' ' || (SELECT count(*) FROM decisions) || ' ' || (SELECT count(*) FROM agreements) AS mark"
        )
        return str(self.rows(query)[0]["mark"])

    def secret(self, name: str) -> bytes:
        """32 random bytes of that name, drawn at the first call and kept."""
        with self.change() as db:
            db.execute("INSERT OR IGNORE INTO secrets VALUES (?, ?)", (name, secrets.token_bytes(32)))
            found: bytes = db.execute("SELECT value FROM secrets WHERE name = ?", (name,)).fetchone()[0]
        return found


def now() -> datetime:
    """This instant, in UTC."""
    return datetime.now(UTC)


def stamp(at: datetime) -> str:
    """An instant as the books keep it."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def hashed(token: str) -> str:
    """What is kept of a token: it has 256 random bits, so a plain hash tells nothing."""
    return hashlib.sha256(token.encode()).hexdigest()


def add_person(book: Book, table: str, name: str) -> str:
    """A new team or maintainer, or one whose token was revoked; its token, which is shown once and kept as a hash.

    InputFault: the name is taken.
    """
    assert table in ("teams", "maintainers")
    if name.startswith(PERSON):
        raise InputFault(f"{table}: {name!r:.60}: such a name is a person's, of a run that maintainers register")
    token = f"webds-{secrets.token_urlsafe(32)}"
    try:
        with book.change() as db:
            again = f"UPDATE {table} SET token = ?, at = ?, revoked = NULL WHERE name = ? AND revoked IS NOT NULL"  # noqa: S608 - one of two names
            values = (hashed(token), stamp(now()), name)
            if not db.execute(again, values).rowcount:
                db.execute(f"INSERT INTO {table} (token, at, name) VALUES (?, ?, ?)", values)  # noqa: S608 - one of two names
    except sqlite3.IntegrityError as error:
        raise InputFault(f"{table}: {name!r:.60} is there already") from error
    return token


def enter(book: Book, token: str, session: str) -> str:
    """Let a browser's session in as the maintainer whose token this is; their name, or "" where it is nobody's."""
    with book.change() as db:
        query = "SELECT name FROM maintainers WHERE token = ? AND revoked IS NULL"
        found = db.execute(query, (hashed(token),)).fetchone()
        if found is None:
            return ""
        db.execute("INSERT OR REPLACE INTO entered VALUES (?, ?, ?)", (session, found["name"], stamp(now())))
    return str(found["name"])


def maintainer_of(book: Book, session: str) -> str:
    """The maintainer behind a browser's session, for twelve hours; else ""."""
    since = stamp(now() - SESSION)
    found = book.rows("SELECT maintainer FROM entered WHERE session = ? AND at > ?", session, since)
    return str(found[0]["maintainer"]) if found else ""


def team_of(book: Book, token: str) -> str:
    """The team whose token this is, or ""."""
    found = book.rows("SELECT name FROM teams WHERE token = ? AND revoked IS NULL", hashed(token))
    return str(found[0]["name"]) if found else ""
