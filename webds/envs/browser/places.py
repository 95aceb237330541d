"""How far a page is scrolled where Chromium leaves that to chance, so that a replay sees the same window.

Going back, Chromium scrolls the new document to the old place before its web fonts are there, and then moves with the
lines: the place hangs on which came first. So the place is kept when a document is left, and set once it is quiet.
A click that does not get through has been tried with the element at one edge of the window, then at another, until
its time was up: the page is put back to where the first try had it.
"""

from contextlib import suppress
from typing import Any

from playwright.async_api import Error, Page

from webds.envs.browser.engine import ask
from webds.envs.browser.ids import Target
from webds.envs.browser.refusal import Refused

_SECONDS = 2.0
_MOST = 500
"""Entries of history that are remembered."""


class Places:
    """Places of the page's own scroller, in CSS pixels, by the key of the history entry (Navigation API)."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Any]] = {}

    async def keep(self, page: Page) -> None:
        """Remember where `page` is now; a page that does not answer is left out."""
        with suppress(Error, Refused):
            place = await ask(page.main_frame, "place", _SECONDS)
            self._known.pop(place["key"], None)
            self._known[place["key"]] = place
            if len(self._known) > _MOST:
                del self._known[next(iter(self._known))]

    async def restore(self, page: Page) -> None:
        """Set the place that `page`, a quiet document that was loaded again, was left at; none known: none set."""
        with suppress(Error, Refused):
            place = await ask(page.main_frame, "place", _SECONDS)
            if place["key"] in self._known:
                await ask(page.main_frame, "putBack", _SECONDS, **self._known[place["key"]])

    async def reach(self, target: Target, page: Page) -> None:
        """Bring an element into the window, as the act on it will, and keep where that leaves the page."""
        with suppress(Error, Refused):
            await ask(target.frame, "reach", _SECONDS, id=target.id)
        await self.keep(page)

    async def again(self, target: Target, page: Page) -> None:
        """As `reach` left it, inner scrollers too."""
        with suppress(Error, Refused):
            await ask(target.frame, "again", _SECONDS)
        if target.frame is not page.main_frame:
            await self.restore(page)
