"""Answers derived from what was captured: HEAD, ranges, preflights, other encodings, cookies of one episode."""

import re
import sys
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime

import brotli

from webds_recorder.exchange import Headers, Request, header, without

if sys.version_info >= (3, 14):
    from compression import zstd as zstd
else:
    from backports import zstd as zstd

DROPPED = (
    "strict-transport-security", "alt-svc", "nel", "report-to", "reporting-endpoints", "expires", "age", "date",
    "cache-control", "pragma", "content-length", "transfer-encoding", "connection", "keep-alive", "clear-site-data",
    "x-webds",
)  # fmt: skip
"""Real clocks and real connections read these, not the page's clock; every reply gets its own of the last kinds."""
MISS_PAGE = (
    b"<!doctype html><html lang=en><meta charset=utf-8><title>Not in the archive</title>"
    b"<h1>This page is not part of the frozen web</h1>"
    b"<p>The site was archived without an answer to this request.</p>"
)
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")
UNPACKED_CAP = 1 << 29
"""Largest body, in bytes, that is decoded for a client: what unpacks to more is sent as it was stored."""


class TooLarge(ValueError):
    """A body unpacks to more than UNPACKED_CAP."""


def _unzip(data: bytes, window: int) -> bytes:
    """One or more members (gzip allows several), up to the cap."""
    parts: list[bytes] = []
    room = UNPACKED_CAP
    while data:
        member = zlib.decompressobj(window)
        parts.append(member.decompress(data, room))
        room -= len(parts[-1])
        if member.unconsumed_tail or room <= 0:
            raise TooLarge
        if not member.eof:
            raise EOFError("cut short")
        data = member.unused_data if window > zlib.MAX_WBITS else b""
    return b"".join(parts)


def _gunzip(data: bytes) -> bytes:
    return _unzip(data, 16 + zlib.MAX_WBITS)


def _inflate(data: bytes) -> bytes:
    try:
        return _unzip(data, zlib.MAX_WBITS)
    except zlib.error:
        return _unzip(data, -zlib.MAX_WBITS)


def _unbrotli(data: bytes) -> bytes:
    stream = brotli.Decompressor()
    plain: bytes = stream.process(data, output_buffer_limit=UNPACKED_CAP)
    if not stream.is_finished() or len(plain) > UNPACKED_CAP:
        raise EOFError("cut short, or too large")
    return plain


def _unzstd(data: bytes) -> bytes:
    stream = zstd.ZstdDecompressor()
    plain = stream.decompress(data, max_length=UNPACKED_CAP)
    if not stream.eof:
        raise EOFError("cut short, or too large")
    return plain


_DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _inflate,
    "br": _unbrotli,
    "zstd": _unzstd,
    "identity": bytes,
}


def codings(headers: Headers) -> tuple[str, ...]:
    """The content codings of a response, in the order they were applied."""
    if not (said := header(headers, "content-encoding")):
        return ()
    names = (part.strip().lower() for part in said.split(","))
    return tuple(name for name in names if name and name != "identity")


def accepted(accept: str, coding: str) -> bool:
    """Whether a client takes a coding. A client that names none gets none."""
    known: dict[str, bool] = {}
    for part in accept.lower().split(","):
        name, _, weight = part.partition(";")
        known[name.strip()] = not re.fullmatch(r"q=0(\.0*)?", weight.replace(" ", ""))
    return known.get(coding, known.get("*", False))


def decoded(headers: Headers, body: bytes) -> tuple[Headers, bytes]:
    """The body without its codings; unchanged where a coding is unknown or the bytes do not fit it."""
    plain = body
    for coding in reversed(codings(headers)):
        if coding not in _DECODERS:
            return headers, body
        try:
            plain = _DECODERS[coding](plain)
        except (OSError, EOFError, ValueError, zlib.error, zstd.ZstdError, brotli.error):
            return headers, body
    return without(headers, ("content-encoding",)), plain


def fit_encoding(request: Request, headers: Headers, body: bytes) -> tuple[Headers, bytes]:
    """Decode a body for a client that does not take its coding (Chromium takes br and zstd over TLS only)."""
    applied = codings(headers)
    accept = header(request.headers, "accept-encoding") if applied else ""
    if all(accepted(accept, coding) for coding in applied):
        return headers, body
    return decoded(headers, body)


def fit_range(request: Request, headers: Headers, body: bytes) -> tuple[int, Headers, bytes]:
    """A single byte range out of a whole answer: 206, or 416 outside of it. 200 where no such range is asked for."""
    wanted = header(request.headers, "range")
    match = _RANGE.fullmatch(wanted.replace(" ", "")) if wanted else None
    if match is None or request.method.upper() != "GET" or match[0] == "bytes=-" or not _still(request, headers):
        return 200, headers, body
    size = len(body)
    if match[1]:
        first, last = int(match[1]), min(int(match[2] or size - 1), size - 1)
    else:
        first, last = max(size - int(match[2]), 0), size - 1
    if first >= size or first > last:
        return 416, (*headers, ("Content-Range", f"bytes */{size}")), b""
    return 206, (*headers, ("Content-Range", f"bytes {first}-{last}/{size}")), body[first : last + 1]


def _still(request: Request, headers: Headers) -> bool:
    """If-Range: the range is wanted only while the client's copy is the current one."""
    mark = header(request.headers, "if-range")
    return not mark or mark in (header(headers, "etag"), header(headers, "last-modified"))


def replayed(headers: Headers, frozen: datetime) -> Headers:
    """Headers for a replay: cookies for the session only, nothing cached, Date at the frozen instant."""
    kept = tuple(
        (name, session_cookie(value, frozen) if name.lower() == "set-cookie" else value)
        for name, value in without(headers, DROPPED)
    )
    date = format_datetime(frozen.astimezone(UTC), usegmt=True)
    return (*kept, ("Cache-Control", "no-store"), ("Date", date))


def session_cookie(value: str, frozen: datetime) -> str:
    """A Set-Cookie without its end, unless it deletes: the browser counts with the real clock, not with the page's."""
    first, *attributes = value.split(";")
    ends = {name.strip().lower(): text.strip() for name, _, text in (part.partition("=") for part in attributes)}
    if _deletes(ends, frozen):
        kept = [part for part in attributes if part.partition("=")[0].strip().lower() not in ("expires", "max-age")]
        return ";".join((first, *kept, " Expires=Thu, 01 Jan 1970 00:00:00 GMT"))
    return ";".join(
        (first, *(p for p in attributes if p.partition("=")[0].strip().lower() not in ("expires", "max-age")))
    )


def _deletes(ends: dict[str, str], frozen: datetime) -> bool:
    if "max-age" in ends:
        return not re.fullmatch(r"0*[1-9]\d*", ends["max-age"])
    if "expires" not in ends:
        return False
    try:
        when = parsedate_to_datetime(ends["expires"].replace("-", " "))
    except ValueError:
        return False
    return (when if when.tzinfo else when.replace(tzinfo=UTC)) <= frozen


def cross_origin(request: Request) -> Headers:
    """Headers that let a page of another origin read an answer that we made up."""
    origin = header(request.headers, "origin")
    if not origin:
        return ()
    return (("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Credentials", "true"), ("Vary", "Origin"))


def preflight(request: Request) -> Headers:
    """The answer to a preflight that was never captured: what is asked for is allowed."""
    wanted = header(request.headers, "access-control-request-headers")
    more = (("Access-Control-Allow-Headers", wanted),) if wanted else ()
    method = header(request.headers, "access-control-request-method")
    return (*cross_origin(request), ("Access-Control-Allow-Methods", method), *more)
