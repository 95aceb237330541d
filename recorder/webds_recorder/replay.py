"""The engine of a replay: which answer a request gets, with a memory for each episode. Sockets are in `addon`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self

from webds_recorder.archive import ROWS_HELD, ArchiveReader, Row
from webds_recorder.derive import (
    MISS_PAGE,
    cross_origin,
    fit_encoding,
    fit_range,
    preflight,
    replayed,
)
from webds_recorder.exchange import Headers, Request, header
from webds_recorder.match import Script, canonical_key, cookie_names, exact_key, meets, normal_host, place
from webds_recorder.rules import covers, rule_key

BODYLESS = frozenset({204, 304})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What to send. `level`: scripted, exact, canonical, rule, derived or miss; `result`: hit or miss."""

    level: str
    status: int
    reason: str
    headers: Headers
    body: bytes
    row: Row | None = None
    stream: str = ""
    """sse or ws where the answer is a list of frames to be played, else empty."""

    @property
    def result(self) -> str:
        return "miss" if self.level == "miss" else "hit"


@dataclass(slots=True)
class Memory:
    """What one episode has asked so far: the last capture it got of each key, and the state of each script."""

    served: dict[str, int] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)


class Replay:
    """Answers requests from one archive."""

    def __init__(self, archive: ArchiveReader) -> None:
        self.archive = archive
        self._memory: dict[str, Memory] = {}
        self._sent: dict[int, Headers] = {}
        self._by_rule: dict[str, dict[str, list[Row]]] = {}

    def warm(self) -> Self:
        """Have ready what any request will need: what is looked up and read ahead costs a fifth of one by one."""
        for row in self.archive.hold():
            self._headers(row)
        return self

    def forget(self, episode: str) -> None:
        """Drop an episode's memory."""
        self._memory.pop(episode, None)

    def answer(self, episode: str, request: Request) -> Answer:
        """The answer to one request of an episode. Equal histories get equal answers."""
        memory = self._memory.setdefault(episode, Memory())
        found = self._find(memory, request)
        if found is None and request.method.upper() == "HEAD":
            found = self._find(memory, _as_get(request), peek=True)
        if found is None:
            return self._without(request)
        level, row = found
        if row.kind != "http":
            headers = replayed(row.headers, self.archive.frozen)
            return Answer(level=level, status=row.status, reason=row.reason, headers=headers, body=b"", row=row,
                          stream=row.kind)  # fmt: skip
        return self._send(level, row, request)

    def _find(self, memory: Memory, request: Request, peek: bool = False) -> tuple[str, Row] | None:
        peek = peek or bool(header(request.headers, "range"))
        for level, group, rows in self._levels(request):
            fitting = [row for row in rows if not row.vary or meets(request, row.vary)]
            if not fitting:
                continue
            scripted = self._scripted(memory, request, fitting)
            if scripted is not None:
                return "scripted", scripted
            row = _next(_preferred(fitting, request), memory.served.get(group, 0))
            if not peek:
                memory.served[group] = row.n
            return level, row
        return None

    def _levels(self, request: Request) -> Iterable[tuple[str, str, list[Row]]]:
        """Level, the key of the sequence that its rows belong to, and the rows."""
        rows = self.archive.find("exact", exact_key(request))
        if rows:
            yield "exact", rows[0].canonical, rows
        canonical = canonical_key(request, self.archive.rules)
        yield "canonical", canonical, self.archive.find("canonical", canonical)
        for rule in self.archive.rules.rules:
            if covers(rule, request):
                found = rule_key(rule, request, self.archive.rules)
                yield "rule", found, self._rule_rows(rule.name).get(found, [])

    def _rule_rows(self, name: str) -> dict[str, list[Row]]:
        """Rows by their key under one rule, worked out when the rule is first needed."""
        if name not in self._by_rule:
            rule = next(rule for rule in self.archive.rules.rules if rule.name == name)
            table: dict[str, list[Row]] = {}
            for row in self.archive.rows():
                request = self.archive.request_of(row)
                if covers(rule, request):
                    table.setdefault(rule_key(rule, request, self.archive.rules), []).append(row)
            self._by_rule[name] = table
        return self._by_rule[name]

    def _scripted(self, memory: Memory, request: Request, rows: list[Row]) -> Row | None:
        for script in self.archive.rules.scripts:
            if normal_host(script.host) != normal_host(request.host):
                continue
            row = _moved(script, memory, request, rows)
            if row is not None:
                return row
        return None

    def _send(self, level: str, row: Row, request: Request) -> Answer:
        headers = self._headers(row)
        status, body, length = row.status, b"", ""
        if request.method.upper() == "HEAD" and row.method == "HEAD":
            length = header(row.headers, "content-length")
        elif row.status not in BODYLESS:
            headers, body = fit_encoding(request, headers, self.archive.body(row))
            if row.status == 200:
                status, headers, body = fit_range(request, headers, body)
            length = str(len(body))
        headers = (*headers, ("Content-Length", length)) if length else headers
        reason = row.reason if status == row.status else ""
        sent = b"" if request.method.upper() == "HEAD" else body
        return Answer(level=level, status=status, reason=reason, headers=headers, body=sent, row=row)

    def _only_https(self, host: str) -> bool:
        """Whether nothing of a host was captured over plain http: then the other address is named, not served."""
        return self.archive.schemes(normal_host(host)) == {"https"}

    def _headers(self, row: Row) -> Headers:
        """A row's headers as a replay sends them, kept for the next time."""
        if row.id not in self._sent:
            if len(self._sent) >= ROWS_HELD:
                self._sent.clear()
            self._sent[row.id] = replayed(row.headers, self.archive.frozen)
        return self._sent[row.id]

    def _without(self, request: Request) -> Answer:
        """The answer to a request that nobody captured."""
        asked = request.method.upper() == "OPTIONS" and header(request.headers, "access-control-request-method")
        if asked and self.archive.find("place", place(request)):
            return made_up("derived", 204, preflight(request), b"", self.archive.frozen)
        if request.path == "/favicon.ico" and request.method.upper() == "GET":
            return made_up("derived", 204, (), b"", self.archive.frozen)
        if request.scheme == "http" and request.port == 80 and self._only_https(request.host):
            location = "https" + request.url.removeprefix("http")
            return made_up("derived", 301, (("Location", location),), b"", self.archive.frozen)
        return miss(request, self.archive.frozen)


