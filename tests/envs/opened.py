"""A browser environment over the fixture sites, opened as an episode opens it: World, listener, Chromium."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from webds.config import find_chromium
from webds.envs.browser.driver import Driver
from webds.envs.browser.launch import BrowserSettings, own
from webds.envs.browser.page import Browser
from webds.ports import Recorder, World
from webds.tracks.sites import pick
from webds.tracks.world import ProcessWorld, choose_isolation, serve
from webds_recorder.trajectory import TrajectoryRecorder

ROOT = Path(__file__).resolve().parent.parent / "data" / "pages"
LIMITS = {"page": 20, "settle": 3}


def recorder(folder: Path) -> Recorder:
    return TrajectoryRecorder(folder, folder / "blobs")


@asynccontextmanager
async def world() -> AsyncIterator[ProcessWorld]:
    """The two fixture sites."""
    async with serve(ROOT, pick(ROOT, ["pages", "other"]), choose_isolation("auto")[0], 60) as served:
        yield served


@asynccontextmanager
async def browser(
    served: World, folder: Path, url: str, name: str = "t", driver: Driver | None = None, **settings: Any
) -> AsyncIterator[Browser]:
    """One episode's browser on `url`; `folder` gets work, blobs and log."""
    own_driver = driver or Driver(BrowserSettings(chromium=find_chromium(), **settings), LIMITS)
    await own_driver.start()
    work = folder / "files"
    work.mkdir(parents=True)
    own(work)
    try:
        async with (
            served.episode(name, folder / "requests.jsonl") as access,
            own_driver.open(access, recorder(folder), work, url) as opened,
        ):
            yield opened
    finally:
        if driver is None:
            await own_driver.close()
        await asyncio.sleep(0)
