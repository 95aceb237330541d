"""Reads an archive: a site frozen to a folder.

    manifest.json    format, site, frozen instant, seed, viewport, locale, zone, hosts, match rules, redactions, digest
    index.sqlite     one row an exchange, opened read-only
    blobs/ab/<sha>   bodies as they came over the wire, still content-encoded
    sse/ ws/         <sha>.jsonl: one frame a line
    provenance.json  dates, versions, counts: outside the digest

The proxy imports this module: standard library and errors only. Writing is in `writer`, checking in `verify`.
"""

import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from webds.errors import InputFault
from webds_recorder.blobs import Shelf, blob_path, frames_path
from webds_recorder.exchange import Frame, Headers, Request, read_frames
from webds_recorder.match import Rules
from webds_recorder.rules import read_rules

FORMAT = 1
ROWS_HELD = 2000
"""Rows that a reader holds. An index of no more is read at one go when the first row is asked for: that costs a fifth
of looking the rows up one by one."""
BLOB_HELD, BLOBS_HELD = 64 << 10, 8 << 20
"""Bytes of one blob and of all that a reader holds: a large archive must not mean a large process."""
COLUMNS = (
    "id", "method", "scheme", "host", "port", "path", "query", "body", "signed", "vary", "cookies", "origin", "n",
    "status", "reason", "headers", "kind", "blob", "size", "frames",
    "canonical",
)  # fmt: skip
SCHEMA = """
create table exchange (
  id integer primary key, method text not null, scheme text not null, host text not null, port integer not null,
  path text not null, query text not null, body text not null, signed integer not null, vary text not null,
  cookies text not null, origin text not null, n integer not null, status integer not null, reason text not null,
  headers text not null, kind text not null, blob text not null, size integer not null, frames text not null,
  exact text not null, canonical text not null, place text not null, type text not null, kept integer not null);
create index by_exact on exchange (exact);
create index by_canonical on exchange (canonical);
create index by_place on exchange (place);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One exchange as the index has it. `body`, `blob`, `frames` are sha256 names or empty; `size` is in bytes."""

    id: int
    method: str
    scheme: str
    host: str
    port: int
    path: str
    query: str
    body: str
    signed: bool
    vary: dict[str, str]
    cookies: tuple[str, ...]
    origin: str
    n: int
    """Place in time among the exchanges of one canonical key, from 1."""
    status: int
    reason: str
    headers: Headers
    kind: str
    blob: str
    size: int
    frames: str
    canonical: str
    """The key that rows of one sequence share; it follows from the rules."""

    @property
    def request(self) -> Request:
        """The request, without its headers and body."""
        return Request(
            method=self.method, scheme=self.scheme, host=self.host, port=self.port, path=self.path, query=self.query
        )


def read_row(values: sqlite3.Row | tuple[Any, ...]) -> Row:
    """A row of COLUMNS as a record."""
    named = dict(zip(COLUMNS, values, strict=True))
    named["signed"] = bool(named["signed"])
    named["vary"] = json.loads(named["vary"])
    named["cookies"] = tuple(json.loads(named["cookies"]))
    named["headers"] = tuple((name, value) for name, value in json.loads(named["headers"]))
    return Row(**named)


