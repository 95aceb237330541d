"""Writes an archive. Everything lands beside the final folder first; `finish` collapses, numbers, seals and renames."""

import json
import shutil
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Self

from webds.codec import canonical, sha256
from webds.errors import InputFault
from webds.store import read_json, write_atomic, write_json
from webds_recorder.archive import COLUMNS, FORMAT, SCHEMA, ArchiveReader, read_row
from webds_recorder.blobs import blob_path, frames_path
from webds_recorder.exchange import Exchange, Headers, header, without, write_frames
from webds_recorder.match import (
    Rules,
    body_digest,
    canonical_key,
    cookie_names,
    exact_key,
    normal_host,
    place,
    signed_in,
    varying,
)
from webds_recorder.rules import plain_rules
from webds_recorder.scrub import left_over
from webds_recorder.seal import content_digest
from webds_recorder.target import beside, check_place

NOISE = (
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "trailer", "upgrade-insecure-requests",
    "date", "age", "expires", "server-timing", "x-request-id", "x-runtime", "x-cache", "x-cache-hits", "x-served-by",
    "x-timer", "x-amz-request-id", "x-amz-id-2", "x-amz-cf-id", "x-amz-cf-pop", "cf-ray", "cf-cache-status", "via",
    "strict-transport-security", "alt-svc", "nel", "report-to", "reporting-endpoints", "traceparent", "x-trace-id",
    "upgrade", "server", "sec-websocket-accept", "sec-websocket-extensions",
)  # fmt: skip
"""Response headers that speak about the connection or the moment, not about the page: left out of archives."""

FRONTIER, REDACTIONS = "frontier.json", "redactions.json"
"""Files in `<folder>.part` for the next session of a capture; gone when it is sealed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a manifest fixes for replays. `frozen` carries a zone; viewport is (width, height) in CSS pixels."""

    site: str
    frozen: datetime
    seed: int = 1
    viewport: tuple[int, int] = (1280, 720)
    locale: str = "en-US"
    zone: str = "UTC"
    match: Rules = field(default_factory=Rules)
    redactions: tuple[str, ...] = ()


