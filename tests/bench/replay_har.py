"""Playwright's routeFromHAR as one more peer: exchanges as a HAR, and a client whose requests are a page's fetches."""

import base64
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from playwright.async_api import Browser, Error, Page

from webds_recorder.exchange import Exchange, Headers, header

CANNOT = ("B13", "B32", "B41", "B46", "B54")
"""A page may set neither Accept-Encoding nor a preflight's headers, never sees Set-Cookie, and one over https may not
ask over http: not asked."""
_PASSED = ("range", "authorization", "content-type")
_FETCH = """async ([url, method, headers, body]) => {
  const sent = body === null ? undefined : Uint8Array.from(atob(body), (c) => c.charCodeAt(0));
  const r = await fetch(url, {method, headers, body: sent});
  return [r.status, [...r.headers], btoa(String.fromCharCode(...new Uint8Array(await r.arrayBuffer())))];
}"""


def write_har(exchanges: Iterable[Exchange], out: Path) -> Path:
    """The exchanges as a HAR 1.2 file, in order."""
    log = {"version": "1.2", "creator": {"name": "webds", "version": "0"}, "entries": [_entry(e) for e in exchanges]}
    out.write_text(json.dumps({"log": log}))
    return out


def _entry(item: Exchange) -> dict[str, Any]:
    kind = header(item.headers, "content-type")
    request: dict[str, Any] = {
        **_message(item.request.headers, item.request.body),
        "method": item.request.method,
        "url": item.request.url,
        "queryString": [],
    }
    if item.request.body:
        sent = header(item.request.headers, "content-type")
        request["postData"] = {"mimeType": sent, "params": [], "text": item.request.body.decode("latin-1")}
    content = {"size": len(item.body), "mimeType": kind, "encoding": "base64", "text": _text(item.body)}
    response = {
        **_message(item.headers, item.body),
        "status": item.status,
        "statusText": "",
        "redirectURL": header(item.headers, "location"),
        "content": content,
    }
    times = {"send": 0, "wait": 0, "receive": 0}
    head = {"startedDateTime": "2022-06-24T12:00:00.000Z", "time": 0, "cache": {}, "timings": times}
    return {**head, "request": request, "response": response}


def _message(headers: Headers, body: bytes) -> dict[str, Any]:
    named = [{"name": name, "value": value} for name, value in headers]
    return {"httpVersion": "HTTP/1.1", "cookies": [], "headers": named, "headersSize": -1, "bodySize": len(body)}


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


class InPage(httpx.AsyncBaseTransport):
    """Sends what a page's fetch can send; redirects are followed there."""

    def __init__(self, page: Page) -> None:
        self._page = page

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """One fetch. ConnectError: the page got no answer."""
        passed = {name: value for name, value in request.headers.items() if name in _PASSED}
        body = await request.aread()
        words = [str(request.url), request.method, passed, _text(body) if body else None]
        try:
            status, headers, data = await self._page.evaluate(_FETCH, words)
        except Error as error:
            raise httpx.ConnectError(str(error)) from error
        return httpx.Response(status, headers=headers, content=base64.b64decode(data))


@asynccontextmanager
async def har_client(browser: Browser, har: Path, start: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client in a context of its own, on the page `start`, which is in the HAR."""
    context = await browser.new_context()
    await context.route_from_har(har, not_found="abort")
    page = await context.new_page()
    await page.goto(start)
    async with httpx.AsyncClient(transport=InPage(page)) as client:
        yield client
    await context.close()
