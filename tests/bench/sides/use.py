"""browser-use: its own click event by index, then the state summary with screenshot. argv: chromium."""

import asyncio
import sys
from typing import Any

from browser_use.browser import BrowserProfile, BrowserSession
from browser_use.browser.events import ClickElementEvent, NavigateToUrlEvent
from wire import serve

state: dict[str, Any] = {}


async def look(session: BrowserSession) -> str:
    seen = await session.get_browser_state_summary(include_screenshot=True)
    state["map"] = seen.dom_state.selector_map
    return str(seen.dom_state.llm_representation())


async def main() -> None:
    profile = BrowserProfile(
        executable_path=sys.argv[1], headless=True, chromium_sandbox=False, enable_default_extensions=False,
        viewport={"width": 1280, "height": 720}, user_data_dir=None,
    )  # fmt: skip
    session = BrowserSession(browser_profile=profile)
    await session.start()

    async def open_(url: str) -> str:
        event = session.event_bus.dispatch(NavigateToUrlEvent(url=url, new_tab=False))
        await event
        return await look(session)

    async def step(link: str) -> str:
        nodes = [node for node in state["map"].values() if node.tag_name == "a"]
        named = [node for node in nodes if node.get_all_children_text().strip() == link]
        assert named, f"no link {link!r} among {len(nodes)}"
        event = session.event_bus.dispatch(ClickElementEvent(node=named[0]))
        await event
        await event.event_result(raise_if_any=True, raise_if_none=False)
        return await look(session)

    await serve(open_, step)
    await session.kill()


asyncio.run(main())
