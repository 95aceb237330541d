"""The forum's memory: a SQLite database that lives in the process and begins as a copy of a template.

Each application object has a store of its own, so two Worlds share nothing. `reset` puts the template back, `save`
writes the database to a file. The clock never moves: whatever is written is dated at the frozen instant, and order
comes from the numbers of the posts. Nothing is ever removed: a deleted post keeps its text and gets `deleted = 1`.
"""

import hashlib
import secrets
import sqlite3
import threading
import tomllib
from datetime import datetime
from pathlib import Path
from typing import Any

SCHEMA = """
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, about TEXT NOT NULL,
  joined TEXT NOT NULL, salt TEXT NOT NULL, proof TEXT NOT NULL, seed INTEGER NOT NULL);
CREATE TABLE sessions (token TEXT PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users, form TEXT NOT NULL);
CREATE TABLE boards (slug TEXT PRIMARY KEY, place INTEGER NOT NULL, title TEXT NOT NULL, about TEXT NOT NULL);
CREATE TABLE threads (id INTEGER PRIMARY KEY, board TEXT NOT NULL REFERENCES boards, title TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users, at TEXT NOT NULL, seed INTEGER NOT NULL);
CREATE TABLE posts (id INTEGER PRIMARY KEY, thread_id INTEGER NOT NULL REFERENCES threads,
  user_id INTEGER NOT NULL REFERENCES users, reply_to INTEGER REFERENCES posts, body TEXT NOT NULL, at TEXT NOT NULL,
  edits INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0, seed INTEGER NOT NULL);
"""
"""`seed` is 1 for what was there before the episode; `edits` counts how often a post's text was changed."""
ROUNDS = 2000
"""Of the password hash: few, because nothing here is worth guarding."""
_POSTS = """
SELECT posts.*, users.name AS author, threads.title AS thread, threads.board FROM posts
JOIN users ON users.id = posts.user_id JOIN threads ON threads.id = posts.thread_id
"""

type Record = dict[str, Any]


def proof_of(password: str, salt: str) -> str:
    """What is kept of a password."""
    return hashlib.pbkdf2_hmac("sha256", password.encode(), salt.encode(), ROUNDS).hex()


def template(seed: Path) -> bytes:
    """The forum of seed.toml as the bytes of a SQLite file, the same on each call."""
    table = tomllib.loads(seed.read_text(encoding="utf-8"))
    base = sqlite3.connect(":memory:")
    base.executescript(SCHEMA)
    ids: dict[str, int] = {}
    for number, member in enumerate(table["member"], start=1):
        salt = f"seed-{number}"
        proof = proof_of(member["password"], salt) if "password" in member else ""
        base.execute(
            "INSERT INTO users VALUES (?, ?, ?, ?, ?, ?, 1)",
            (number, member["name"], member["about"], f"{member['joined']}T00:00", salt, proof),
        )
        ids[member["name"]] = number
    for place, board in enumerate(table["board"], start=1):
        base.execute("INSERT INTO boards VALUES (?, ?, ?, ?)", (board["slug"], place, board["title"], board["about"]))
    for number, thread in enumerate(table["thread"], start=1):
        first = thread["posts"][0]
        base.execute(
            "INSERT INTO threads VALUES (?, ?, ?, ?, ?, 1)",
            (number, thread["board"], thread["title"], ids[first["by"]], first["at"]),
        )
        base.executemany(
            "INSERT INTO posts (thread_id, user_id, body, at, seed) VALUES (?, ?, ?, ?, 1)",
            [(number, ids[post["by"]], post["body"], post["at"]) for post in thread["posts"]],
        )
    base.commit()
    return base.serialize()


class Store:
    """Reads and writes of one forum, safe from several threads. `reset()` and `save(path)` are for the World."""

    def __init__(self, seed: Path, frozen: datetime) -> None:
        self._now = frozen.strftime("%Y-%m-%dT%H:%M")
        self._template = template(seed)
        self._lock = threading.Lock()
        self._base = self._fresh()

    def _fresh(self) -> sqlite3.Connection:
        base = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        base.deserialize(self._template)
        base.row_factory = sqlite3.Row
        return base

    def reset(self) -> None:
        """Forget everything that was written since the start."""
        with self._lock:
            old, self._base = self._base, self._fresh()
            old.close()

    def save(self, path: Path) -> None:
        """Write the database as it is now, without open sessions, to a file."""
        with self._lock:
            copy = sqlite3.connect(":memory:")
            copy.deserialize(self._base.serialize())
        copy.execute("DELETE FROM sessions")
        copy.commit()
        path.write_bytes(copy.serialize())
        copy.close()

    def rows(self, sql: str, *values: Any) -> list[Record]:
        """Rows by column name."""
        with self._lock:
            return [dict(row) for row in self._base.execute(sql, values)]

    def row(self, sql: str, *values: Any) -> Record | None:
        """The first row, or None."""
        return next(iter(self.rows(sql, *values)), None)

    def _write(self, sql: str, *values: Any) -> int:
        with self._lock:
            return int(self._base.execute(sql, values).lastrowid or 0)

    def posts(self, where: str, *values: Any) -> list[Record]:
        """Posts with `author`, `thread` and `board`, in the order they were written."""
        return self.rows(f"{_POSTS} WHERE {where} ORDER BY posts.id", *values)

    def log_in(self, name: str, password: str) -> str:
        """A session's token, or "" where name and password do not fit."""
        user = self.row("SELECT * FROM users WHERE name = ?", name)
        if user is None or not user["proof"]:
            return ""
        if not secrets.compare_digest(user["proof"], proof_of(password, user["salt"])):
            return ""
        token = secrets.token_hex(16)
        self._write("INSERT INTO sessions VALUES (?, ?, ?)", token, user["id"], secrets.token_hex(8))
        return token

    def log_out(self, token: str) -> None:
        """End a session."""
        self._write("DELETE FROM sessions WHERE token = ?", token)

    def who(self, token: str) -> Record | None:
        """The member of a session, with `form`, the mark that its forms carry; None for no session."""
        return self.row(
            "SELECT users.*, sessions.form FROM sessions JOIN users ON users.id = sessions.user_id WHERE token = ?",
            token,
        )

    def register(self, name: str, password: str) -> bool:
        """Make an account; False where the name is taken."""
        salt = secrets.token_hex(8)
        try:
            self._write(
                "INSERT INTO users (name, about, joined, salt, proof, seed) VALUES (?, '', ?, ?, ?, 0)",
                name,
                self._now,
                salt,
                proof_of(password, salt),
            )
        except sqlite3.IntegrityError:
            return False
        return True

    def open_thread(self, board: str, title: str, user: int, body: str) -> int:
        """A new thread with its first post; its number."""
        sql = "INSERT INTO threads (board, title, user_id, at, seed) VALUES (?, ?, ?, ?, 0)"
        thread = self._write(sql, board, title, user, self._now)
        self.reply(thread, user, body, None)
        return thread

    def reply(self, thread: int, user: int, body: str, to: int | None) -> int:
        """A new post in a thread; its number."""
        sql = "INSERT INTO posts (thread_id, user_id, reply_to, body, at, seed) VALUES (?, ?, ?, ?, ?, 0)"
        return self._write(sql, thread, user, to, body, self._now)

    def edit(self, post: int, body: str) -> None:
        """Change a post's text."""
        self._write("UPDATE posts SET body = ?, edits = edits + 1 WHERE id = ?", body, post)

    def delete(self, post: int) -> None:
        """Take a post away from readers."""
        self._write("UPDATE posts SET deleted = 1 WHERE id = ?", post)
