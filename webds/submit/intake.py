"""What a team may hand in and when: reservations, uploads in pieces, and the queue."""

import hashlib
import re
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from webds.errors import InputFault
from webds.files import held, make_folder
from webds.runner.plan import ID
from webds.submit import bundle, ladder, reservation
from webds.submit.book import HUMAN, Book, now, stamp
from webds.submit.bundle import Manifest
from webds.submit.decide import REGISTER
from webds.submit.verify import verified

_SHA = re.compile(r"[0-9a-f]{64}")
_WORD = re.compile(r"[\w .:/@+()-]{0,100}")
OPEN_UPLOADS = 5
"""Unfinished uploads of one team."""
KEPT = timedelta(days=7)
"""An upload that nobody has gone on with for so long is dropped."""


def reserve(book: Book, team: str, asked: dict[str, Any], at: datetime | None = None) -> dict[str, Any]:
    """Reserve a run's id for a team. InputFault: no id, taken, or a field that is none."""
    run, split = asked.get("run"), asked.get("split", "private")
    if not isinstance(run, str) or not ID.fullmatch(run):
        raise InputFault("field run: wanted a run's id, <utc>-<agent>-<hex>")
    if split not in ("public", "private"):
        raise InputFault("field split: known: public, private")
    words = [asked.get(name, "") for name in ("agent", "model")]
    if not all(isinstance(word, str) and _WORD.fullmatch(word) for word in words):
        raise InputFault("fields agent and model: at most 100 letters, digits and . : / @ + ( ) -")
    at = at or now()
    if reservation.late(run, at):
        raise InputFault(f"run {run}: its time is before the server's, {at:%Y%m%dT%H%M%SZ}; set your clock")
    try:
        with book.change() as db:
            values = (run, team, *words, split, stamp(at))
            db.execute("INSERT INTO reservations VALUES (?, ?, ?, ?, ?, ?)", values)
    except sqlite3.IntegrityError as error:
        raise InputFault(f"run {run}: its id is reserved already") from error
    return {"run": run, "state": "reserved"}


def begin(book: Book, team: str, sha: object, size: object, at: datetime | None = None) -> int:
    """Begin or go on with an upload: how many bytes are there. InputFault: too large, too many, or sent already.

    Uploads of any team that are older than `KEPT` are dropped.
    """
    if not isinstance(sha, str) or not _SHA.fullmatch(sha):
        raise InputFault("field sha256: wanted 64 hexadecimal digits")
    if not isinstance(size, int) or isinstance(size, bool) or not 0 < size <= bundle.MOST_BYTES:
        raise InputFault(f"field size: wanted bytes from 1 to {bundle.MOST_BYTES}")
    _new(book, sha)
    at = at or now()
    for old in book.rows("SELECT team, sha FROM uploads WHERE at < ?", stamp(at - KEPT)):
        forget(book, old["team"], old["sha"])
    with book.change() as db:
        mine = {row["sha"] for row in db.execute("SELECT sha FROM uploads WHERE team = ?", (team,))}
        if sha not in mine and len(mine) >= OPEN_UPLOADS:
            raise InputFault(f"{len(mine)} uploads are unfinished; go on with one of them")
        query = "INSERT INTO uploads VALUES (?, ?, ?, ?) ON CONFLICT (sha, team) DO UPDATE SET at = excluded.at"
        db.execute(query, (sha, team, size, stamp(at)))
    return offset(book, team, sha)


def _new(book: Book, sha: str) -> None:
    if book.rows("SELECT 1 FROM submissions WHERE sha = ?", sha):
        raise InputFault("this bundle was handed in already")


def part(book: Book, team: str, sha: str) -> tuple[Path, int]:
    """(file, size) of an upload that was begun. InputFault: none of this team's."""
    found = book.rows("SELECT size FROM uploads WHERE sha = ? AND team = ?", sha, team)
    if not found:
        raise InputFault("no such upload; begin it first")
    return _file(book, team, sha), int(found[0]["size"])


def _file(book: Book, team: str, sha: str) -> Path:
    owner = hashlib.sha256(team.encode()).hexdigest()[:16]
    return book.uploads / f"{sha}.{owner}.part"


def offset(book: Book, team: str, sha: str) -> int:
    """Bytes of an upload that are on disk."""
    path, _ = part(book, team, sha)
    return path.stat().st_size if path.exists() else 0


def forget(book: Book, team: str, sha: str) -> None:
    """Remove an upload: its file and its row."""
    _file(book, team, sha).unlink(missing_ok=True)
    with book.change() as db:
        db.execute("DELETE FROM uploads WHERE sha = ? AND team = ?", (sha, team))


def drop(book: Book, team: str) -> None:
    """Remove all uploads that a team has not finished."""
    for row in book.rows("SELECT sha FROM uploads WHERE team = ?", team):
        forget(book, team, row["sha"])


