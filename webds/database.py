"""SQLite files that are written while others read: WAL, a commit that outlives a power cut, one transaction a block."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


def connect(path: Path, busy: float) -> sqlite3.Connection:
    """A connection whose rows have names; a writer waits up to `busy` seconds for another. Close it."""
    db = sqlite3.connect(path, timeout=busy, isolation_level=None)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA foreign_keys = ON")
    return db


def prepare(path: Path, schema: str, busy: float) -> None:
    """Make the file and what the schema has, where it is not there. sqlite3.DatabaseError: it is no database."""
    with closing(connect(path, busy)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(schema)


@contextmanager
def writing(path: Path, busy: float) -> Iterator[sqlite3.Connection]:
    """One transaction that holds the write lock from its start: what it reads stays true until it commits."""
    with closing(connect(path, busy)) as db:
        db.execute("BEGIN IMMEDIATE")
        yield db  # what raises in the block closes the connection, and that takes the transaction back
        db.execute("COMMIT")


@contextmanager
def reading(path: Path, busy: float) -> Iterator[sqlite3.Connection]:
    """One consistent view."""
    with closing(connect(path, busy)) as db:
        db.execute("BEGIN")
        yield db
        db.execute("COMMIT")
