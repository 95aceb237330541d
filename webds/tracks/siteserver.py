"""One ASGI server for all sites of a World: chooses by host, refuses requests that did not come through the proxy."""

import hmac
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from datetime import datetime
from email.utils import format_datetime
from typing import Any

type Scope = MutableMapping[str, Any]
type Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
type Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
type App = Callable[[Scope, Receive, Send], Awaitable[None]]

_OWN = b"x-webds-"


class SiteServer:
    """ASGI app. `sites`: host -> (app, frozen instant). Every answer is dated at the frozen instant."""

    def __init__(self, sites: Mapping[str, tuple[App, datetime]], token: str) -> None:
        self.sites = sites
        self.token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").split(b":")[0].decode("latin-1")
        if not hmac.compare_digest(headers.get(b"x-webds-token", b""), self.token):
            await _plain(send, 403, b"only through the proxy")
            return
        if host not in self.sites:
            await _plain(send, 404, b"no such site")
            return
        app, frozen = self.sites[host]
        if headers.get(b"x-webds-scheme") == b"http":
            await _plain(send, 301, b"", location=f"https://{host}{_target(scope)}")
            return
        inner = {**scope, "scheme": "https", "server": (host, 443)}
        inner["headers"] = [(name, value) for name, value in scope["headers"] if not name.startswith(_OWN)]
        await app(inner, receive, _dated(send, frozen))


def _target(scope: Scope) -> str:
    query = scope.get("query_string", b"")
    raw: bytes = scope.get("raw_path") or str(scope["path"]).encode()
    return (raw + (b"?" + query if query else b"")).decode("latin-1")


def _dated(send: Send, frozen: datetime) -> Send:
    """Date as the page's clock says, and nothing kept in the browser's cache: every request reaches the log."""
    date = format_datetime(frozen, usegmt=True).encode()

    async def dated(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            kept = [(n, v) for n, v in message.get("headers", ()) if n.lower() not in (b"date", b"cache-control")]
            message = {**message, "headers": [*kept, (b"date", date), (b"cache-control", b"no-store")]}
        await send(message)

    return dated


async def _plain(send: Send, status: int, body: bytes, location: str = "") -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    if location:
        headers.append((b"location", location.encode("latin-1")))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
