"""When to look: the page is quiet (no navigation, no request on its way, no change for a short window), or a limit.

An image that never loads or a page that polls must not cost the limit every time: a request that was still out when
a limit was reached is known as slow from then on, and a page that never stops changing is looked at early.
"""

import asyncio
import time
from collections import Counter
from typing import Any

from playwright.async_api import Error, Page, Request

from webds.envs.browser.engine import ask

WINDOW = 0.04
"""Seconds without a change that count as quiet."""
POLLED = 4
"""From the fourth request on for one address, a page is polling it."""
RESTLESS = 0.8
"""A page that only keeps changing, with nothing on its way, is looked at after this many seconds."""
_PARTS = frozenset({"document", "stylesheet", "script", "font", "image"})
_ENDLESS = frozenset({"eventsource", "websocket", "ping", "media", "texttrack"})


class Quiet:
    """Watches one page's requests. `wait` says how it ended: quiet, or what was still going on at the limit."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._out: dict[Request, float] = {}
        self._slow: set[Request] = set()
        self._changed = asyncio.Event()
        self._times: Counter[str] = Counter()
        self._opening = False
        self._restless = False
        self._pictured = 0.0
        self._url = ""
        page.on("request", self._began)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)

    def _began(self, request: Request) -> None:
        self._times[request.url] += 1
        if request.resource_type not in _ENDLESS and self._times[request.url] < POLLED:
            self._out[request] = time.monotonic()

    def _ended(self, request: Request) -> None:
        self._out.pop(request, None)
        self._slow.discard(request)
        if request.resource_type == "image":
            self._pictured = time.monotonic()
        self._changed.set()

    def opening(self, still: bool) -> None:
        """A window that this page opens is on its way, or has come."""
        self._opening = still
        self._changed.set()

    def _waiting(self) -> list[Request]:
        return [request for request in self._out if request not in self._slow]

    async def wait(self, limit: float, since: float, load: float) -> str:
        """At most `limit` seconds once the document is there, which itself may take `load` seconds.

        `since`: when the last act was done (time.monotonic); its effects get a window.
        """
        began = time.monotonic()
        end, last, busy = began + limit, began + load + limit, 0.0
        if self._page.url != self._url:
            self._url, self._restless = self._page.url, False
            self._times.clear()
        while (now := time.monotonic()) < end:
            if self._waiting() or self._opening:
                end, busy = self._put_off(end, min(now + limit, last), busy)
                await self._event(min(max(end - now, 0.001), 0.25))
                continue
            idle, loading = await self._idle()
            if loading:
                end = min(now + limit, last)
            short = max(WINDOW - idle, WINDOW - (now - max(since, self._pictured)))
            if short <= 0.002:
                self._restless = False
                return "quiet"
            busy = busy or now
            if not loading and idle < WINDOW and now - busy > (0.1 if self._restless else RESTLESS):
                self._restless = True
                return "limit: the page keeps changing"
            await self._event(min(short, WINDOW))
        return self._limit()

    def _put_off(self, end: float, longest: float, busy: float) -> tuple[float, float]:
        """The limit and since when the page only changes, given what is on its way."""
        waiting = self._waiting()
        if any(request.is_navigation_request() for request in waiting):
            end = longest
        # A slow machine loads for long: that is no page that keeps changing.
        return end, 0.0 if any(request.resource_type in _PARTS for request in waiting) else busy

    def _limit(self) -> str:
        self._restless, self._opening = True, False
        late = self._waiting()
        self._slow.update(late)
        if not late:
            return "limit: the page keeps changing"
        names = ", ".join(request.url[:80] for request in late[:2])
        return f"limit: still loading {names}{' and more' if len(late) > 2 else ''}"

    async def _event(self, seconds: float) -> None:
        self._changed.clear()
        try:
            async with asyncio.timeout(max(seconds, 0.001)):
                await self._changed.wait()
        except TimeoutError:
            return

    async def _idle(self) -> tuple[float, bool]:
        """Seconds since the newest change in any frame, and whether a document is still loading.

        A web font that is not there yet is a change to come, unless it is what was slow before.
        """
        answers = await asyncio.gather(*(_quiet(frame) for frame in self._page.frames[:20]))
        known: list[dict[str, Any]] = [answer for answer in answers if answer]
        if any(answer["ready"] == "loading" for answer in known):
            return 0.0, True
        if not self._slow and any(answer["fonts"] for answer in known):
            return 0.0, False
        idle = min((answer["since"] / 1000 for answer in known), default=WINDOW)
        return idle, False


async def _quiet(frame: Any) -> dict[str, Any] | None:
    try:
        answer: dict[str, Any] = await ask(frame, "quiet")
    except Error:
        return None
    return answer
