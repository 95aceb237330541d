"""The browser as an Environment: observe and act on one Chromium, one action at a time."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import BrowserContext, Dialog, Page, Playwright

from webds.envs.browser import actions, observe
from webds.envs.browser.actions import Refused
from webds.envs.browser.downloads import Downloads
from webds.envs.browser.fetch import fetch
from webds.envs.browser.launch import BrowserSettings, launched, own
from webds.ports import Recorder
from webds.types import Action, Observation, Params, Task

_FILE_CAP = 512 << 20


class Browser:
    """webds.ports.Environment over one context. Limits in seconds: `page` for loads, `settle` for quiet."""

    endpoint = ""

    def __init__(self, context: BrowserContext, recorder: Recorder, work: Path, limits: Mapping[str, float]) -> None:
        self.actions = actions.tools()
        self.seconds = float(limits.get("page", 20))
        self.page: Page = context.pages[0]
        self._settle = float(limits.get("settle", 3))
        self._context = context
        self._recorder = recorder
        self._schemas: dict[str, Params] = {name: schema for name, (_, schema) in actions.ACTIONS.items()}
        self._dialogs: list[str] = []
        self._moved = False
        self._base = self.page.url
        self.downloads = Downloads(work, own)
        context.on("page", self._opened)
        for page in context.pages:
            self._watch(page)

    def _opened(self, page: Page) -> None:
        """A pop-up or new tab: it becomes the page that is seen."""
        self._watch(page)
        self.page = page

    def _watch(self, page: Page) -> None:
        page.on("dialog", self._answer)
        page.on("download", self.downloads.began)
        page.on("close", self._closed)

    def _closed(self, page: Page) -> None:
        others = [p for p in self._context.pages if p is not page]
        if self.page is page and others:
            self.page = others[-1]

    async def _answer(self, dialog: Dialog) -> None:
        self._dialogs.append(f"{dialog.type} {dialog.message[:300]!r} accepted")
        await dialog.accept()

    def expect(self) -> None:
        """An action that may load a page or a file is about to start."""
        self._moved = True
        self.downloads.expect()

    def base(self) -> str:
        """What relative addresses are relative to: the last page that was a page."""
        if self.page.url.startswith("http"):
            self._base = self.page.url
        return self._base

    async def arrived(self, name_hint: str) -> str:
        """A navigation that turned out to be a file: wait for it and name it."""
        await self.downloads.started(self.seconds)
        for line in await self.downloads.settle(self.seconds):
            raise Refused(f"{name_hint}: {line}")
        row = self.downloads.last()
        return f"saved {row['name']} ({row['size']} bytes) to the work folder"

    async def save(self, url: str) -> str:
        """Fetch `url` with the page's cookies, through the browser itself, and keep it under its true name."""
        got = await fetch(self._context, self.page, url, _FILE_CAP)
        name = self.downloads.keep(url, got.header("content-disposition"), got.header("content-type"), got.body)
        return f"saved {name} ({len(got.body)} bytes) to the work folder"

    async def observe(self) -> Observation:
        """The page now."""
        return await self._observation("", "")

    async def act(self, action: Action) -> Observation:
        """One action. What cannot be done comes back as `refused`."""
        wrong = actions.problem(action.name, action.args, self._schemas)
        if wrong:
            return await self._observation("", wrong)
        act, _ = actions.ACTIONS[action.name]
        self._moved = False
        try:
            return await self._observation(await act(self, action.args), "")
        except Refused as refused:
            return await self._observation("", str(refused))

    async def _observation(self, result: str, refused: str) -> Observation:
        settled = await observe.settle(self.page, self._settle)
        notes = await self.downloads.settle(self.seconds if self._moved else 0.0)
        seen = await observe.outline(self.page)
        title = await self.page.title()
        head = observe.head(self.page.url, title, self.downloads.listed, self._dialogs)
        said = [f"result: {result}"] if result else []
        said += [f"refused: {refused}"] if refused else []
        said += [f"note: {note}" for note in notes]
        view: Params = {
            "url": self.page.url,
            "title": title,
            "downloads": tuple(self.downloads.listed),
            "dialogs": tuple(self._dialogs),
            "result": result,
            "settled": settled,
            "marks": seen.marks,
            "tabs": tuple(page.url for page in self._context.pages),
        }
        self._dialogs = []
        text = "\n".join([head, *said, "", seen.text])
        image = self._recorder.blob(await self.page.screenshot(animations="disabled", caret="hide", timeout=20_000))
        return Observation(text=text, image=image, refused=refused, view=view)

    async def collect(self, task: Task, into: Path) -> Params:  # noqa: ARG002 - the port's signature
        """Nothing beyond the work folder, which the episode keeps by itself."""
        return {}


@asynccontextmanager
async def opened(
    playwright: Playwright,
    settings: BrowserSettings,
    limits: Mapping[str, float],
    access: Params,
    recorder: Recorder,
    folder: Path,
    work: Path,
    url: str,
) -> AsyncIterator[Browser]:
    """A Browser standing on `url`."""
    async with launched(playwright, settings, access, folder, work) as context:
        browser = Browser(context, recorder, work, limits)
        await context.pages[0].goto(url, wait_until="commit", timeout=browser.seconds * 1000)
        yield browser
