"""What every request passes before a part sees it: host name, rate, size of the body, session and token; and what every
response carries. Plain ASGI, one class a guard; `webds.serve.frame` puts them in order."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webds.serve import session as sessions
from webds.serve.part import BODY, Part, Refusal, Settings
from webds.serve.rates import Buckets, Rate, client_name

LOG = logging.getLogger("webds.serve")
SAFE = ("GET", "HEAD", "OPTIONS")
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_ALWAYS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: browsers then send `Origin: null` with a form, and the Origin is what we check.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_DRAINED, _DRAIN_SECONDS = 4_000_000, 2
_FORM = "application/x-www-form-urlencoded"


async def _refuse(scope: Scope, receive: Receive, send: Send, refusal: Refusal, more: Mapping[str, str]) -> None:
    await PlainTextResponse(f"{refusal.why}\n", refusal.status, dict(more))(scope, receive, send)


class _Body:
    """A request's body as it comes, and whether all of it came."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._receive = receive
        self._more = scope["method"] not in SAFE

    async def __call__(self) -> Message:
        message = await self._receive()
        self._more = message.get("more_body", False)
        return message

    async def drain(self) -> None:
        """Take a little of what nobody wants: hung up on at once, the client would meet a reset before our word."""
        left = _DRAINED
        with suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_SECONDS):
                while self._more and left > 0:
                    left -= len((await self()).get("body", b""))


class Answered:
    """Outermost: the headers of every response, the cookie, and one line of log without query, body or cookie."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._secure = settings.secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sessions.begin(scope, sessions.read(Headers(scope=scope).get("cookie", ""), self._secure))
        begun, status, body = time.monotonic(), 500, _Body(scope, receive)

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if status >= 400:
                    await body.drain()
                self._add(scope, MutableHeaders(scope=message))
            await send(message)

        try:
            await self._app(scope, body, answer)
        finally:
            path = scope["path"].encode("ascii", "backslashreplace").decode()[:300]
            shown = "".join(mark if mark.isprintable() else "?" for mark in path)
            LOG.info("%s %s %d %.0f ms", scope["method"], shown, status, 1000 * (time.monotonic() - begun))

    def _add(self, scope: Scope, headers: MutableHeaders) -> None:
        for name, value in _ALWAYS.items():
            headers.setdefault(name, value)
        headers.setdefault("Cache-Control", "no-store")
        if self._secure:
            headers["Strict-Transport-Security"] = "max-age=31536000"
        if cookie := sessions.to_set(scope, self._secure):
            headers.append("Set-Cookie", cookie)


class Known:
    """Only our own host names, and only as often as the rates allow."""

    def __init__(self, app: ASGIApp, settings: Settings, parts: tuple[Part, ...], clock: Callable[[], float]) -> None:
        self._app = app
        self._settings = settings
        self._special = {prefix: rate for part in parts for prefix, rate in part.rates.items()}
        self._buckets = Buckets(clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            if _host(Headers(scope=scope).get("host", "")) not in self._settings.names:
                named = ", ".join(self._settings.names)
                await _refuse(scope, receive, send, Refusal(400, f"this server answers under {named} only"), {})
                return
            wait = self._wait(scope)
            if wait:
                seconds = str(max(1, round(wait)))
                why = f"too many requests; again in {seconds} s"
                await _refuse(scope, receive, send, Refusal(429, why), {"Retry-After": seconds})
                return
        await self._app(scope, receive, send)

    def _wait(self, scope: Scope) -> float:
        client = client_name((scope.get("client") or ("",))[0])
        kind, rate = self._rate(scope)
        return self._buckets.take(client, kind, rate)

    def _rate(self, scope: Scope) -> tuple[str, Rate]:
        if scope["method"] in SAFE:
            return "reads", self._settings.reads
        prefix = _longest(self._special, scope["path"])
        return (prefix, self._special[prefix]) if prefix else ("writes", self._settings.writes)


class Bounded:
    """No body over its limit: refused by its stated length at once, by its bytes as they come."""

    def __init__(self, app: ASGIApp, parts: tuple[Part, ...]) -> None:
        self._app = app
        self._limits = {prefix: limit for part in parts for prefix, limit in part.bodies.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        prefix = _longest(self._limits, scope["path"])
        most = self._limits[prefix] if prefix else BODY
        stated = Headers(scope=scope).get("content-length", "0")
        over = Refusal(413, f"the body is over {most} bytes")
        if not (stated.isascii() and stated.isdigit()) or int(stated[:19]) > most:
            await _refuse(scope, receive, send, over, {"Connection": "close"})
            return
        came = 0

        async def bounded() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > most:
                raise over
            return message

        await self._app(scope, bounded, send)


class Meant:
    """Whatever changes something was meant by our own page: its Origin is ours and it carries the session's token."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._scheme = "https" if settings.secure else "http"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in SAFE:
            await self._app(scope, receive, send)
            return
        try:
            receive = await self._meant(Headers(scope=scope), receive)
        except Refusal as refusal:
            await _refuse(scope, receive, send, refusal, {"Connection": "close"})
            return
        await self._app(scope, receive, send)

    async def _meant(self, headers: Headers, receive: Receive) -> Receive:
        if why := self._foreign(headers):
            raise Refusal(403, why)
        if _is_bearer(headers):
            return receive
        given, receive = await _given(headers, receive)
        session = sessions.read(headers.get("cookie", ""), self._scheme == "https")
        if not sessions.is_token(session, given):
            raise Refusal(403, "the page is out of date; load it again")
        return receive

    def _foreign(self, headers: Headers) -> str:
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
        own = f"{self._scheme}://{headers.get('host', '')}"
        if (origin is not None and origin != own) or site not in ("same-origin", "none"):
            return "the request comes from another site's page"
        return ""


def _is_bearer(headers: Headers) -> bool:
    return "cookie" not in headers and headers.get("authorization", "").startswith("Bearer ")


async def _given(headers: Headers, receive: Receive) -> tuple[str, Receive]:
    """The token that came along, and a `receive` that gives the body again where it was read for that."""
    given = headers.get("x-csrf-token", "")
    if given or headers.get("content-type", "").partition(";")[0].strip() != _FORM:
        return given, receive
    body, more = b"", True
    while more and len(body) <= BODY:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        body += message.get("body", b"")
        more = message.get("more_body", False)
    fields = parse_qs(body.decode("utf-8", "replace"), max_num_fields=1000)
    sent = False

    async def again() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": more}

    return fields.get("csrf", [""])[0], again


def _host(header: str) -> str:
    """A Host header's name, without its port."""
    try:
        name = urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""
    return f"[{name}]" if ":" in name else name


def _longest(table: Mapping[str, object], path: str) -> str:
    """The longest prefix in `table` that `path` begins with, or ""."""
    return max((prefix for prefix in table if path.startswith(prefix)), key=len, default="")
