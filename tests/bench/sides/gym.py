"""BrowserGym: env.step of a click by bid, and the flattened accessibility tree. argv: chromium."""

import asyncio
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import browsergym.core  # noqa: F401 - registers the environment
import gymnasium
from browsergym.core.action.highlevel import HighLevelActionSet
from browsergym.utils.obs import flatten_axtree_to_str
from playwright.sync_api import BrowserType
from wire import serve

state: dict[str, Any] = {}
_launch = BrowserType.launch


def launch(self: BrowserType, **options: Any) -> Any:
    """The library's chat window starts a browser of its own, which is to be the same one."""
    return _launch(self, **{"executable_path": sys.argv[1], **options})


BrowserType.launch = launch


def text_of(seen: Any) -> str:
    return str(flatten_axtree_to_str(seen["axtree_object"]))


def opened(url: str) -> str:
    if "env" not in state:
        state["env"] = gymnasium.make(
            "browsergym/openended",
            task_kwargs={"start_url": url},
            action_mapping=HighLevelActionSet(["bid", "nav"]).to_python_code,
            viewport={"width": 1280, "height": 720},
            pw_chromium_kwargs={"executable_path": sys.argv[1]},
        )
        seen, _ = state["env"].reset()
    else:
        seen, *_ = state["env"].step(f"goto('{url}')")
    state["text"] = text_of(seen)
    return str(state["text"])


def stepped(link: str) -> str:
    bid = re.search(rf"\[(\w+)\] link '{re.escape(link)}'", state["text"])
    assert bid, f"no link {link!r} in the tree"
    seen, *_ = state["env"].step(f"click('{bid[1]}')")
    assert not seen["last_action_error"], seen["last_action_error"]
    state["text"] = text_of(seen)
    return str(state["text"])


async def main() -> None:
    """The library is synchronous and bound to its thread."""
    with ThreadPoolExecutor(1) as thread:
        loop = asyncio.get_running_loop()
        await serve(
            lambda url: loop.run_in_executor(thread, opened, url),
            lambda link: loop.run_in_executor(thread, stepped, link),
        )


asyncio.run(main())
