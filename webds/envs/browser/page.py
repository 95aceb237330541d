"""The browser as an Environment: observe and act on one Chromium, one action at a time."""

import asyncio
import shutil
import tempfile
import time
from collections.abc import Awaitable, Collection, Mapping
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Dialog, Error, Page

from webds.envs.browser import actions, observe
from webds.envs.browser.dialogs import Dialogs
from webds.envs.browser.downloads import Downloads
from webds.envs.browser.engine import PageBusy
from webds.envs.browser.fetch import fetch
from webds.envs.browser.ids import Ids, Target
from webds.envs.browser.launch import own
from webds.envs.browser.look import Eyes
from webds.envs.browser.loops import Loops
from webds.envs.browser.observe import Outline
from webds.envs.browser.outside import Outside
from webds.envs.browser.picture import PictureSettings
from webds.envs.browser.places import Places
from webds.envs.browser.refusal import Refused, first_line
from webds.envs.browser.schema import problem
from webds.envs.browser.tab import Tab
from webds.ports import Recorder
from webds.types import Action, Observation, Params, Task

_FILE_CAP = 512 << 20
_EACH_SECONDS = 5.0
_OPEN_SECONDS = 15.0


class Browser:
    """webds.ports.Environment over one context. Limits in seconds: `page` for loads, `settle` for quiet.

    The browser sees `private` only; files go to it and come from it through the harness, into `work`.
    """

    endpoint = ""

    def __init__(
        self,
        context: BrowserContext,
        recorder: Recorder,
        work: Path,
        private: Path,
        limits: Mapping[str, float],
        picture: PictureSettings,
        hosts: Collection[str] = (),
    ) -> None:
        self.actions = actions.tools()
        self.seconds = float(limits.get("page", 20))
        self.page: Page = context.pages[0]
        self.work = work
        self._private = private
        self.ids, self.places = Ids(), Places()
        self.dialogs = Dialogs(self._end)
        self.downloads = Downloads(work, own)
        self._context = context
        self.outside = Outside(context, hosts)
        self._recorder = recorder
        self._eyes = Eyes(self.ids, picture, limits)
        self._schemas: dict[str, Params] = {name: kind.schema for name, kind in actions.ACTIONS.items()}
        self._loops = Loops()
        self._lock = asyncio.Lock()
        self._tabs: dict[Page, Tab] = {}
        self._last = Observation()
        self._expects = False
        self._acted = 0.0
        self._base = self.page.url
        context.on("page", self._opened)
        for page in context.pages:
            self._watch(page)

    # --- events of the context

    def _opened(self, page: Page) -> None:
        """A pop-up or new tab: it becomes the page that is seen."""
        for tab in self._tabs.values():
            tab.quiet.opening(False)
        self._watch(page)
        self.page = page

    def _watch(self, page: Page) -> None:
        self._tabs[page] = Tab(self._context, page)
        page.on("dialog", self._asked)
        page.on("download", self.downloads.began)
        page.on("close", self._closed)

    def _closed(self, page: Page) -> None:
        self._tabs.pop(page, None)
        others = self.tabs()
        if self.page is page and others:
            self.page = others[-1]

    async def _asked(self, dialog: Dialog) -> None:
        await self.dialogs.came(dialog)

    async def _end(self) -> None:
        await self._tab().kill()

    def _tab(self) -> Tab:
        if self.page not in self._tabs:
            self._watch(self.page)
        return self._tabs[self.page]

    # --- what actions use (webds.envs.browser.hands.Hands)

    async def target(self, wanted: object) -> Target:
        """The live element with this id, or Refused."""
        return await self.ids.locate(self.page, str(wanted))

    async def do(self, act: Awaitable[None]) -> None:
        """Something that may load a page, start a file or open a dialog."""
        self.expect()
        await self.dialogs.during(act)

    async def each(self, operation: str, **args: Any) -> list[tuple[Any, Any]]:
        """(frame, answer) of an operation in every frame that answers."""
        answers = []
        for frame in self.page.frames[: observe.MOST_FRAMES]:
            try:
                answers.append((frame, await self.ids.ask(frame, operation, _EACH_SECONDS, **args)))
            except (Error, PageBusy):
                if frame is self.page.main_frame:
                    raise
        return answers

    async def settle(self) -> str:
        """Wait until the page is quiet; says how that ended."""
        return await self._eyes.settle(self._tab(), self._acted)

    def tabs(self) -> list[Page]:
        """Open pages in the order of their opening."""
        return [page for page in self._context.pages if not page.is_closed()]

    async def show(self, page: Page) -> None:
        """Make another tab the one that is seen."""
        self.page = page
        await page.bring_to_front()

    async def open(self) -> Page:
        """A new tab."""
        async with asyncio.timeout(_OPEN_SECONDS):  # a browser that cannot open one is broken
            return await self._context.new_page()

    def expect(self) -> None:
        """An action that may load a page or a file is about to start."""
        self._expects = True
        self.downloads.expect()

    async def lend(self, path: Path) -> Path:
        """A copy of a file of the work folder where the browser can read it."""
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, dir=self._private))
        lent = folder / path.name
        await asyncio.to_thread(shutil.copyfile, path, lent)
        own(folder)
        return lent

    def base(self) -> str:
        """What relative addresses are relative to: the last page that was a page."""
        if self.page.url.startswith("http"):
            self._base = self.page.url
        return self._base

    async def arrived(self, hint: str, seconds: float) -> str:
        """A file that begins to arrive within `seconds`: wait for it and name it."""
        await self.downloads.started(seconds)
        for line in await self.downloads.settle(self.seconds):
            raise Refused(f"{hint}: {line}")
        row = self.downloads.last()
        return f"saved {row['name']} ({row['size']} bytes) to the work folder"

    async def save(self, url: str) -> str:
        """Fetch `url` with the page's cookies, through the browser itself, and keep it under its true name."""
        got = await fetch(self._context, self.page, url, _FILE_CAP)
        name = self.downloads.keep(url, got.header("content-disposition"), got.header("content-type"), got.body)
        return f"saved {name} ({len(got.body)} bytes) to the work folder"

    # --- webds.ports.Environment

    async def observe(self) -> Observation:
        """The page now."""
        async with self._lock:
            self._last = await self._look("", "", "")
            return self._last

    async def act(self, action: Action) -> Observation:
        """One action. What cannot be done comes back as `refused`."""
        async with self._lock:
            self._last = await self._act(action)
            return self._last

    async def collect(self, task: Task, into: Path) -> Params:  # noqa: ARG002 - the port's signature
        """What was asked for outside the sites; the episode keeps the work folder by itself."""
        await self._context.cookies()  # a browser that died unnoticed says so here
        return self.outside.findings()

    async def _act(self, action: Action) -> Observation:
        wrong = problem(action.name, action.args, self._schemas)
        if wrong:
            return await self._look("", wrong, "")
        kind = actions.ACTIONS[action.name]
        self.outside.asked(action, self.base())
        self._expects = False
        result, refused = "", ""
        try:
            self._answerable(action)
            self._loops.before(action, self.page.url)
            if not kind.reads and self.dialogs.open is None:
                await self.places.keep(self.page)
            result = await kind.act(self, action.args)
        except Refused as reason:
            refused = str(reason)
        except Error as error:
            if not self.tabs():
                raise
            refused = f"{action.name} broke off: {first_line(error)}"
        self._acted = time.monotonic()
        if kind.reads and not refused:
            return self._unchanged(action, result)
        return self._hinted(action, await self._look(result, refused, action.name))

    def _answerable(self, action: Action) -> None:
        if self.dialogs.open is not None and action.name not in ("dialog", "tab"):
            raise Refused(f"a dialog is open: {self.dialogs.waiting()}; answer it with the action dialog first")

    def _unchanged(self, action: Action, result: str) -> Observation:
        """What a reading action brought: the page is as it was, so it is not told again."""
        view = {key: value for key, value in self._last.view.items() if key in ("url", "title", "downloads", "tabs")}
        text = f"result of {action.name}:\n{result}\n(page unchanged: {view.get('title', '')} {view.get('url', '')})"
        hint = self._loops.after(action, self.page.url, text, 0)
        text = f"{hint}\n{text}" if hint else text
        return Observation(text=text, image=self._last.image, view={**view, "result": result})

    def _hinted(self, action: Action, then: Observation) -> Observation:
        page = then.view.get("page")
        height = page.get("height", 0) if isinstance(page, Mapping) else 0
        hint = self._loops.after(action, self.page.url, then.text, height if isinstance(height, int) else 0)
        if not hint:
            return then
        return Observation(text=f"{hint}\n{then.text}", image=then.image, refused=then.refused, view=then.view)

    async def _look(self, result: str, refused: str, after: str) -> Observation:
        notes = await self._recover()
        await self._tab().ready()
        sight = await self._eyes.look(self._tab, self._acted, blind=bool(self.dialogs.waiting()))
        files = await self.downloads.settle(self.seconds if self._expects else 0.0)
        self._expects = False
        notes = [*notes, *await self._recover(), *sight.notes, *files]
        said = self._said(result, refused, after, [*notes, *([sight.settled] if sight.late else [])])
        blob = self._recorder.blob(sight.image) if sight.image else ""
        seen = sight.seen
        text = observe.head(self.page.url, seen, self._tab_lines(), self.downloads.listed, said)
        view = self._view(seen, result, sight.settled, said)
        return Observation(text=f"{text}\n\n{seen.text}", image=blob, refused=refused, view=view)

    def _said(self, result: str, refused: str, after: str, notes: list[str]) -> list[str]:
        said = [f"dialog answered: {text}" for text in self.dialogs.take()]
        waiting = self.dialogs.waiting()
        said += [f"dialog open: {waiting}; answer it with the action dialog"] if waiting else []
        said += [f"result of {after}: {result}"] if result else []
        said += [f"refused: {refused}"] if refused else []
        return said + [f"note: {note}" for note in notes]

    async def _recover(self) -> list[str]:
        """A page that crashed is replaced by an empty tab."""
        tab = self._tabs.get(self.page)
        if tab is None or not tab.crashed:
            return []
        url, broken = self.page.url, self.page
        self.page = await self.open()
        closing = asyncio.ensure_future(broken.close())
        await asyncio.wait({closing}, timeout=5)
        return [f"the page {url} crashed or had to be ended; it was closed: go on from this empty tab"]

    def _tab_lines(self) -> list[str]:
        return [
            f"tab {number}{' (this one)' if page is self.page else ''}: {page.url[:200]}"
            for number, page in enumerate(self.tabs(), start=1)
        ]

    def _view(self, seen: Outline, result: str, settled: str, said: list[str]) -> Params:
        return {
            "url": self.page.url,
            "title": seen.title,
            "downloads": tuple(self.downloads.listed),
            "dialogs": tuple(line for line in said if line.startswith("dialog")),
            "result": result,
            "settled": settled,
            "marks": seen.marks,
            "tables": tuple(seen.tables),
            "page": seen.page,
            "tabs": tuple(page.url for page in self.tabs()),
        }
