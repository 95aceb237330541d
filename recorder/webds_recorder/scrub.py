"""What must not stay in an archive: session values, credentials, personal data; and a gate for what is left.

Bodies are stored byte for byte, because checksums in pages and downloads depend on them; only the texts that a person
names are replaced in them, and in JSON the values of fields that are secrets by their names.
"""

import html
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from urllib.parse import parse_qsl, quote, quote_plus

from webds.codec import sha256
from webds_recorder.derive import decoded
from webds_recorder.exchange import Exchange, Headers, Request, events, header
from webds_recorder.match import media_type

SECRET_FIELD = re.compile(
    r"pass(word|wd|phrase)?$|pwd$|secret|api_?key|access_?token|auth(orization|_?token)?$|otp$|cvv|cvc|card_?number|ssn$",
    re.IGNORECASE,
)
_PERSONAL = re.compile(r"pass(word|wd|phrase)?$|pwd$|otp$|cvv|cvc|card_?number|ssn$", re.IGNORECASE)
_LONG = re.compile(r"[A-Za-z0-9+/_=~.:|-]{16,}")
FOUND_HELD = 200
"""Secrets from fields of answers that are looked for in what comes after them, so that a page asks with what it got."""
UNCHECKED = frozenset(
    {
        "etag", "content-security-policy", "content-security-policy-report-only", "link", "digest", "content-digest",
        "repr-digest", "content-md5", "sec-websocket-accept", "content-type", "content-disposition",
        "permissions-policy", "last-modified", "content-length", "accept-ranges", "vary", "accept-ch", "p3p",
        "feature-policy",
    }
)  # fmt: skip
"""Headers whose long values belong to the content: checksums, policies, names."""
ACTED_ON = (
    "location", "content-location", "refresh", "access-control-", "cross-origin-", "timing-allow-origin",
    "sec-websocket-", "sourcemap", "x-sourcemap", "service-worker-allowed", "content-encoding", "www-authenticate",
)  # fmt: skip
"""Beginnings of the names of headers that a browser acts on: another value is another page."""
_FIELD = re.compile(rb'(?P<head>"(?P<name>(?:[^"\\]|\\.)*)"\s*:\s*")(?P<value>(?:[^"\\]|\\.)*)"')
_TOKEN = re.compile(r"[A-Za-z0-9+/_=~-]{20,}(?:\.[A-Za-z0-9+/_=~-]{10,})*")
BITS = 3.5
"""Sixteen letters and digits in a row with more entropy each than this look like a secret."""


def entropy(text: str) -> float:
    """Bits a letter."""
    counts = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values()) if text else 0.0


def looks_secret(text: str) -> bool:
    """Whether a text holds a token that looks random. Addresses made of words do not."""
    return any(_random(piece) for token in _TOKEN.findall(text) for piece in re.split(r"[-/_~=.]", token))


def _random(piece: str) -> bool:
    mixed = re.search(r"\d", piece) and re.search(r"[A-Za-z]", piece)
    return len(piece) >= 16 and bool(mixed) and entropy(piece) > BITS


def holds_secret(request: Request) -> bool:
    """Whether a request's body has a field that is a secret by its name."""
    kind, _ = media_type(header(request.headers, "content-type"))
    text = request.body.decode("utf-8", "replace")
    if kind == "application/x-www-form-urlencoded":
        return any(SECRET_FIELD.search(name) for name, _ in parse_qsl(text, keep_blank_values=True))
    if kind == "multipart/form-data":
        return any(SECRET_FIELD.search(name) for name in re.findall(r'name="([^"]*)"', text))
    try:
        return any(SECRET_FIELD.search(name) for name in _names(json.loads(text))) if text else False
    except (ValueError, RecursionError):
        return False


