"""Where the page is scrolled to is the same however fast the machine is: a replay sees the recorded window."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.envs import opened
from tests.envs.hands import Eyes
from webds.envs.browser import pointer

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def eyes(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Eyes]:
    folder: Path = tmp_path_factory.mktemp("episode") / "try"
    async with opened.world() as world, opened.browser(world, folder, "https://pages.test/home") as browser:
        yield Eyes(browser)


@pytest.mark.parametrize("way", ["back", "reload"])
async def test_a_page_gone_back_to_is_where_it_was_left_though_its_font_comes_late(eyes: Eyes, way: str) -> None:
    """Chromium scrolls before the font is there; then the lines above grow fewer, and it is a pixel off or more."""
    for rest in range(0, 2000, 1000):
        await eyes.goto("/low")
        page = eyes.environment.page  # type: ignore[attr-defined] # the browser
        await page.evaluate("(y) => scrollTo(0, y)", 200 + rest)
        left = await page.evaluate("scrollY")
        if way == "back":
            await eyes.goto("/home")
        await eyes.do(way)
        assert await page.evaluate("scrollY") == left


async def test_a_refused_click_leaves_the_page_as_its_first_try_did(
    eyes: Eyes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each further try has the element at another edge; how many there are in the time is the machine's doing."""
    await eyes.goto("/veil")
    page = eyes.environment.page  # type: ignore[attr-defined] # the browser
    places = set()
    for milliseconds in (300, 700, 1100, 1600, 2200):
        monkeypatch.setattr(pointer, "_LIMIT", milliseconds)
        await eyes.do("scroll", direction="top")
        seen = await eyes.click("button", "Behind the veil")
        assert "lies over it" in seen.refused
        places.add(tuple(await page.evaluate("[scrollY, document.querySelector('div').scrollTop]")))
    assert len(places) == 1
