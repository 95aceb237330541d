"""Dialogs of a page. An alert has nothing to decide and is answered; a question stays open until the agent answers."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from playwright.async_api import Dialog, Error

from webds.envs.browser.refusal import Refused

MOST_ALERTS = 10
"""A page that opens more between two observations is ended: its script cannot be stopped under a dialog."""


class Dialogs:
    """`said` are the lines for the next observation; `open` is the question that waits for an answer."""

    def __init__(self, end: Callable[[], Awaitable[None]]) -> None:
        self.said: list[str] = []
        self.open: Dialog | None = None
        self._asked = asyncio.Event()
        self._alerts = 0
        self._end = end

    async def came(self, dialog: Dialog) -> None:
        """Playwright's event."""
        if dialog.type in ("alert", "beforeunload"):
            await self._dismiss(dialog)
            return
        self.open = dialog
        self._asked.set()

    async def _dismiss(self, dialog: Dialog) -> None:
        self._alerts += 1
        if self._alerts <= MOST_ALERTS:
            self.said.append(f"{dialog.type} {dialog.message[:300]!r} accepted")
        else:
            self.said.append(f"more than {MOST_ALERTS} alerts in a row: the page was ended")
            await self._end()
            return
        with suppress(Error):  # the page went away under its own dialog
            await dialog.accept()

    async def during(self, act: Awaitable[None]) -> None:
        """Do `act`; a question that the page asks meanwhile ends the wait, and the act ends with the answer."""
        self._asked.clear()
        doing = asyncio.ensure_future(act)
        asked = asyncio.create_task(self._asked.wait())
        try:
            await asyncio.wait({doing, asked}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            asked.cancel()
        if doing.done():
            doing.result()
        else:
            doing.add_done_callback(_forget)

    async def answer(self, do: str, text: str) -> str:
        """Accept or dismiss the open question. Refused where there is none."""
        dialog, self.open = self.open, None
        if dialog is None:
            raise Refused("no dialog is open")
        try:
            await (dialog.accept(text) if do == "accept" else dialog.dismiss())
        except Error as error:
            raise Refused("the dialog was gone already") from error
        return f"{dialog.type} {dialog.message[:300]!r} {'accepted' if do == 'accept' else 'dismissed'}"

    def waiting(self) -> str:
        """The open question in words, or empty."""
        dialog = self.open
        if dialog is None:
            return ""
        default = f", default {dialog.default_value!r}" if dialog.default_value else ""
        return f"{dialog.type} {dialog.message[:1000]!r}{default}"

    def take(self) -> list[str]:
        """The lines since the last observation."""
        said, self.said, self._alerts = self.said, [], 0
        return said


def _forget(task: "asyncio.Future[None]") -> None:
    if not task.cancelled():
        task.exception()  # the act that a question interrupted: what became of it shows in the page
