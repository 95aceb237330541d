"""Which captured exchange answers a request: keys and rules, without any reading or writing.

Levels, first hit wins: scripted (a declared state machine picks among the captures), exact, canonical, rule, miss.
Keys never leave the scheme or host out: http and https are two sites, and a wrong answer that looks right is worse
for a data benchmark than a 404 (docs/replay.md, section Matching).
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from email.message import Message
from functools import lru_cache
from typing import Any, ClassVar
from urllib.parse import parse_qsl

from webds_recorder.exchange import Request, header

VOLATILE_QUERY = (
    "_", "_t", "_ts", "cb", "cachebust", "cachebuster", "nocache", "rnd", "gclid", "fbclid", "msclkid",
    "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "utm_id",
)  # fmt: skip
"""Query names that never say what is asked for: dropped at level canonical. An archive's manifest may add to them."""

_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_NOT_STRICT = frozenset({"accept-encoding", "cookie", "user-agent", "authorization", "origin", "*"})
"""Encodings are decoded, credentials are in the key, cookie names and origin are a preference, not a condition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One declared rule: requests that it covers are equal when what is left of them is equal."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}
    name: str
    url: str
    """Pattern of scheme://host/path: `*` stands for any characters but `/`, `**` for any at all."""
    method: str = "GET"
    drop: tuple[str, ...] = ()
    """Query names to leave out."""
    keep: tuple[str, ...] | None = None
    """Where given, the only query names that count."""
    body: str = "canonical"
    """canonical, or ignore."""
    merge: bool = False
    """Whether all URLs that the pattern covers are one."""
    example: str = ""
    """A URL that the rule must answer; `webds archive verify` asks it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One edge of a script: in state `at`, this request takes the `take`-th capture and leads to `to`."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}
    at: str
    method: str = "GET"
    path: str
    take: int
    to: str = ""
    """Empty: the state stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A declared state machine of one host: log-in, basket, anything whose answer depends on what went before."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}
    name: str
    host: str
    start: str
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What an archive's manifest says about matching."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}
    query: tuple[str, ...] = ()
    """Volatile query and form names beside VOLATILE_QUERY."""
    json: tuple[str, ...] = ()
    """Volatile paths in JSON bodies, as a.b.c; `*` stands for any item of a list or any name."""
    rules: tuple[Rule, ...] = ()
    scripts: tuple[Script, ...] = ()

    def volatile(self) -> frozenset[str]:
        """All query names that do not count at level canonical."""
        return frozenset((*VOLATILE_QUERY, *self.query))


def normal_path(path: str) -> str:
    """Percent-escapes in one form: upper-case hex, unreserved characters plain, everything else escaped."""
    raw = path.encode("utf-8", "surrogateescape") or b"/"

    def one(match: re.Match[bytes]) -> bytes:
        byte = int(match[1], 16)
        return bytes((byte,)) if byte in _UNRESERVED else b"%%%02X" % byte

    plain = _ESCAPE.sub(one, raw)
    return "".join(chr(byte) if 0x21 <= byte < 0x7F else f"%{byte:02X}" for byte in plain)


def normal_host(host: str) -> str:
    """Lower case, IDNA, no final dot."""
    host = host.rstrip(".").lower()
    try:
        return host.encode("idna").decode("ascii") if not host.isascii() else host
    except UnicodeError:
        return host


def place(request: Request) -> str:
    """What of a URL never varies: scheme, host, port and path."""
    return _place(request.scheme, request.host, request.port, request.path)


@lru_cache(maxsize=1024)
def _place(scheme: str, host: str, port: int, path: str) -> str:
    return f"{scheme.lower()}://{normal_host(host)}:{port}{normal_path(path)}"


def key(*parts: object) -> str:
    """A short digest over parts, unambiguous by length."""
    joined = json.dumps([str(part) for part in parts], ensure_ascii=True).encode()
    return hashlib.sha256(joined).hexdigest()[:32]


def body_digest(body: bytes) -> str:
    """Hex sha256 of a body; empty for none."""
    return hashlib.sha256(body).hexdigest() if body else ""


def signed_in(request: Request) -> bool:
    """Whether the request carries credentials; their value is never kept."""
    return bool(header(request.headers, "authorization"))


def exact_key(request: Request) -> str:
    """Level exact: method, place, query bytes, body bytes, and whether there are credentials."""
    return exact_key_by(request, body_digest(request.body))


def exact_key_by(request: Request, digest: str) -> str:
    """`exact_key` with the body's digest in place of the body."""
    return _exact(request.method.upper(), place(request), request.query, digest, signed_in(request))


@lru_cache(maxsize=1024)
def _exact(method: str, where: str, query: str, digest: str, signed: bool) -> str:
    return key("exact", method, where, query, digest, signed)


