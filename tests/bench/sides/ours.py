"""webds: session.act of a click by id, everything recorded as in a run. argv: chromium, scratch folder."""

import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from wire import serve

from webds.agents.hand import find
from webds.envs.browser.driver import Driver
from webds.envs.browser.launch import BrowserSettings
from webds.session import EpisodeSession, monotonic
from webds.types import Action, Params, Task
from webds_recorder.trajectory import TrajectoryRecorder

ACCESS: Params = {"spki": "", "ahead": {"spki": ""}}
"""No proxy between: what is measured is the environment, over the same server as the others."""
state: dict[str, Any] = {"number": 0}


async def begin(driver: Driver, url: str) -> str:
    """A new episode up to its first observation."""
    stack = state["stack"] = AsyncExitStack()
    state["number"] += 1
    folder = Path(sys.argv[2]) / str(state["number"])
    (folder / "files").mkdir(parents=True)
    recorder = TrajectoryRecorder(folder, folder / "blobs")
    browser = await stack.enter_async_context(driver.open(ACCESS, recorder, folder / "files", url))
    task = Task(id="bench", suite="web", revision=1, prompt="")
    state["session"] = EpisodeSession(task, browser, recorder, monotonic)
    state["seen"] = await state["session"].observe()
    return str(state["seen"].text)


async def main() -> None:
    driver = Driver(BrowserSettings(chromium=sys.argv[1]), {"page": 20, "settle": 3})
    await driver.start()

    async def open_(url: str) -> str:
        if "session" not in state:
            return await begin(driver, url)
        state["seen"] = await state["session"].act(Action(name="goto", args={"url": url}))
        return str(state["seen"].text)

    async def step(link: str) -> str:
        target = find(state["seen"].text, "link", link).id
        state["seen"] = await state["session"].act(Action(name="click", args={"id": target}))
        assert not state["seen"].refused
        return str(state["seen"].text)

    async def reset(url: str) -> str:
        await state["session"].submit("done")
        await state["stack"].aclose()
        return await begin(driver, url)

    await serve(open_, step, reset)
    await state["stack"].aclose()
    await driver.close()


asyncio.run(main())