def made_up(level: str, status: int, headers: Headers, body: bytes, frozen: datetime) -> Answer:
    """An answer that was not captured."""
    length = () if status in BODYLESS else (("Content-Length", str(len(body))),)
    return Answer(
        level=level,
        status=status,
        reason="",
        headers=(*replayed(headers, frozen), *length, ("X-Webds", level)),
        body=body,
    )


def miss(request: Request, frozen: datetime) -> Answer:
    """The fixed 404: the same bytes each time, readable from any origin."""
    headers = (("Content-Type", "text/html; charset=utf-8"), *cross_origin(request))
    body = b"" if request.method.upper() == "HEAD" else MISS_PAGE
    return made_up("miss", 404, headers, body, frozen)


def _as_get(request: Request) -> Request:
    return Request(
        method="GET",
        scheme=request.scheme,
        host=request.host,
        port=request.port,
        path=request.path,
        query=request.query,
        headers=request.headers,
    )


def _preferred(rows: list[Row], request: Request) -> list[Row]:
    """Those captured in the same situation, where there are any: from the same origin, with the same cookies."""
    if len(rows) == 1:
        return rows
    origin, cookies = header(request.headers, "origin"), cookie_names(request)
    tests: tuple[Callable[[Row], bool], ...] = (lambda row: row.origin == origin, lambda row: row.cookies == cookies)
    for test in tests:
        rows = [row for row in rows if test(row)] or rows
    return rows


def _next(rows: list[Row], served: int) -> Row:
    """The first capture after the one served last; the last one is held."""
    return next((row for row in rows if row.n > served), rows[-1])


def _moved(script: Script, memory: Memory, request: Request, rows: list[Row]) -> Row | None:
    state = memory.states.get(script.name, script.start)
    for move in script.moves:
        asked = (move.at, move.method.upper(), move.path)
        if asked == (state, request.method.upper(), request.path) and 1 <= move.take <= len(rows):
            memory.states[script.name] = move.to or state
            return rows[move.take - 1]
    return None


class Library:
    """Several archives as one web: a host may be in more than one, the first that has an answer gives it."""

    def __init__(self, replays: Iterable[Replay]) -> None:
        self.by_host: dict[str, list[Replay]] = {}
        self.replays = list(replays)
        for replay in self.replays:
            for host in replay.archive.hosts:
                self.by_host.setdefault(host, []).append(replay)

    def has(self, host: str) -> bool:
        """Whether any archive has an exchange with this host."""
        return normal_host(host) in self.by_host

    def answer(self, episode: str, request: Request) -> tuple[Replay, Answer]:
        """The first archive's answer that is no miss, else the first one's miss. KeyError for a foreign host."""
        found = [(replay, replay.answer(episode, request)) for replay in self.by_host[normal_host(request.host)][:1]]
        for replay in self.by_host[normal_host(request.host)][1:]:
            if found[-1][1].result == "hit" and found[-1][1].level != "derived":
                break
            found.append((replay, replay.answer(episode, request)))
        return min(found, key=lambda pair: (pair[1].result == "miss", pair[1].level == "derived"))

    def forget(self, episode: str) -> None:
        """Drop an episode's memory in all archives."""
        for replay in self.replays:
            replay.forget(episode)
