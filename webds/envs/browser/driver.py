"""Playwright's driver process, started once a worker, and its episodes' browsers: one Chromium each, never shared.

The next one is launched ahead while an episode runs, and an old one is closed in the background: neither is waited
for between two episodes. What is launched ahead is bound to the proxy address that the World will use next.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import BrowserContext, Error, Playwright, async_playwright

from webds import scratch
from webds.envs.browser.cdp import choose_port, gateway
from webds.envs.browser.engine import register
from webds.envs.browser.launch import BrowserSettings, launch, shut
from webds.envs.browser.outside import hosts_of
from webds.envs.browser.page import Browser
from webds.ports import Recorder
from webds.types import Json, Params

CLOSE_SECONDS = 10.0
AHEAD_SECONDS = 1.5
"""How long after an episode's begin the next browser is launched: its first look comes first."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """A browser, its private folder, and the proxy address that it was started with."""

    context: BrowserContext
    folder: tempfile.TemporaryDirectory[str]
    proxy: Json
    port: int
    """Of CDP; 0: closed."""


class Driver:
    """Opens browsers; `close` ends the driver process and all that is left of them."""

    def __init__(self, settings: BrowserSettings, limits: Mapping[str, float], *, ahead: bool = True) -> None:
        self._settings = settings
        self._limits = limits
        self._may_launch_ahead = ahead
        self._playwright: Playwright | None = None
        self._starting = asyncio.Lock()
        self._ahead: asyncio.Task[_Ready] | None = None
        self._hurry = asyncio.Event()
        self._closing: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Start the driver process if it does not run yet."""
        async with self._starting:  # episodes may begin at the same time
            if self._playwright is None:
                playwright = await async_playwright().start()
                await register(playwright)
                self._playwright = playwright

    @asynccontextmanager
    async def open(self, access: Params, recorder: Recorder, work: Path, url: str) -> AsyncIterator[Browser]:
        """A fresh browser on `url`. `access` is World.episode's; its `ahead`, where given, is the next episode's."""
        ready = await self._take(access)
        try:
            private = Path(ready.folder.name)
            picture = self._settings.picture
            browser = Browser(ready.context, recorder, work, private, self._limits, picture, hosts_of(access))
            await browser.page.goto(url, wait_until="commit", timeout=browser.seconds * 1000)
            self._prepare(access.get("ahead"))
            if not ready.port:
                yield browser
                return
            async with gateway(access, ready.port) as (browser.endpoint, browser.outside.over_cdp):
                yield browser
        finally:
            task = asyncio.ensure_future(_close(ready))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """End the driver, the browser launched ahead, and wait for those that are closing."""
        if self._ahead is not None:
            self._hurry.set()
            with suppress(Error):
                await _close(await self._ahead)
            self._ahead = None
        await asyncio.gather(*self._closing)
        if self._playwright is not None:
            await self._playwright.stop()
            self._playwright = None

    def _prepare(self, access: Json) -> None:
        if self._may_launch_ahead and isinstance(access, Mapping) and self._ahead is None:
            self._hurry.clear()
            self._ahead = asyncio.ensure_future(self._later(access))

    async def _later(self, access: Params) -> _Ready:
        with suppress(TimeoutError):
            async with asyncio.timeout(AHEAD_SECONDS):
                await self._hurry.wait()
        return await self._launch(access)

    async def _take(self, access: Params) -> _Ready:
        """The browser launched ahead if it fits this episode, else a new one."""
        task, self._ahead = self._ahead, None
        if task is not None:
            self._hurry.set()
            with suppress(Error):
                ready = await task
                if ready.proxy == access.get("proxy"):
                    return ready
                await _close(ready)
        return await self._launch(access)

    async def _launch(self, access: Params) -> _Ready:
        assert self._playwright is not None
        folder = tempfile.TemporaryDirectory(prefix="webds-browser-", ignore_cleanup_errors=True)
        port = choose_port(access) if self._settings.cdp else 0
        try:
            context = await launch(self._playwright, self._settings, access, Path(folder.name), port)
        except Error:
            folder.cleanup()
            raise
        return _Ready(context, folder, access.get("proxy"), port)


async def _close(ready: _Ready) -> None:
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await shut(ready.context)
    except (Error, TimeoutError):  # it crashed, or does not answer: what is left of it is killed
        await asyncio.to_thread(scratch.end, Path(ready.folder.name))
    await asyncio.to_thread(ready.folder.cleanup)
