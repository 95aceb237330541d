"""Between mitmproxy's flows and what matching knows: requests as read, answers as sent."""

import time
from functools import lru_cache

from mitmproxy import http
from mitmproxy.net.http import url

from webds_recorder.exchange import Headers, Request
from webds_recorder.replay import Answer


@lru_cache(maxsize=4096)
def _field(name: bytes, value: bytes) -> tuple[str, str]:
    return name.lower().decode("latin-1"), value.decode("latin-1")


def plain(headers: http.Headers) -> Headers:
    """Header fields as text, names in small letters. A browser sends the same ones again and again."""
    return tuple(_field(name, value) for name, value in headers.fields)


@lru_cache(maxsize=1024)
def host_of(authority: str) -> str:
    """The host of a Host header or an address, in small letters and without a final dot."""
    return url.parse_authority(authority, check=False)[0].lower().rstrip(".")


@lru_cache(maxsize=4096)
def _wire(headers: Headers) -> tuple[tuple[bytes, bytes], ...]:
    return tuple((name.encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in headers)


def asked(flow: http.HTTPFlow, host: str) -> Request:
    """What the browser asked for, as the archive's matching sees it."""
    path, _, query = flow.request.path.partition("?")
    return Request(
        method=flow.request.method,
        scheme=flow.request.scheme,
        host=host,
        port=flow.request.port,
        path=path or "/",
        query=query,
        headers=plain(flow.request.headers),
        body=flow.request.raw_content or b"",
    )


def respond(answer: Answer) -> http.Response:
    """An answer as mitmproxy's response: headers in order with duplicates, bytes untouched."""
    return http.Response(
        http_version=b"HTTP/1.1",
        status_code=answer.status,
        reason=answer.reason.encode("latin-1", "replace"),
        headers=http.Headers(_wire(answer.headers)),
        content=answer.body,
        trailers=None,
        timestamp_start=time.time(),
        timestamp_end=time.time(),
    )
