"""What differs between two captures of one site, as match rules for a person to accept."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from webds_recorder.archive import ArchiveReader, Row
from webds_recorder.exchange import header
from webds_recorder.match import VOLATILE_QUERY, media_type


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Volatile query names and JSON paths of requests, and requests whose answers differ (for information)."""

    query: tuple[str, ...]
    json: tuple[str, ...]
    answers: tuple[str, ...]


def propose(first: ArchiveReader, second: ArchiveReader) -> Proposal:
    """Names whose values differ between requests that are else the same."""
    one, two = list(first.rows()), list(second.rows())
    query, paths = set[str](), set[str]()
    for a, b in _lonely(one, two):
        query |= _query(a, b)
        paths |= _json(first.request_body(a), second.request_body(b))
    return Proposal(query=tuple(sorted(query)), json=tuple(sorted(paths)), answers=tuple(_answers(one, two)))


def _key(row: Row) -> tuple[Any, ...]:
    return (row.method, row.scheme, row.host, row.port, row.path, row.query, row.body)


def _lonely(one: list[Row], two: list[Row]) -> Iterator[tuple[Row, Row]]:
    """Pairs at one place that have no equal on the other side, in order."""
    left, right = {_key(row) for row in one}, {_key(row) for row in two}
    rest: dict[tuple[Any, ...], list[Row]] = {}
    for row in two:
        if _key(row) not in left:
            rest.setdefault(_key(row)[:5], []).append(row)
    for row in one:
        if _key(row) not in right and rest.get(_key(row)[:5]):
            yield row, rest[_key(row)[:5]].pop(0)


def _query(a: Row, b: Row) -> set[str]:
    before, after = (sorted(parse_qsl(row.query, keep_blank_values=True)) for row in (a, b))
    if [name for name, _ in before] != [name for name, _ in after]:
        return set()
    changed = {name for (name, x), (_, y) in zip(before, after, strict=True) if x != y}
    return changed - set(VOLATILE_QUERY)


def _json(a: bytes | None, b: bytes | None) -> set[str]:
    try:
        before, after = json.loads(a or b""), json.loads(b or b"")
    except ValueError:
        return set()
    return set(_paths(before, after, ()))


def _paths(a: Any, b: Any, path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        for name in a:
            yield from _paths(a[name], b[name], (*path, name))
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for x, y in zip(a, b, strict=True):
            yield from _paths(x, y, (*path, "*"))
    elif a != b and path:
        yield ".".join(path)


def _answers(one: list[Row], two: list[Row]) -> Iterator[str]:
    after = {(_key(row), row.n): row for row in two}
    for row in one:
        other = after.get((_key(row), row.n))
        if other is not None and (row.status, row.blob) != (other.status, other.blob):
            kind, _ = media_type(header(row.headers, "content-type"))
            yield f"{row.method} {row.request.url}: {row.status} {kind}, {row.size} bytes, then {other.size}"
