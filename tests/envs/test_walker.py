"""The outline against the browser's own accessibility snapshot, and what a look is made of."""

import io
import re
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from PIL import Image

from tests.envs import opened
from tests.envs.hands import Eyes
from webds.envs.browser.picture import PictureSettings

pytestmark = pytest.mark.asyncio(loop_scope="module")
PAGES = ("home", "roles", "fields", "tabs", "dialogs", "downloads", "cookies", "drag", "hover", "rtl")
SAME = {"img": "image|chart|link", "gridcell": "table", "textbox": "textbox|searchbox|file"}
"""Roles that the outline names otherwise."""
IN_TABLE = {"row", "cell", "columnheader", "rowheader", "rowgroup", "caption"}
OWN_TEXT = {"listitem", "paragraph", "text", "list", "code", "emphasis", "strong", "superscript", "legend"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def eyes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walker") / "try"
    async with opened.world() as world, opened.browser(world, folder, "https://pages.test/home") as browser:
        yield Eyes(browser)


@pytest.mark.parametrize("name", PAGES)
async def test_the_outline_holds_every_role_and_name_of_the_snapshot(eyes: Eyes, name: str) -> None:
    seen = (await eyes.goto(f"/{name}")).text
    snapshot = await eyes.environment.page.locator("body").aria_snapshot()  # type: ignore[attr-defined] # the browser
    found = re.findall(r'^\s*- (\w+) "((?:[^"\\]|\\.)*)"', snapshot, re.MULTILINE)
    assert found or name == "drag"
    flat = " ".join(seen.split())
    for role, label in found:
        words = label.replace('\\"', '"')
        if role in IN_TABLE:
            assert all(word in flat.replace("^", "") for word in words.split()), (role, words)
            continue
        if role in OWN_TEXT or role == "option":
            assert words in flat, (role, words)
            continue
        roles = SAME.get(role, role)
        line = re.search(rf"(?:^|\s)(?:{roles}|file|clickable)\b[^\n]*{re.escape(words)}", seen)
        assert line, (role, words, seen)


async def test_hidden_text_is_not_told(eyes: Eyes) -> None:
    text = (await eyes.goto("/roles")).text
    for words in ("Hidden words", "Unseen words", "Silent words", "000Bo", "Folded words"):
        assert words not in text
    assert "| Bo | 1,234^a |" in text


async def test_a_page_is_looked_at_with_its_web_fonts(eyes: Eyes) -> None:
    """Heights and line ends follow from them; the font is asked for by a layout after `load`, and comes late."""
    heights = set()
    for _ in range(3):
        seen = await eyes.goto("/font")
        page = eyes.environment.page  # type: ignore[attr-defined] # the browser
        now = await page.evaluate("[document.fonts.status, [...document.fonts][0].status, document.body.scrollHeight]")
        assert now[:2] == ["loaded", "loaded"]
        heights.add(seen.text.partition("window: ")[2].partition("\n")[0])
    assert len(heights) == 1


async def test_settings_of_the_picture(tmp_path: Path) -> None:
    picture = PictureSettings(full_page=True, marks=True, scale=2)
    settings: dict[str, Any] = {
        "picture": picture,
        "width": 800,
        "height": 600,
        "locale": "de-DE",
        "zone": "Asia/Tokyo",
        "scheme": "dark",
    }
    async with (
        opened.world() as world,
        opened.browser(world, tmp_path / "try", "https://pages.test/table/100", **settings) as browser,
    ):
        seen = await browser.observe()
        facts = await browser.page.evaluate(
            "[navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone, innerWidth, devicePixelRatio,"
            " matchMedia('(prefers-color-scheme: dark)').matches]"
        )
        assert facts == ["de-DE", "Asia/Tokyo", 800, 2, True]
    blob = tmp_path / "try" / "blobs" / seen.image[:2] / seen.image
    image = Image.open(io.BytesIO(blob.read_bytes()))
    assert image.width >= 1600
    assert image.height > 2000
    colours = {colour for _, colour in image.getcolors(1 << 24) or ()}
    assert (0xD6, 0x27, 0x28) in colours


async def test_the_page_cannot_see_or_stop_the_walker(eyes: Eyes) -> None:
    await eyes.goto("/hostile?kind=proto")
    assert eyes.has("button", "Still here")
    await eyes.goto("/home")
    page = eyes.environment.page  # type: ignore[attr-defined] # the browser
    names = await page.evaluate("[Symbol.for('webds') in globalThis, document.querySelectorAll('webds-answer').length]")
    assert names == [False, 0]