def canonical_key(request: Request, rules: Rules) -> str:
    """Level canonical: query and body in one order, volatile parts left out."""
    query = canonical_query(request.query, rules.volatile())
    body = canonical_body(request, rules)
    return key("canonical", request.method.upper(), place(request), query, body, signed_in(request))


def canonical_query(query: str, volatile: Iterable[str] = ()) -> str:
    """The sorted multiset of names and values, minus the volatile names."""
    left_out = frozenset(volatile)
    pairs = parse_qsl(query, keep_blank_values=True, errors="surrogateescape")
    return json.dumps(sorted(pair for pair in pairs if pair[0] not in left_out))


def canonical_body(request: Request, rules: Rules) -> str:
    """A body in one form by its kind: JSON, GraphQL, form, multipart, or its digest."""
    if not request.body:
        return ""
    kind, parameters = media_type(header(request.headers, "content-type"))
    if kind == "application/x-www-form-urlencoded":
        return canonical_query(request.body.decode("utf-8", "surrogateescape"), rules.volatile())
    if kind == "multipart/form-data" and parameters.get("boundary"):
        return _multipart(request.body, parameters["boundary"].encode("latin-1", "replace"))
    if kind.endswith("json") or kind == "text/plain" or kind == "application/graphql":
        return canonical_json(request.body, rules) or body_digest(request.body)
    return body_digest(request.body)


def media_type(value: str) -> tuple[str, dict[str, str]]:
    """A Content-Type as (lower-case type, parameters)."""
    message = Message()
    message["content-type"] = value or "application/octet-stream"
    found = message.get_params(failobj=[])
    return message.get_content_type(), {name.lower(): text for name, text in found[1:]}


def canonical_json(body: bytes, rules: Rules) -> str:
    """JSON with sorted keys, minus the volatile paths; GraphQL by operation and variables. Empty: not JSON."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    for path in rules.json:
        _drop(value, path.split("."))
    return json.dumps(_graphql(value), sort_keys=True, ensure_ascii=True)


def _graphql(value: Any) -> Any:
    if isinstance(value, list):
        return [_graphql(item) for item in value]
    if not isinstance(value, dict) or not isinstance(value.get("variables", {}), dict | None):
        return value
    persisted = _persisted(value)
    if not persisted and not isinstance(value.get("query"), str):
        return value
    if not persisted and "variables" not in value and "operationName" not in value:
        return value  # A search endpoint may well call its field `query`.
    text = " ".join(str(value.get("query", "")).split())
    name = value.get("operationName") or ""
    return {"graphql": [persisted, name, "" if persisted or name else text, value.get("variables") or {}]}


def _persisted(value: Mapping[str, Any]) -> str:
    extensions = value.get("extensions")
    found = extensions.get("persistedQuery") if isinstance(extensions, dict) else None
    return str(found.get("sha256Hash", "")) if isinstance(found, dict) else ""


def _drop(value: Any, path: list[str]) -> None:
    head, rest = path[0], path[1:]
    if isinstance(value, list):
        for item in value:
            _drop(item, rest if head == "*" and rest else path)
    elif isinstance(value, dict):
        for name in [n for n in value if head in (n, "*")]:
            if rest:
                _drop(value[name], rest)
            else:
                del value[name]


def _multipart(body: bytes, boundary: bytes) -> str:
    """Parts by name, file name, type and content; the boundary is random and does not count."""
    parts = []
    for raw in (b"\r\n" + body).split(b"\r\n--" + boundary)[1:]:
        if raw.startswith(b"--"):
            break
        head, _, content = raw.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        parts.append([sorted(head.decode("latin-1").split("\r\n")), body_digest(content)])
    return json.dumps(parts)


def varying(request: Request, vary: str) -> dict[str, str]:
    """The values of the request headers that a response's Vary makes a condition, by lower-case name."""
    names = {name.strip().lower() for name in vary.split(",")} - _NOT_STRICT - {""}
    strict = sorted(name for name in names if not name.startswith("sec-ch-"))
    return {name: _condition(name, header(request.headers, name)) for name in strict}


def meets(request: Request, vary: Mapping[str, str]) -> bool:
    """Whether a request fulfils the conditions that `varying` kept."""
    return all(_condition(name, header(request.headers, name)) == value for name, value in vary.items())


def _condition(name: str, value: str) -> str:
    """Of Accept only the kind wanted most counts: what follows it differs between versions of one browser."""
    return value.partition(",")[0].partition(";")[0].strip() if name == "accept" else value


def cookie_names(request: Request) -> tuple[str, ...]:
    """Sorted names of the request's cookies. Values are secrets and are not kept."""
    names = (
        part.split("=", 1)[0].strip()
        for name, value in request.headers
        if name.lower() == "cookie"
        for part in value.split(";")
    )
    return tuple(sorted({name for name in names if name}))
