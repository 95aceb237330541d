"""What must not stay in an archive: session values, credentials, personal data; and a gate for what is left.

Bodies are stored byte for byte, because checksums in pages and downloads depend on them; only the texts that a person
names are replaced in them.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl

from webds_recorder.derive import decoded
from webds_recorder.exchange import Exchange, Headers, Request, header
from webds_recorder.match import media_type

SECRET_FIELD = re.compile(
    r"pass(word|wd|phrase)?$|pwd$|secret|api_?key|access_?token|auth(orization|_?token)?$|otp$|cvv|cvc|card_?number|ssn$",
    re.IGNORECASE,
)
UNCHECKED = frozenset(
    {
        "etag", "content-security-policy", "content-security-policy-report-only", "link", "digest", "content-digest",
        "repr-digest", "content-md5", "sec-websocket-accept", "content-type", "content-disposition",
        "permissions-policy", "last-modified", "content-length", "accept-ranges", "vary", "accept-ch", "p3p",
        "feature-policy",
    }
)  # fmt: skip
"""Headers whose long values belong to the content: checksums, policies, names."""
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
    """Replaces what must not stay. Equal values get equal replacements within one capture."""

    texts: tuple[str, ...] = ()
    """Texts named by a person: replaced wherever they stand in answers."""
    done: set[str] = field(default_factory=set)
    """What was replaced, by kind and place, for the manifest."""
    _known: dict[str, str] = field(default_factory=dict)

    def clean(self, exchange: Exchange) -> Exchange:
        """The exchange as it may be stored."""
        headers = tuple((name, self._value(name, value, exchange)) for name, value in exchange.headers)
        return self._body(replace(exchange, headers=headers))

    def _value(self, name: str, value: str, exchange: Exchange) -> str:
        if name.lower() == "set-cookie":
            value = self._cookie(value, exchange.request.host)
        for text in self.texts:
            if text in value:
                value = value.replace(text, self._stand_in(text))
                self.done.add(f"text in header {name.lower()} of {exchange.request.host}")
        return value

    def _cookie(self, value: str, host: str) -> str:
        first, semicolon, rest = value.partition(";")
        name, _, secret = first.partition("=")
        if not looks_secret(secret) and len(secret) < 16:
            return value
        self.done.add(f"value of cookie {name.strip()} of {host}")
        return f"{name}={self._stand_in(secret)}{semicolon}{rest}"

    def _body(self, exchange: Exchange) -> Exchange:
        if not self.texts or exchange.kind == "ws":
            return exchange
        headers, body = decoded(exchange.headers, exchange.body)
        changed = body
        for text in self.texts:
            changed = changed.replace(text.encode(), self._stand_in(text).encode())
        if changed == body:
            return exchange
        self.done.add(f"text in the body of {exchange.request.host}{exchange.request.path}")
        return replace(exchange, headers=headers, body=changed)

    def _stand_in(self, secret: str) -> str:
        return self._known.setdefault(secret, f"redacted-{len(self._known) + 1}")


def left_over(headers: Headers, allowed: Iterable[str] = ()) -> list[str]:
    """Names of response headers whose values still look like secrets."""
    passed = UNCHECKED | {name.lower() for name in allowed}
    return sorted({name.lower() for name, value in headers if name.lower() not in passed and looks_secret(value)})
