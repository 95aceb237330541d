"""Fetch an address through the browser: its cookies, its proxy, its trust, and no CORS in the way.

Playwright's own request context lives in the driver, outside the World's network, so it cannot be used. CDP's
Network.loadNetworkResource is what the developer tools themselves use to load a file.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from playwright.async_api import BrowserContext, CDPSession, Error, Page

from webds.envs.browser.refusal import Refused

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Fetched:
    """Status, headers as sent, and the body after content decoding."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def header(self, name: str) -> str:
        """A header by name in any case, or empty."""
        return next((value for key, value in self.headers.items() if key.lower() == name), "")


async def fetch(context: BrowserContext, page: Page, url: str, cap: int) -> Fetched:
    """GET `url`. Refused for addresses that are not http(s), for errors, and for bodies over `cap` bytes."""
    if not url.startswith(("http://", "https://")):
        raise Refused(f"{url[:200]}: only http and https addresses can be downloaded")
    try:
        session = await context.new_cdp_session(page)
        try:
            return await _load(session, url, cap)
        finally:
            await session.detach()
    except Error as error:
        raise Refused(f"{url} could not be downloaded: {error.message.splitlines()[0]}") from error


async def _load(session: CDPSession, url: str, cap: int) -> Fetched:
    tree = await session.send("Page.getFrameTree")
    frame = tree["frameTree"]["frame"]["id"]
    options = {"disableCache": True, "includeCredentials": True}
    answer = await session.send("Network.loadNetworkResource", {"frameId": frame, "url": url, "options": options})
    resource: dict[str, Any] = answer["resource"]
    status = int(resource.get("httpStatusCode", 0))
    if not resource.get("success") or status >= 400:
        why = f"the server answered {status}" if status else str(resource.get("netErrorName", "no answer"))
        raise Refused(f"{url} could not be downloaded: {why}")
    body = await _read(session, str(resource["stream"]), cap)
    return Fetched(status, resource.get("headers") or {}, body)


async def _read(session: CDPSession, stream: str, cap: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    try:
        while True:
            part = await session.send("IO.read", {"handle": stream, "size": _CHUNK})
            data = base64.b64decode(part["data"]) if part.get("base64Encoded") else part["data"].encode()
            parts.append(data)
            size += len(data)
            if size > cap:
                raise Refused(f"the file is larger than a download may be ({cap} bytes)")
            if part.get("eof"):
                return b"".join(parts)
    finally:
        await session.send("IO.close", {"handle": stream})
