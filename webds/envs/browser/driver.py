"""Playwright's driver process, started once a worker and kept for all its episodes."""

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from playwright.async_api import Playwright, async_playwright

from webds.envs.browser.engine import register
from webds.envs.browser.launch import BrowserSettings
from webds.envs.browser.page import Browser, opened
from webds.ports import Recorder
from webds.types import Params


class Driver:
    """Opens browsers; `close` ends the driver process."""

    def __init__(self, settings: BrowserSettings, limits: Mapping[str, float]) -> None:
        self._settings = settings
        self._limits = limits
        self._playwright: Playwright | None = None
        self._starting = asyncio.Lock()

    async def start(self) -> None:
        """Start the driver process if it does not run yet."""
        async with self._starting:  # episodes may begin at the same time
            if self._playwright is None:
                playwright = await async_playwright().start()
                await register(playwright)
                self._playwright = playwright

    def open(
        self, access: Params, recorder: Recorder, folder: Path, work: Path, url: str
    ) -> AbstractAsyncContextManager[Browser]:
        """A fresh browser on `url`; see webds.envs.browser.page.opened."""
        assert self._playwright is not None
        return opened(self._playwright, self._settings, self._limits, access, recorder, folder, work, url)

    async def close(self) -> None:
        """End the driver."""
        if self._playwright is not None:
            await self._playwright.stop()
            self._playwright = None
