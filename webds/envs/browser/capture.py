"""The browser of a capture: opens pages and lets them load all they want, under the clock and chance of the replay."""

import importlib.util
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import BrowserContext, Download, Error, Page, async_playwright
from playwright.async_api import TimeoutError as LoadTimeout

from webds.envs.browser.launch import BrowserSettings, launched
from webds.errors import InfraFault, InputFault, blame, one_line
from webds.types import Params
from webds_recorder.determinism import init_script

_LINKS = "() => Array.from(document.querySelectorAll('a[href], area[href]'), (link) => link.href)"
_TO_THE_END = """async () => {
  for (let at = 0; at < Math.min(document.documentElement.scrollHeight, 60000); at += innerHeight) {
    scrollTo(0, at);
    await new Promise((done) => setTimeout(done, 30));
  }
  scrollTo(0, 0);
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visited:
    """A page as it was when it had settled. `why` says what went wrong, `file` that it was a download."""

    url: str
    status: int
    html: str = ""
    links: tuple[str, ...] = ()
    file: str = ""
    why: str = ""


class Visitor:
    """Opens pages in one context. Limits in seconds: `page` for a load, `settle` for quiet after it."""

    def __init__(self, context: BrowserContext, page: float, settle: float) -> None:
        self._context = context
        self._page: Page = context.pages[0]
        self._limit = page * 1000
        self._settle = settle * 1000
        self._downloads: list[Download] = []
        context.on("page", self._watch)
        self._watch(self._page)

    def _watch(self, page: Page) -> None:
        page.on("download", self._came)

    def _came(self, download: Download) -> None:
        self._downloads.append(download)

    async def open(self, url: str) -> Visited:
        """Load a page with all that it loads by itself, also what comes only when one scrolls."""
        self._downloads.clear()
        try:
            response = await self._page.goto(url, timeout=self._limit, wait_until="load")
        except LoadTimeout:
            return Visited(url=url, status=0, why=f"not loaded after {self._limit / 1000:g} seconds")
        except Error as error:
            return await self._file(url, one_line(error))
        await self._quiet()
        with suppress(Error):
            await self._page.evaluate(_TO_THE_END)
            await self._quiet()
        status = response.status if response else 0
        with blame(InfraFault, f"capture {url}"):
            html, links = await self._page.content(), await self._page.evaluate(_LINKS)
        return Visited(url=self._page.url, status=status, html=html, links=tuple(map(str, links)))

    async def text(self, url: str) -> tuple[int, str]:
        """Status and text of a plain file, such as robots.txt; 0 where it cannot be loaded.

        Not by opening it: a failure without a body is answered by a page of the browser's own, which comes in the way
        of what is opened next. The request goes through the same proxy; the list of trusted keys is Chromium's alone.
        """
        try:
            response = await self._context.request.get(url, timeout=self._limit, ignore_https_errors=True)
            return response.status, (await response.body()).decode("utf-8", "replace")
        except Error:
            return 0, ""

    async def _quiet(self) -> None:
        """A stream that stays open never lets the network fall silent: then the limit ends the wait."""
        with suppress(LoadTimeout):
            await self._page.wait_for_load_state("networkidle", timeout=self._settle)

    async def _file(self, url: str, why: str) -> Visited:
        """A navigation that turned into a download."""
        if not self._downloads:
            return Visited(url=url, status=0, why=why)
        failure = await self._downloads[-1].failure()
        name = self._downloads[-1].suggested_filename
        return Visited(url=url, status=0 if failure else 200, file=name, why=failure or "")

    async def play(self, script: Path) -> None:
        """Run a person's steps: `async def run(page)` in a Python file. What they raise is an InputFault."""
        run = read_script(script)
        try:
            await run(self._page)
        except (Error, AssertionError) as error:
            raise InputFault(f"{script}: {one_line(error)}") from error
        for download in self._downloads:
            await download.failure()
        await self._quiet()


def read_script(path: Path) -> Callable[[Page], Awaitable[None]]:
    """The `run` function of a script file. InputFault: none there."""
    spec = importlib.util.spec_from_file_location("webds_capture_script", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InputFault(f"{path}: no Python file here")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (SyntaxError, ImportError, NameError) as error:
        raise InputFault(f"{path}: {one_line(error)}") from error
    run: Callable[[Page], Awaitable[None]] | None = getattr(module, "run", None)
    if run is None:
        raise InputFault(f"{path}: has no `async def run(page)`")
    return run


@asynccontextmanager
async def visiting(
    settings: BrowserSettings, proxy: str, spki: str, frozen: int, seed: int, folder: Path, limits: tuple[float, float]
) -> AsyncIterator[Visitor]:
    """A fresh browser behind a capturing proxy. `frozen` is in ms since 1970, limits are (page, settle) in seconds."""
    access: Params = {"proxy": proxy, "spki": spki, "enter": (), "frozen": {"*": frozen}, "seed": seed}
    async with (
        async_playwright() as playwright,
        launched(playwright, settings, access, folder / "browser") as context,
    ):
        await context.add_init_script(init_script({"*": frozen}, seed))
        yield Visitor(context, *limits)