class ArchiveReader:
    """An archive, opened for reading. `check` False leaves out the look for missing blobs."""

    def __init__(self, folder: Path, check: bool = True) -> None:
        self.folder = folder
        self.manifest = read_manifest(folder)
        self.rules: Rules = read_rules(self.manifest["match"], str(folder / "manifest.json"))
        self.frozen = datetime.fromisoformat(self.manifest["frozen"])
        """The instant that the archive's pages believe in (UTC)."""
        self._shelf = Shelf(folder)
        self._index = _connect(folder / "index.sqlite", int(self.manifest["rows"]))
        self._exact: dict[str, list[Row]] | None = None
        self._found: dict[tuple[str, str], list[Row]] = {}
        self._blobs: dict[str, bytes] = {}
        self._held = 0
        if check:
            self._check_blobs()

    @property
    def hosts(self) -> tuple[str, ...]:
        """All hosts that have an exchange."""
        return tuple(self.manifest["hosts"])

    def find(self, column: str, key: str) -> list[Row]:
        """The rows whose `exact`, `canonical` or `place` is `key`, in order of n."""
        assert column in ("exact", "canonical", "place")
        if self._exact is None:
            self._exact = self._all() if int(self.manifest["rows"]) <= ROWS_HELD else {}
        if column == "exact" and key in self._exact:
            return self._exact[key]
        found = self._found.get((column, key))
        if found is None:
            sql = f"select {', '.join(COLUMNS)} from exchange where {column} = ? order by n, id"  # noqa: S608 - own names
            found = [read_row(values) for values in self._index.execute(sql, (key,))]
            if len(self._found) >= ROWS_HELD:
                self._found.clear()
            self._found[column, key] = found
        return found

    def _all(self) -> dict[str, list[Row]]:
        """Every row by its exact key, in order of n."""
        table: dict[str, list[Row]] = {}
        sql = f"select exact, {', '.join(COLUMNS)} from exchange order by n, id"  # noqa: S608 - names of our own
        for exact, *values in self._index.execute(sql):
            table.setdefault(exact, []).append(read_row(tuple(values)))
        return table

    def hold(self) -> Iterator[Row]:
        """The rows of an index that is read at one go, their small bodies read ahead as far as there is room."""
        self.find("exact", "")
        for row in (row for rows in (self._exact or {}).values() for row in rows):
            if row.size <= BLOB_HELD and self._held + row.size <= BLOBS_HELD:
                self.body(row)
            yield row

    def rows(self) -> Iterator[Row]:
        """Every row, in the order of the index."""
        sql = f"select {', '.join(COLUMNS)} from exchange order by id"  # noqa: S608 - names of our own
        return (read_row(values) for values in self._index.execute(sql))

    def schemes(self, host: str) -> frozenset[str]:
        """The schemes under which a host was captured."""
        sql = "select distinct scheme from exchange where host = ?"
        return frozenset(scheme for (scheme,) in self._index.execute(sql, (host,)))

    def body(self, row: Row) -> bytes:
        """A response's bytes on the wire; small ones are held. InputFault where the blob is gone."""
        if not row.blob:
            return b""
        data = self._blobs.get(row.blob)
        if data is None:
            data = self.blob(row.blob)
            if len(data) <= BLOB_HELD:
                if self._held + len(data) > BLOBS_HELD:
                    self._blobs.clear()
                    self._held = 0
                self._blobs[row.blob] = data
                self._held += len(data)
        return data

    def blob(self, name: str) -> bytes:
        """A blob's bytes, as `Shelf.read`."""
        return self._shelf.read(blob_path(self.folder, name))

    def frames(self, row: Row) -> list[Frame]:
        """The frames of an event stream or a WebSocket, in order."""
        file = frames_path(self.folder, row.kind, row.frames) if row.frames else None
        return read_frames(self._shelf.read(file), file) if file else []

    def request_body(self, row: Row) -> bytes | None:
        """The request's body, or None where it was not kept (it held a secret)."""
        if not row.body:
            return b""
        path = blob_path(self.folder, row.body)
        return self._shelf.read(path) if path.is_file() else None

    def keys(self) -> dict[int, dict[str, str]]:
        """By row id, the columns that `find` looks in, as they stand in the index."""
        names = ("exact", "canonical", "place")
        found = self._index.execute(f"select id, {', '.join(names)} from exchange")  # noqa: S608 - own names
        return {number: dict(zip(names, values, strict=True)) for number, *values in found}

    def request_of(self, row: Row) -> Request:
        """The request with the headers and body that matching looks at."""
        kind = self._index.execute("select type from exchange where id = ?", (row.id,)).fetchone()[0]
        headers = (("content-type", kind),) if kind else ()
        signed = (("authorization", "kept as a mark only"),) if row.signed else ()
        base = row.request
        return Request(
            method=base.method,
            scheme=base.scheme,
            host=base.host,
            port=base.port,
            path=base.path,
            query=base.query,
            headers=(*headers, *signed, *row.vary.items()),
            body=self.request_body(row) or b"",
        )

    def files(self) -> Iterator[Path]:
        """Every file that the index names: blobs of responses and kept requests, frame lists."""
        named = self._index.execute("select distinct kind, frames from exchange where frames <> ''")
        yield from (frames_path(self.folder, kind, name) for kind, name in named)
        yield from (blob_path(self.folder, name) for name in self.blob_names())

    def blob_names(self) -> Iterator[str]:
        """Names of all blobs that the index needs."""
        sql = "select blob from exchange where blob <> '' union select body from exchange where kept = 1 and body <> ''"
        return (name for (name,) in self._index.execute(sql))

    def _check_blobs(self) -> None:
        shelves = self.folder / "blobs"
        have = {name for shelf in _names(shelves) for name in _names(shelves / shelf)}
        gone = [name for name in self.blob_names() if name not in have]
        if gone:
            raise InputFault(f"{self.folder}: {len(gone)} blob(s) missing, first {gone[0]}")

    def close(self) -> None:
        """Let go of the index."""
        self._index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _names(folder: Path) -> list[str]:
    """Plain names, not Paths: ten thousand of them must not take a tenth of a second."""
    return os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208 - the reason is above


def read_manifest(folder: Path) -> dict[str, Any]:
    """manifest.json, its format checked."""
    file = folder / "manifest.json"
    if not file.is_file():
        raise InputFault(f"{folder}: no archive here (manifest.json is missing)")
    try:
        manifest = json.loads(file.read_bytes())
    except ValueError as error:
        raise InputFault(f"{file}: not JSON: {error}") from error
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found != FORMAT:
        newer = " (written by a newer webds)" if isinstance(found, int) and found > FORMAT else ""
        raise InputFault(f"{file}: field format: {found!r}{newer}; this webds reads format {FORMAT}")
    wanted = ("site", "frozen", "seed", "viewport", "locale", "zone", "hosts", "match", "rows", "digest")
    lacking = [name for name in wanted if name not in manifest]
    if lacking:
        raise InputFault(f"{file}: field {lacking[0]}: missing")
    return dict(manifest)


def _connect(file: Path, rows: int) -> sqlite3.Connection:
    if not file.is_file():
        raise InputFault(f"{file}: missing")
    index = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
    try:
        pages = index.execute("pragma page_count").fetchone()[0] * index.execute("pragma page_size").fetchone()[0]
        if pages > file.stat().st_size:
            raise InputFault(f"{file}: cut short: {file.stat().st_size} of {pages} bytes")
        found = index.execute("select count(*) from exchange").fetchone()[0]
    except sqlite3.Error as error:
        raise InputFault(f"{file}: damaged: {error}") from error
    if found != rows:
        raise InputFault(f"{file}: {found} rows, manifest.json says {rows}")
    return index
