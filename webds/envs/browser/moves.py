"""Actions that move between pages: addresses, history, tabs, dialogs, downloads."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urljoin

from playwright.async_api import Error
from playwright.async_api import TimeoutError as PageTimeout

from webds.envs.browser.hands import ACT_SECONDS, Hands, Kind
from webds.envs.browser.refusal import Refused, first_line
from webds.envs.browser.schema import ID, TEXT, WHOLE, about, choice, schema
from webds.types import Params

_FILE = "Download is starting"
_FILE_SECONDS = 5.0
"""How soon after its click an element's file must begin to arrive."""


async def _navigate(hands: Hands, what: str, go: Callable[[], Awaitable[Any]]) -> Any:
    """The response, or text about the file that came instead."""
    hands.expect()
    try:
        return await go()
    except PageTimeout as error:
        raise Refused(f"{what} did not answer within {hands.seconds:g} s") from error
    except Error as error:
        if _FILE in error.message:
            return await hands.arrived(what, hands.seconds)
        raise Refused(f"{what} could not be opened: {first_line(error)}") from error


async def goto(hands: Hands, args: Params) -> str:
    """An address, also relative to the page; one that turns out to be a file is saved."""
    url = urljoin(hands.base(), str(args["url"]).strip())
    limit = hands.seconds * 1000
    answer = await _navigate(hands, url, lambda: hands.page.goto(url, wait_until="commit", timeout=limit))
    return _said(answer)


def _said(answer: Any) -> str:
    if isinstance(answer, str):
        return answer
    return "" if answer is None or answer.status < 400 else f"the server answered {answer.status}"


async def back(hands: Hands, args: Params) -> str:  # noqa: ARG001 - one signature for all actions
    """One page back in this tab's history."""
    return await _history(hands, "back", lambda: hands.page.go_back(wait_until="commit", timeout=hands.seconds * 1000))


async def forward(hands: Hands, args: Params) -> str:  # noqa: ARG001 - one signature for all actions
    """One page forward in this tab's history."""
    return await _history(
        hands, "forward", lambda: hands.page.go_forward(wait_until="commit", timeout=hands.seconds * 1000)
    )


async def _history(hands: Hands, way: str, go: Callable[[], Awaitable[Any]]) -> str:
    before = hands.page.url
    answer = await _navigate(hands, f"the page {way}", go)
    if answer is None and hands.page.url == before:
        raise Refused(f"there is no page to go {way} to")
    await _put_back(hands)
    return _said(answer)


async def _put_back(hands: Hands) -> None:
    if hands.dialogs.open is None:
        await hands.settle()
        await hands.places.restore(hands.page)


async def reload(hands: Hands, args: Params) -> str:  # noqa: ARG001 - one signature for all actions
    """Load the page again."""
    limit = hands.seconds * 1000
    answer = await _navigate(hands, "the page", lambda: hands.page.reload(wait_until="commit", timeout=limit))
    await _put_back(hands)
    return _said(answer)


async def download(hands: Hands, args: Params) -> str:
    """What a link or address serves; an element that makes its file by script is clicked."""
    url = str(args.get("url") or "")
    if args.get("id"):
        target = await hands.target(args["id"])
        url = str(target.state["href"])
        if not url.startswith(("http:", "https:")):
            hands.expect()
            await hands.do(target.locator.click(timeout=ACT_SECONDS * 1000))
            try:
                return await hands.arrived(f"element [{target.id}]", _FILE_SECONDS)
            except Refused as error:
                raise Refused(f"element [{target.id}] is no link to a file, and clicking it brought none") from error
    if not url:
        raise Refused("download wants an id or a url")
    return await hands.save(urljoin(hands.base(), url))


async def tab(hands: Hands, args: Params) -> str:
    """Open, switch to, or close a tab; tabs are numbered from 1 as listed in the observation."""
    tabs = hands.tabs()
    do, number = str(args["do"]), int(str(args.get("number", 0)))
    if do == "new":
        await hands.show(await hands.open())
        return await goto(hands, args) if args.get("url") else ""
    here = number or (tabs.index(hands.page) + 1 if do == "close" else 0)
    if not 1 <= here <= len(tabs):
        raise Refused(f"no tab {number}; there are tabs 1 to {len(tabs)}")
    if do == "switch":
        await hands.show(tabs[here - 1])
        return ""
    if len(tabs) == 1:
        raise Refused("the last tab stays open")
    rest = [page for page in tabs if page is not tabs[here - 1]]
    if hands.page is tabs[here - 1]:
        await hands.show(rest[max(here - 2, 0)])
    await tabs[here - 1].close()
    return ""


async def dialog(hands: Hands, args: Params) -> str:
    """Answer the open dialog; `text` is what a prompt asks for."""
    hands.expect()
    return await hands.dialogs.answer(str(args["do"]), str(args.get("text", "")))


MOVES: Mapping[str, Kind] = {
    "goto": Kind(
        act=goto,
        schema=schema({"url": TEXT}, "url"),
        text="Open an address (relative ones count from the page). A file is saved to the work folder.",
    ),
    "back": Kind(act=back, schema=schema({}), text="Go back one page."),
    "forward": Kind(act=forward, schema=schema({}), text="Go forward one page."),
    "reload": Kind(act=reload, schema=schema({}), text="Load the page again."),
    "download": Kind(
        act=download,
        schema=schema({"id": ID, "url": TEXT}),
        text="Save what a link (id) or an address (url) serves into the work folder, under its true name.",
    ),
    "tab": Kind(
        act=tab,
        schema=schema(
            {"do": choice("new", "switch", "close"), "number": about(WHOLE, "as listed, from 1"), "url": TEXT}, "do"
        ),
        text="Open a new tab (with a url), switch to a tab, or close one.",
    ),
    "dialog": Kind(
        act=dialog,
        schema=schema({"do": choice("accept", "dismiss"), "text": TEXT}, "do"),
        text="Answer the open confirm or prompt dialog.",
    ),
}
