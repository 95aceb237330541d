"""Checks an archive, says what is in it, compares two, and changes its match rules. Every finding is one line."""

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from webds.errors import InputFault
from webds.store import write_atomic, write_json
from webds_recorder.archive import COLUMNS, ArchiveReader, Row, read_manifest, read_row
from webds_recorder.exchange import Request
from webds_recorder.match import Rules, canonical_key, exact_key_by, place
from webds_recorder.replay import Replay
from webds_recorder.rules import plain_rules
from webds_recorder.seal import content_digest, logical


def verify(folder: Path) -> str:
    """The digest of an archive that is whole. InputFault: the first thing that is wrong, in one line."""
    with ArchiveReader(folder) as archive:
        _check_index(folder)
        for file in archive.files():
            _check_file(file)
        rows = _rows(archive)
        _check_keys(archive, rows)
        found = content_digest(archive.manifest, rows)
        if found != archive.manifest["digest"]:
            raise InputFault(f"{folder}: the index does not match the digest in manifest.json ({found})")
        _check_rules(archive)
        return found


def _check_index(folder: Path) -> None:
    file = folder / "index.sqlite"
    index = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        result = index.execute("pragma integrity_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise InputFault(f"{file}: damaged: {error}") from error
    finally:
        index.close()
    if result != "ok":
        raise InputFault(f"{file}: damaged: {' '.join(str(result).split())}")


def _check_file(file: Path) -> None:
    if not file.is_file():
        raise InputFault(f"{file}: missing")
    with file.open("rb") as handle:
        found = hashlib.file_digest(handle, "sha256").hexdigest()
    if found != file.name.removesuffix(".jsonl"):
        raise InputFault(f"{file}: the bytes do not match the name (sha256 is {found})")


def _rows(archive: ArchiveReader) -> list[Row]:
    """Every row. InputFault where one cannot be read as what a writer puts there."""
    try:
        return list(archive.rows())
    except (ValueError, TypeError, sqlite3.Error) as error:
        raise InputFault(f"{archive.folder / 'index.sqlite'}: damaged: {' '.join(str(error).split())}") from error


def _check_keys(archive: ArchiveReader, rows: list[Row]) -> None:
    """What requests are found by is not in the digest: it follows, by the archive's rules, from what is.

    A body that was not kept leaves only its digest, and no canonical key can be made of that: it is one that no other
    place has.
    """
    if archive.manifest["hosts"] != sorted({row.host for row in rows}):
        raise InputFault(f"{archive.folder}: field hosts of manifest.json: not the hosts of the index")
    keys, owners = archive.keys(), dict[str, tuple[str, str]]()
    for row in rows:
        request = archive.request_of(row)
        wanted = {"exact": exact_key_by(request, row.body), "place": place(request)}
        if archive.request_body(row) is not None:
            wanted["canonical"] = canonical_key(request, archive.rules)
        owner = (row.method, wanted["place"])
        wrong = [column for column, value in wanted.items() if keys[row.id][column] != value]
        wrong += ["canonical"] if owners.setdefault(row.canonical, owner) != owner else []
        if wrong:
            raise InputFault(
                f"{archive.folder}: row {row.id} of the index, {row.request.url}: its {wrong[0]} key is not its own"
            )


def _check_rules(archive: ArchiveReader) -> None:
    replay = Replay(archive)
    for rule in archive.rules.rules:
        if not rule.example:
            continue
        answer = replay.answer("verify", Request.to(rule.example, rule.method))
        if answer.level == "miss":
            raise InputFault(f"{archive.folder}: rule {rule.name!r} does not answer its example {rule.example}")


def info(folder: Path) -> dict[str, Any]:
    """Counts and terms of an archive, as JSON values."""
    with ArchiveReader(folder, check=False) as archive:
        rows = list(archive.rows())
        sizes = {row.blob: row.size for row in rows if row.blob}
        return {
            **archive.manifest,
            "exchanges": len(rows),
            "bytes": sum(sizes.values()),
            "blobs": len(sizes),
            "statuses": dict(sorted(Counter(str(row.status) for row in rows).items())),
            "kinds": dict(sorted(Counter(row.kind for row in rows).items())),
        }


def diff(old: Path, new: Path) -> Iterator[str]:
    """What differs between two archives, one line each: `- url`, `+ url`, `~ url: what`."""
    first, second = read_manifest(old), read_manifest(new)
    for name in ("site", "frozen", "seed", "viewport", "locale", "zone", "match"):
        if first[name] != second[name]:
            yield f"~ manifest {name}: {json.dumps(first[name])} -> {json.dumps(second[name])}"
    with ArchiveReader(old, check=False) as one, ArchiveReader(new, check=False) as two:
        before, after = _by_request(one), _by_request(two)
    for address in sorted(before.keys() | after.keys()):
        yield from _differences(address, before.get(address), after.get(address))


def _by_request(archive: ArchiveReader) -> dict[str, Row]:
    found = {}
    for row in archive.rows():
        marks = f" body {row.body[:12]}" if row.body else ""
        found[f"{row.method} {row.request.url}{marks} #{row.n}"] = row
    return found


def _differences(address: str, before: Row | None, after: Row | None) -> Iterator[str]:
    if before is None or after is None:
        yield f"{'+' if before is None else '-'} {address}"
    elif logical(before) != logical(after):
        fields = ("status", "blob", "headers", "kind", "frames", "vary", "cookies", "signed", "origin", "reason")
        what = [name for name in fields if getattr(before, name) != getattr(after, name)]
        yield f"~ {address}: {', '.join(what)}"


def set_rules(folder: Path, rules: Rules) -> str:
    """Give an archive other match rules: keys and digest are made anew. Returns the digest.

    InputFault where a rule does not answer its example: then the archive is as it was.
    """
    before = {name: (folder / name).read_bytes() for name in ("index.sqlite", "manifest.json")}
    digest = _write_rules(folder, rules)
    try:
        with ArchiveReader(folder) as archive:
            _check_rules(archive)
    except InputFault:
        for name, data in before.items():
            write_atomic(folder / name, data)
        raise
    return digest


def _write_rules(folder: Path, rules: Rules) -> str:
    with ArchiveReader(folder) as archive:
        manifest = dict(archive.manifest)
        keys = [
            (canonical_key(archive.request_of(row), rules), row.id)
            for row in archive.rows()
            if archive.request_body(row) is not None
        ]
    beside = folder / "index.sqlite.new"
    beside.write_bytes((folder / "index.sqlite").read_bytes())
    index = sqlite3.connect(beside)
    index.executemany("update exchange set canonical = ? where id = ?", keys)
    _renumber(index)
    index.commit()
    rows = [read_row(values) for values in index.execute(f"select {', '.join(COLUMNS)} from exchange")]  # noqa: S608
    index.close()
    beside.replace(folder / "index.sqlite")
    manifest["match"] = json.loads(json.dumps(plain_rules(rules)))
    manifest["digest"] = content_digest(manifest, rows)
    write_json(folder / "manifest.json", manifest)
    return str(manifest["digest"])


def _renumber(index: sqlite3.Connection) -> None:
    """n counts within a canonical key: groups that new rules put together are numbered through, in order of capture."""
    counts: Counter[str] = Counter()
    numbers = []
    for number, key in index.execute("select id, canonical from exchange order by id"):
        counts[key] += 1
        numbers.append((counts[key], number))
    index.executemany("update exchange set n = ? where id = ?", numbers)
