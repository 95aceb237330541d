"""One World and one browser for all pages of a contract module."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.envs import opened
from tests.envs.hands import Eyes
from webds.envs.browser.page import Browser


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page(tmp_path_factory) -> AsyncIterator[Browser]:
    folder: Path = tmp_path_factory.mktemp("episode") / "try"
    async with opened.world() as world, opened.browser(world, folder, "https://pages.test/home") as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="module")
async def eyes(page: Browser) -> Eyes:
    """The module's browser with a single tab."""
    eyes = Eyes(page)
    while len(page.tabs()) > 1:
        await eyes.do("tab", do="close", number=len(page.tabs()))
    return eyes
