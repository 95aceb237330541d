"""One open page with what watches it: requests, a CDP session, declared shadow roots."""

import asyncio
from contextlib import suppress

from playwright.async_api import BrowserContext, CDPSession, Error, Page

from webds.envs.browser.settle import Quiet
from webds.envs.browser.shadow import Declared

_STOP_SECONDS = 2.0
_KILL_SECONDS = 5.0


class Tab:
    """`session` is there once `ready` has run; it was opened early, because a busy page lets no new one in."""

    def __init__(self, context: BrowserContext, page: Page) -> None:
        self.page = page
        self.quiet = Quiet(page)
        self.session: CDPSession | None = None
        self.declared: Declared | None = None
        self.crashed = False
        self._ended = asyncio.Event()
        self._context = context
        self._opening = asyncio.ensure_future(self._open())
        page.on("crash", self._crash)

    async def _open(self) -> None:
        with suppress(Error):  # a pop-up that closes itself at once
            session = await self._context.new_cdp_session(self.page)
            declared = Declared(session)
            session.on("Page.windowOpen", lambda _: self.quiet.opening(True))
            await session.send("Page.enable")
            await declared.start()
            self.session, self.declared = session, declared

    def _crash(self, _: Page) -> None:
        self.crashed = True
        self._ended.set()

    async def ready(self) -> None:
        """Wait for the session, but not for ever."""
        await asyncio.wait({self._opening}, timeout=_STOP_SECONDS)

    async def kill(self) -> None:
        """End the page's process: nothing else helps against a script that starts anew each time it is stopped."""
        if self.session is None:
            return
        crash = asyncio.ensure_future(self.session.send("Page.crash"))
        crash.add_done_callback(lambda done: done.cancelled() or done.exception())
        with suppress(TimeoutError):
            async with asyncio.timeout(_KILL_SECONDS):
                await self._ended.wait()
        self.crashed = True

    async def stop(self) -> None:
        """End the script that runs in the page now: it works while nothing else gets through."""
        if self.session is not None:
            with suppress(Error, TimeoutError):
                async with asyncio.timeout(_STOP_SECONDS):
                    await self.session.send("Runtime.terminateExecution")
