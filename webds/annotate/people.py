"""Who may label: invites that are kept as hashes, expire and can be revoked, and the sessions that they open."""

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import Any

from webds.annotate.book import Book, rows
from webds.errors import InputFault

ROLES = ("rater", "adjudicator")
_ALIAS = re.compile("[a-z0-9][a-z0-9_-]{0,31}")
_DAY = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A rater labels; an adjudicator only settles items on which raters differ."""

    alias: str
    role: str


def check_alias(alias: str) -> str:
    """The alias itself. InputFault: it cannot be the name of a judge."""
    if not _ALIAS.fullmatch(alias):
        raise InputFault(f"alias {alias!r:.60}: wanted 1 to 32 of a-z, 0-9, - and _, a letter or digit first")
    return alias


def _hash(secret: str) -> str:
    # 256 random bits need no slow hash: there is nothing to guess.
    return hashlib.sha256(f"webds invite {secret}".encode()).hexdigest()


def invite(book: Book, alias: str, role: str, days: float, now: float) -> str:
    """A token for the link, shown once. Inviting an alias again ends its old link and keeps its labels and role."""
    check_alias(alias)
    if not 0 < days <= 365:
        raise InputFault(f"--days {days:g}: wanted more than 0, at most 365")
    token = secrets.token_urlsafe(32)
    with book.writing() as db:
        known = db.execute("SELECT role FROM people WHERE alias = ?", (alias,)).fetchone()
        if known is not None and known["role"] != role:
            raise InputFault(f"alias {alias}: is a {known['role']} already; choose another alias for a {role}")
        db.execute(
            "INSERT INTO people (alias, role, invite, invited, expires) VALUES (?, ?, ?, ?, ?) ON CONFLICT (alias) DO "
            "UPDATE SET invite = excluded.invite, expires = excluded.expires, invited = excluded.invited, "
            "revoked = NULL",
            (alias, role, _hash(token), now, now + days * _DAY),
        )
        db.execute("DELETE FROM sessions WHERE alias = ?", (alias,))
    return token


def revoke(book: Book, alias: str, now: float) -> None:
    """End the alias's link and sessions at once; its labels stay. InputFault lists the known aliases."""
    with book.writing() as db:
        done = db.execute("UPDATE people SET revoked = ? WHERE alias = ?", (now, alias)).rowcount
        if not done:
            known = ", ".join(row["alias"] for row in db.execute("SELECT alias FROM people ORDER BY alias"))
            raise InputFault(f"alias {alias!r:.60}: nobody was invited under it; known: {known or 'none'}")
        db.execute("DELETE FROM sessions WHERE alias = ?", (alias,))
        db.execute("UPDATE leases SET until = ? WHERE alias = ? AND until > ?", (now, alias, now))


def enter(book: Book, token: str, session: str, now: float) -> Person | None:
    """Open a session (by its key) with an invite's token; None where the token is unknown, expired or revoked."""
    with book.writing() as db:
        row = db.execute(
            "SELECT alias, role, expires FROM people WHERE invite = ? AND expires > ? AND revoked IS NULL",
            (_hash(token), now),
        ).fetchone()
        if row is None:
            return None
        db.execute("UPDATE people SET entered = coalesce(entered, ?) WHERE alias = ?", (now, row["alias"]))
        db.execute("DELETE FROM sessions WHERE expires <= ?", (now,))
        db.execute("INSERT INTO sessions VALUES (?, ?, ?)", (session, row["alias"], row["expires"]))
    return Person(alias=row["alias"], role=row["role"])


def leave(book: Book, session: str) -> None:
    """Close a session."""
    with book.writing() as db:
        db.execute("DELETE FROM sessions WHERE key = ?", (session,))


def person(book: Book, session: str, now: float) -> Person | None:
    """Who a session (by its key) belongs to."""
    with book.reading() as db:
        row = db.execute(
            "SELECT alias, role FROM sessions JOIN people USING (alias) "
            "WHERE key = ? AND sessions.expires > ? AND revoked IS NULL",
            (session, now),
        ).fetchone()
    return Person(alias=row["alias"], role=row["role"]) if row else None


def everybody(book: Book) -> list[dict[str, Any]]:
    """All who were invited, with how many labels stand of each; no token."""
    with book.reading() as db:
        return rows(
            db,
            "SELECT alias, role, invited, expires, entered, revoked, "
            "(SELECT count(*) FROM labels WHERE labels.alias = people.alias AND withdrawn IS NULL) AS labels "
            "FROM people ORDER BY alias",
        )