def lock(book: Book, team: str, sha: str) -> Path:
    """The file whose lock the one call holds that takes this upload; two digits, so that few such files lie there."""
    make_folder(book.folder / "locks")
    return book.folder / "locks" / hashlib.sha256(f"{team} {sha}".encode()).hexdigest()[:2]


def take(book: Book, root: Path, team: str, sha: str, scratch: Path, at: datetime | None = None) -> int:
    """Verify a whole upload and queue it: the submission's number. InputFault: the reason; then no file is left.

    One call takes an upload; another one waits for it, and answers the same number. What breaks here leaves the upload.
    """
    with held(lock(book, team, sha)):
        mine = book.rows("SELECT id FROM submissions WHERE sha = ? AND team = ?", sha, team)
        if mine:
            return int(mine[0]["id"])
        path, size = part(book, team, sha)
        try:
            number = _taken(book, root, team, sha, (path, size), scratch, at or now())
        except InputFault:
            forget(book, team, sha)
            raise
        forget(book, team, sha)
        return number


def _taken(
    book: Book, root: Path, team: str, sha: str, found: tuple[Path, int], scratch: Path, at: datetime
) -> int:  # fmt: skip
    path, size = found
    if not path.exists() or path.stat().st_size != size:
        raise InputFault("the upload is not whole")
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != sha:
            raise InputFault("the upload does not match its sha256")
    make_folder(scratch)  # another team may send the same bytes at the same time
    with TemporaryDirectory(dir=scratch) as place, verified(path, Path(place) / "bundle", root) as manifest:
        return _queued(book, team, sha, path, manifest, at)


def enrol(book: Book, root: Path, bundle: Path, person: str, said: tuple[str, str]) -> int:
    """Verify and queue the run that maintainers register for a person; `said`: who registers it, and the reason.

    The bundle's file is taken. Returns the submission's number.
    """
    with bundle.open("rb") as file:
        sha = hashlib.file_digest(file, "sha256").hexdigest()
    with verified(bundle, bundle.with_name(sha), root) as manifest, book.change() as db:
        _once(db, sha, manifest.run)
        number = _inserted(db, person, sha, manifest, reserved=False, at=now())
        values = (number, REGISTER, said[1], said[0], stamp(now()))
        db.execute("INSERT INTO decisions (submission, decision, reason, who, at) VALUES (?, ?, ?, ?, ?)", values)
        bundle.replace(book.bundles / f"{sha}.zip")
    return number


def _queued(book: Book, team: str, sha: str, path: Path, manifest: Manifest, at: datetime) -> int:
    known = reservation.of(book, manifest.run)
    why = reservation.fault(known, manifest)
    with book.change() as db:
        if manifest.team != team or (known is not None and known["team"] != team):
            raise InputFault(f"run {manifest.run}: belongs to another team")
        if manifest.split == "private" and manifest.head.get("agent") == HUMAN:
            raise InputFault("agent human on the private split: maintainers register such runs (webds board human)")
        if why and manifest.split == "private":
            raise InputFault(f"run {manifest.run}: {why}; reserve an id, then run with --reserved")
        _once(db, sha, manifest.run)
        if manifest.split == "private":
            _week(db, team, at)
        path.replace(book.bundles / f"{sha}.zip")
        return _inserted(db, team, sha, manifest, reserved=not why, at=at)


def _once(db: sqlite3.Connection, sha: str, run: str) -> None:
    for column, value in (("sha", sha), ("run", run)):
        if db.execute(f"SELECT 1 FROM submissions WHERE {column} = ?", (value,)).fetchone():  # noqa: S608 - one of two names
            raise InputFault(
                "this bundle was handed in already" if column == "sha" else "this run was handed in already"
            )


def _inserted(
    db: sqlite3.Connection, team: str, sha: str, manifest: Manifest, *, reserved: bool, at: datetime
) -> int:  # fmt: skip
    told, track = reservation.about(manifest), str(manifest.head.get("track", ""))
    made = db.execute(
        "INSERT INTO submissions (sha, team, run, split, track, agent, model, reserved, state, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?)",
        (sha, team, manifest.run, manifest.split, track, told["agent"], told["model"], reserved, stamp(at)),
    )
    return int(made.lastrowid or 0)


def _week(db: sqlite3.Connection, team: str, at: datetime) -> None:
    query = "SELECT at FROM submissions WHERE team = ? AND split = 'private' AND state NOT IN ('refused', 'broken')"
    left = ladder.wait([datetime.fromisoformat(row["at"]) for row in db.execute(query, (team,))], at)
    if left is not None:
        hours = left.total_seconds() / 3600
        raise InputFault(f"{ladder.WEEKLY} private submissions a week; the next is taken in {hours:.0f} hours")
