"""What an archive holds: one request and the response it got, as bytes on the wire."""

import base64
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from webds.errors import InputFault

type Headers = tuple[tuple[str, str], ...]
"""Names and values in wire order, duplicates kept; latin-1 text."""

_EVENT = re.compile(rb".+?(?:\n\n|\r\n\r\n|\r\r|\Z)", re.DOTALL)
PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request. `path` and `query` are raw (still percent-encoded), `body` as sent."""

    method: str
    scheme: str
    host: str
    port: int
    path: str
    query: str = ""
    headers: Headers = ()
    body: bytes = b""

    @classmethod
    def to(cls, url: str, method: str = "GET", headers: Headers = (), body: bytes = b"") -> "Request":
        """The request for an absolute URL; its fragment is not part of it."""
        parts = urlsplit(url)
        # A WebSocket opens with an http request: both front ends see it as one.
        scheme = {"ws": "http", "wss": "https"}.get(parts.scheme, parts.scheme)
        return cls(
            method=method,
            scheme=scheme,
            host=parts.hostname or "",
            port=parts.port or PORTS.get(scheme, 0),
            path=parts.path or "/",
            query=parts.query,
            headers=headers,
            body=body,
        )

    @property
    def url(self) -> str:
        """The absolute URL, port left out where it is the scheme's own."""
        port = "" if PORTS.get(self.scheme) == self.port else f":{self.port}"
        return f"{self.scheme}://{bracketed(self.host)}{port}{self.path}{'?' + self.query if self.query else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One WebSocket message or one event of a stream. When it came is not kept: a replay waits for nothing."""

    sent: bool
    """True where the browser sent it."""
    text: bool
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A captured request with its response. `body` is what came over the wire after de-chunking, still encoded."""

    request: Request
    status: int
    reason: str = ""
    headers: Headers = ()
    body: bytes = b""
    kind: str = "http"
    """http, sse or ws."""
    frames: tuple[Frame, ...] = ()
    """sse: events; ws: messages of both sides. Empty for http."""


def bracketed(host: str) -> str:
    """A host as a URL has it: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def header(headers: Headers, name: str) -> str:
    """The first value of a header, or an empty text."""
    for key, value in headers:
        if key == name or key.lower() == name:
            return value
    return ""


def without(headers: Headers, names: Iterable[str]) -> Headers:
    """The headers whose lower-case name is not in `names`."""
    dropped = frozenset(names)
    return tuple((key, value) for key, value in headers if key.lower() not in dropped)


def events(body: bytes) -> tuple[Frame, ...]:
    """An event stream cut at its blank lines: where packets ended is chance."""
    return tuple(Frame(sent=False, text=True, payload=part) for part in _EVENT.findall(body))


def write_frames(frames: Iterable[Frame]) -> bytes:
    """Frames as JSON lines."""
    return b"".join(
        json.dumps([f.sent, f.text, base64.b64encode(f.payload).decode()], separators=(",", ":")).encode() + b"\n"
        for f in frames
    )


def read_frames(data: bytes, file: Path) -> list[Frame]:
    """The frames in a file's bytes, or InputFault naming it."""
    try:
        lines = [json.loads(line) for line in data.splitlines()]
        return [Frame(sent=s, text=t, payload=base64.b64decode(p)) for s, t, p in lines]
    except (TypeError, ValueError) as error:
        raise InputFault(f"{file}: cannot be read: {error}") from error