class ArchiveWriter:
    """`add` exchanges in the order of capture, then `finish`. Until then `<folder>.part` can be resumed."""

    def __init__(self, folder: Path, terms: Terms, resume: bool = False, force: bool = False) -> None:
        """`resume` goes on with `<folder>.part`; `force` takes the place of an archive that is there. InputFault:
        `check_place`."""
        check_place(folder, resume, force)
        self.folder = folder.resolve()
        self.part = beside(folder, ".part")
        self.terms = terms
        self._redactions: set[str] = set(terms.redactions)
        if not resume:
            shutil.rmtree(self.part, ignore_errors=True)
        self.part.mkdir(parents=True, exist_ok=True)
        new = not (self.part / "index.sqlite").exists()
        self._index = sqlite3.connect(self.part / "index.sqlite", isolation_level=None)
        self._index.execute("pragma synchronous = off")
        if new:
            self._index.executescript(SCHEMA)

    def add(self, exchange: Exchange, keep_body: bool = True) -> None:
        """Store one exchange. `keep_body` False keeps the request's body as a digest only (it holds a secret)."""
        request = exchange.request
        if keep_body and request.body:
            self._blob(request.body)
        vary = header(exchange.headers, "vary")
        row = {
            "method": request.method.upper(),
            "scheme": request.scheme.lower(),
            "host": normal_host(request.host),
            "port": request.port,
            "path": request.path,
            "query": request.query,
            "body": body_digest(request.body),
            "signed": int(signed_in(request)),
            "vary": _text(varying(request, vary)),
            "cookies": _text(cookie_names(request)),
            "origin": header(request.headers, "origin") if "origin" in vary.lower() else "",
            "n": 0,
            "status": exchange.status,
            "reason": exchange.reason,
            "headers": _text(stored_headers(exchange)),
            "kind": exchange.kind,
            "blob": self._blob(exchange.body) if exchange.body else "",
            "size": len(exchange.body),
            "frames": self._frames(exchange),
            "exact": exact_key(request),
            "canonical": canonical_key(request, self.terms.match),
            "place": place(request),
            "type": header(request.headers, "content-type"),
            "kept": int(keep_body),
        }
        marks = ", ".join(f":{name}" for name in row)
        self._index.execute(f"insert into exchange ({', '.join(row)}) values ({marks})", row)  # noqa: S608 - own names

    def absorb(self, other: ArchiveReader) -> None:
        """Take over what another archive of the same rules has at keys that are not here yet, in its order."""
        names = ", ".join(name for (_, name, *_) in self._index.execute("pragma table_info(exchange)") if name != "id")
        self._index.execute("attach ? as other", (f"{(other.folder / 'index.sqlite').resolve()}",))
        self._index.execute(
            f"insert into exchange ({names}) select {names} from other.exchange "  # noqa: S608 - own names
            "where canonical not in (select canonical from main.exchange) order by canonical, n"
        )
        self._index.execute("detach other")
        for file in other.files():
            target = self.part / file.relative_to(other.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        self._redactions.update(other.manifest["redactions"])

    def redacted(self, what: str) -> None:
        """Note in the manifest that something was replaced, by kind and place and never by value."""
        self._redactions.add(what)

    def remember(self, done: Iterable[str], known: Mapping[str, str]) -> None:
        """Keep what a scrubber has replaced and by what, for a session that goes on with this capture."""
        write_json(self.part / REDACTIONS, {"done": sorted(done), "known": dict(known)})

    def remembered(self) -> dict[str, Any]:
        """What `remember` kept: done and known."""
        kept = self.part / REDACTIONS
        return dict(read_json(kept)) if kept.is_file() else {"done": [], "known": {}}

    def forget(self, ids: Iterable[int]) -> None:
        """Leave rows out again."""
        self._index.executemany("delete from exchange where id = ?", [(number,) for number in ids])

    def select(self, columns: Iterable[str]) -> list[tuple[Any, ...]]:
        """All rows so far, in the order of capture."""
        return self._index.execute(f"select {', '.join(columns)} from exchange order by id").fetchall()  # noqa: S608 - own names

    def count(self) -> int:
        """Exchanges so far."""
        return int(self._index.execute("select count(*) from exchange").fetchone()[0])

    def left_over(self, allowed: Iterable[str] = ()) -> list[tuple[str, str]]:
        """(header, URL) of every answer's header that still looks like a secret and is not allowed to."""
        allowed = tuple(allowed)
        rows = (read_row(values) for values in self.select(COLUMNS))
        return [(name, row.request.url) for row in rows for name in left_over(row.headers, allowed)]

    def finish(self, provenance: Mapping[str, Any], allowed: Iterable[str] = ()) -> str:
        """Seal the archive under its final name, in place of one that is there; returns the digest.

        InputFault, and nothing is sealed: it is empty, or a header that is not `allowed` looks like a secret.
        """
        if suspects := self.left_over(allowed):
            name, url = suspects[0]
            raise InputFault(
                f"{url}: header {name} still looks like a secret ({len(suspects)} in all); replace it with "
                f"--redact TEXT, or accept it with --allow-header {name} (freeze: and --resume)"
            )
        settle(self._index)
        self._index.execute("vacuum")
        rows = [read_row(values) for values in self.select(COLUMNS)]
        self._index.close()
        if not rows:
            raise InputFault(f"{self.folder}: nothing was captured, so there is no archive")
        digest = write_manifest(self.part, self.terms, tuple(sorted(self._redactions)), rows)
        write_json(self.part / "provenance.json", {**provenance, "exchanges": len(rows)})
        for name in (FRONTIER, REDACTIONS):
            (self.part / name).unlink(missing_ok=True)
        old = beside(self.folder, ".old")
        shutil.rmtree(old, ignore_errors=True)
        if self.folder.exists():
            self.folder.rename(old)
        self.part.rename(self.folder)
        shutil.rmtree(old, ignore_errors=True)
        return digest

    def close(self) -> None:
        """Let go without sealing; `<folder>.part` stays for a resumed capture."""
        self._index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _blob(self, data: bytes) -> str:
        name = sha256(data)
        path = blob_path(self.part, name)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            beside = path.with_suffix(".new")
            beside.write_bytes(data)
            beside.replace(path)
        return name

    def _frames(self, exchange: Exchange) -> str:
        if not exchange.frames:
            return ""
        data = write_frames(exchange.frames)
        name = sha256(data)
        path = frames_path(self.part, exchange.kind, name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        return name


def stored_headers(exchange: Exchange) -> Headers:
    """Response headers without noise. The length of an answer to HEAD is kept, all others follow from the body."""
    dropped = NOISE if exchange.request.method.upper() == "HEAD" else (*NOISE, "content-length")
    return without(exchange.headers, dropped)


def settle(index: sqlite3.Connection) -> None:
    """Collapse and number: equal answers to one canonical key become one a request, different ones keep their order."""
    columns = "id, exact, canonical, query, vary, status, reason, headers, kind, blob, frames"
    rows = index.execute(f"select {columns} from exchange order by canonical, id").fetchall()  # noqa: S608 - own names
    for _, group in groupby(rows, key=lambda row: row[2]):
        members = list(group)
        if len({row[5:] for row in members}) == 1:
            members = _first_of_each(index, members)
        numbers = [(n, row[0]) for n, row in enumerate(members, start=1)]
        index.executemany("update exchange set n = ? where id = ?", numbers)


def _first_of_each(index: sqlite3.Connection, members: list[Any]) -> list[Any]:
    """One row for each request and variant, in order of the query; which cookies were there no longer matters."""
    kept = {(row[1], row[4]): row for row in reversed(members)}
    ids = {row[0] for row in kept.values()}
    index.executemany("delete from exchange where id = ?", [(row[0],) for row in members if row[0] not in ids])
    index.executemany("update exchange set cookies = '[]', origin = '' where id = ?", [(i,) for i in ids])
    return sorted(kept.values(), key=lambda row: (row[3], row[4]))


def write_manifest(folder: Path, terms: Terms, redactions: tuple[str, ...], rows: list[Any]) -> str:
    """manifest.json over the rows; returns the digest in it."""
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "site": terms.site,
        "frozen": terms.frozen.isoformat(),
        "seed": terms.seed,
        "viewport": list(terms.viewport),
        "locale": terms.locale,
        "zone": terms.zone,
        "match": json.loads(canonical(plain_rules(terms.match))),
        "hosts": sorted({row.host for row in rows}),
        "redactions": list(redactions),
        "rows": len(rows),
    }
    manifest["digest"] = content_digest(manifest, rows)
    write_atomic(folder / "manifest.json", (json.dumps(manifest, indent=1, sort_keys=True) + "\n").encode())
    return str(manifest["digest"])


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
