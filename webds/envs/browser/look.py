"""Takes one look at a tab: when it is quiet, what it holds, how it looks. Bounded in time whatever the page does."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from playwright.async_api import Error

from webds.envs.browser import observe
from webds.envs.browser.engine import PageBusy
from webds.envs.browser.ids import Ids
from webds.envs.browser.observe import Outline
from webds.envs.browser.picture import PictureSettings, marked, screenshot
from webds.envs.browser.refusal import first_line
from webds.envs.browser.tab import Tab

_SHOT_SECONDS = 5.0
_LOOK_SECONDS = (10.0, 5.0, 5.0)
"""For the first look and for what is tried after the page's script was stopped, or a new document came."""


@dataclass(slots=True)
class Sight:
    """`settled` is quiet or says what was still going on; `image` is PNG, empty where no picture could be taken."""

    seen: Outline = field(default_factory=Outline)
    image: bytes = b""
    settled: str = "quiet"
    notes: list[str] = field(default_factory=list)

    @property
    def late(self) -> bool:
        """Whether the look was taken at the limit."""
        return self.settled.startswith("limit")


class Eyes:
    """Limits in seconds: `page` for a document to load, `settle` for quiet after that."""

    def __init__(self, ids: Ids, picture: PictureSettings, limits: Mapping[str, float]) -> None:
        self._ids = ids
        self._picture = picture
        self._limit = float(limits.get("settle", 3))
        self._load = float(limits.get("page", 20))

    async def settle(self, tab: Tab, since: float) -> str:
        """Wait until the tab is quiet. A script that lets nothing through is stopped."""
        try:
            return await tab.quiet.wait(self._limit, since, self._load)
        except PageBusy as busy:
            await tab.stop()
            return f"limit: {busy}; it was stopped"

    async def look(self, shown: Callable[[], Tab], since: float, *, blind: bool) -> Sight:
        """`shown` is the tab that is seen now, which a new window may take over. `blind`: a dialog is open."""
        if blind:
            return Sight(settled="a dialog is open")
        tab = shown()
        sight = Sight(settled=await self.settle(tab, since))
        if shown() is not tab:
            tab = shown()
            sight.settled = await self.settle(tab, since)
        for seconds in _LOOK_SECONDS:
            try:
                sight.seen = await self._outline(tab, seconds)
                sight.image = await self._picture_of(tab, sight.seen)
                return sight
            except PageBusy as busy:
                sight.notes.append(str(busy))
                await tab.stop()
            except Error as error:  # it navigated or crashed under the walker
                if tab.crashed or tab.page.is_closed():
                    return sight
                sight.notes.append(first_line(error)) if seconds == _LOOK_SECONDS[-1] else None
                sight.settled = await self.settle(tab, since)
        await tab.kill()
        return sight

    async def _outline(self, tab: Tab, seconds: float) -> Outline:
        seen = await observe.outline(tab.page, self._ids, seconds)
        if seen.suspects and tab.declared is not None and await tab.declared.adopt():
            seen = await observe.outline(tab.page, self._ids, seconds)
        return seen

    async def _picture_of(self, tab: Tab, seen: Outline) -> bytes:
        image = await screenshot(tab.page, tab.session, self._picture, _SHOT_SECONDS)
        if not self._picture.marks or not image:
            return image
        return marked(image, seen.marks, self._picture.scale, seen.page["y"] if self._picture.full_page else 0)