def _names(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield str(name)
            yield from _names(item)
    elif isinstance(value, list):
        for item in value:
            yield from _names(item)


@dataclass(slots=True)
class Scrubber:
    """Replaces what must not stay. Equal values get equal replacements within one capture, in answers and requests, so
    that a page which was given a replacement asks with it."""

    texts: tuple[str, ...] = ()
    """Texts named by a person: replaced wherever they stand, as they are or in the escapes of URLs, JSON and HTML."""
    alone: bool = False
    """Nobody can be asked about headers that look random: they are replaced, but for those that a browser acts on."""
    done: set[str] = field(default_factory=set)
    """What was replaced, by kind and place, for the manifest."""
    known: dict[str, str] = field(default_factory=dict)
    """Replacements by the sha256 of what they stand for: a resumed capture goes on with them."""
    _found: dict[str, None] = field(default_factory=dict)

    def clean(self, exchange: Exchange) -> Exchange:
        """The exchange as it may be stored."""
        request = self._request(exchange.request)
        headers = tuple((name, self._value(name, value, request.host)) for name, value in exchange.headers)
        return self._frames(self._body(replace(exchange, request=request, headers=headers)))

    def _request(self, request: Request) -> Request:
        """What a page asks with. A body with a secret field is not kept at all (`holds_secret`)."""
        host = request.host
        return replace(
            request,
            path=self._text(request.path, f"a path at {host}"),
            query=self._text(request.query, f"a query at {host}"),
            headers=tuple(
                (name, self._text(value, f"request header {name.lower()} of {host}")) for name, value in request.headers
            ),
            body=self._named(request.body, f"the body of a request to {host}"),
        )

    def _value(self, name: str, value: str, host: str) -> str:
        name = name.lower()
        if name == "set-cookie":
            value = self._cookie(value, host)
        elif self.alone and not name.startswith(ACTED_ON) and left_over(((name, value),)):
            self.done.add(f"header {name} of {host}")
            value = self._stand_in(value)
        return self._text(value, f"header {name} of {host}")

    def _cookie(self, value: str, host: str) -> str:
        first, semicolon, rest = value.partition(";")
        name, _, secret = first.partition("=")
        if not looks_secret(secret) and len(secret) < 16:
            return value
        self.done.add(f"value of cookie {name.strip()} of {host}")
        return f"{name}={self._stand_in(secret)}{semicolon}{rest}"

    def _body(self, exchange: Exchange) -> Exchange:
        kind, _ = media_type(header(exchange.headers, "content-type"))
        has_fields = kind.endswith("json") or exchange.kind == "sse"
        if not (has_fields or self.texts or self._found):
            return exchange
        where = f"{exchange.request.host}{exchange.request.path}"
        headers, body = decoded(exchange.headers, exchange.body)
        changed = self._named(self._fields(body, where) if has_fields else body, f"the body of {where}")
        if changed == body:
            return exchange
        frames = events(changed) if exchange.kind == "sse" else exchange.frames
        return replace(exchange, headers=headers, body=changed, frames=frames)

    def _frames(self, exchange: Exchange) -> Exchange:
        """Messages of a socket, of both sides: a page sends what it was given."""
        if exchange.kind != "ws":
            return exchange
        where = f"{exchange.request.host}{exchange.request.path}"
        plain = ((frame, self._fields(frame.payload, where)) for frame in exchange.frames)
        frames = tuple(replace(f, payload=self._named(data, f"a message of {where}")) for f, data in plain)
        return replace(exchange, frames=frames)

    def _fields(self, data: bytes, where: str) -> bytes:
        """JSON's text fields that are secrets by their names, replaced in place: all other bytes stay."""

        def one(match: re.Match[bytes]) -> bytes:
            name, value = (match[part].decode("utf-8", "replace") for part in ("name", "value"))
            if not _tells(name, value):
                return match[0]
            self.done.add(f"field {name} of {where}")
            if _long(value) and len(self._found) < FOUND_HELD:
                self._found[value] = None
            return match["head"] + self._stand_in(value).encode() + b'"'

        return _FIELD.sub(one, data)

    def _text(self, text: str, where: str) -> str:
        return self._named(text.encode("utf-8", "surrogateescape"), where).decode("utf-8", "surrogateescape")

    def _named(self, data: bytes, where: str) -> bytes:
        """Without the texts that a person named, and without the secrets that answers brought in fields."""
        changed = data
        for text in (*self.texts, *self._found):
            for spelling in _spellings(text):
                if spelling in changed:
                    changed = changed.replace(spelling, self._stand_in(text).encode())
        if changed != data:
            self.done.add(f"text in {where}")
        return changed

    def _stand_in(self, secret: str) -> str:
        return self.known.setdefault(sha256(secret.encode()), f"redacted-{len(self.known) + 1}")


def _tells(name: str, value: str) -> bool:
    """Whether a field of an answer holds a secret: by its name, and not the word or the short number that it may be
    as well (`auth: none`, the secret in a photo's address)."""
    if not SECRET_FIELD.search(name) or value.startswith("redacted-"):
        return False
    return _long(value) or bool(_PERSONAL.search(name) and re.search(r"\d", value))


def _long(value: str) -> bool:
    """Long enough to be a token and no word, which a page's texts have under such names too. An address is none."""
    address = re.match(r"(https?:/)?/", value)
    return not address and (looks_secret(value) or bool(_LONG.fullmatch(value) and re.search(r"\d", value)))


@cache
def _spellings(text: str) -> tuple[bytes, ...]:
    """A text as it is, and in the escapes of URLs, JSON and HTML; the longest first."""
    urls = {quote(text), quote(text, safe=""), quote_plus(text)}
    low = {re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), url) for url in urls}
    found = {text, json.dumps(text)[1:-1], html.escape(text), html.escape(text, quote=False), *urls, *low}
    return tuple(sorted((spelling.encode() for spelling in found), key=lambda data: (-len(data), data)))


def left_over(headers: Headers, allowed: Iterable[str] = ()) -> list[str]:
    """Names of response headers whose values still look like secrets."""
    passed = UNCHECKED | {name.lower() for name in allowed}
    return sorted({name.lower() for name, value in headers if name.lower() not in passed and looks_secret(value)})
