"""The browser's actions: one async function each, with the JSON schema that agents get as a tool.

An action returns text for the agent, or raises Refused with the reason and what to try.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol
from urllib.parse import urljoin

from playwright.async_api import ElementHandle, Error, Page
from playwright.async_api import TimeoutError as PageTimeout

from webds.types import Json, Params

_FIND = "(id) => globalThis[Symbol.for('webds.walker')]?.byId.get(id)?.deref() ?? null"
_ALIVE = "(element) => element.isConnected"


class Refused(Exception):
    """The action did nothing; the text says why and what to try."""


class Hands(Protocol):
    """What actions may use of the environment."""

    page: Page
    seconds: float

    async def save(self, url: str) -> str: ...
    def base(self) -> str: ...
    def expect(self) -> None: ...
    async def arrived(self, name_hint: str) -> str: ...


type Act = Callable[[Hands, Params], Awaitable[str]]


async def element(hands: Hands, args: Params) -> ElementHandle:
    """The element with `args["id"]`. Refused if the id was never given or its element is gone."""
    wanted = str(args.get("id", ""))
    for frame in hands.page.frames:
        try:
            found = (await frame.evaluate_handle(_FIND, wanted)).as_element()
        except Error:
            continue
        if found is None:
            continue
        if not await found.evaluate(_ALIVE):
            raise Refused(f"element [{wanted}] has left the page; observe again for current ids")
        return found
    raise Refused(f"no element [{wanted}] on this page; use an id from the latest observation")


async def goto(hands: Hands, args: Params) -> str:
    """Open an address; one that turns out to be a file is saved to the work folder."""
    url = urljoin(hands.base(), str(args["url"]))
    hands.expect()
    try:
        answer = await hands.page.goto(url, wait_until="commit", timeout=hands.seconds * 1000)
    except PageTimeout as error:
        raise Refused(f"{url} did not answer within {hands.seconds:g} s") from error
    except Error as error:
        if "Download is starting" in error.message:
            return await hands.arrived(url)
        raise Refused(f"{url} could not be opened: {_reason(error)}") from error
    return "" if answer is None or answer.status < 400 else f"the server answered {answer.status}"


async def back(hands: Hands, args: Params) -> str:  # noqa: ARG001 - one signature for all actions
    """Go back one page."""
    try:
        moved = await hands.page.go_back(wait_until="commit", timeout=hands.seconds * 1000)
    except Error as error:
        raise Refused(f"could not go back: {_reason(error)}") from error
    if moved is None:
        raise Refused("there is no page to go back to")
    return ""


async def click(hands: Hands, args: Params) -> str:
    """Click an element."""
    target = await element(hands, args)
    hands.expect()
    try:
        await target.click(timeout=min(hands.seconds, 5) * 1000)
    except Error as error:
        raise Refused(f"could not click [{args['id']}]: {_reason(error)}") from error
    return ""


async def fill(hands: Hands, args: Params) -> str:
    """Put text into a field, or choose an option of a list by its text."""
    target = await element(hands, args)
    text = str(args["text"])
    try:
        if await target.evaluate("(e) => e.tagName") == "SELECT":
            await target.select_option(label=text, timeout=2000)
        else:
            await target.fill(text, timeout=3000)
    except Error as error:
        raise Refused(f"could not fill [{args['id']}]: {_reason(error)}") from error
    return ""


async def press(hands: Hands, args: Params) -> str:
    """Press a key, on an element if an id is given."""
    hands.expect()
    try:
        if args.get("id"):
            await (await element(hands, args)).press(str(args["key"]), timeout=3000)
        else:
            await hands.page.keyboard.press(str(args["key"]))
    except Error as error:
        raise Refused(f"could not press {args['key']!r}: {_reason(error)}") from error
    return ""


async def scroll(hands: Hands, args: Params) -> str:
    """Scroll the page by one screen, or to its top or end."""
    step = {"down": "innerHeight*0.9", "up": "-innerHeight*0.9"}
    where = str(args["direction"])
    script = f"scrollBy(0, {step[where]})" if where in step else _EDGE[where]
    before = await hands.page.evaluate("scrollY")
    await hands.page.evaluate(script)
    if await hands.page.evaluate("scrollY") == before:
        raise Refused(f"the page does not scroll further {where}")
    return ""


_EDGE = {"top": "scrollTo(0, 0)", "end": "scrollTo(0, document.documentElement.scrollHeight)"}


async def download(hands: Hands, args: Params) -> str:
    """Save what a link or an address serves into the work folder."""
    url = str(args.get("url") or "")
    if args.get("id"):
        target = await element(hands, args)
        url = str(await target.evaluate("(e) => (e.closest('a[href]') ?? e).href ?? ''"))
        if not url:
            raise Refused(f"element [{args['id']}] is not a link; click it, or give a url")
    if not url:
        raise Refused("download wants an id or a url")
    return await hands.save(urljoin(hands.base(), url))


def _reason(error: Error) -> str:
    """Playwright's message without its call log."""
    lines = error.message.split("Call log:")[0].strip().splitlines() or ["no reason given"]
    hints = [
        line.strip(" -") for line in error.message.splitlines() if "intercepts pointer" in line or "not visible" in line
    ]
    return " ".join([lines[0].rpartition(": ")[2] or lines[0], *hints[:1]])[:300]


_ID: Params = {"type": "string", "description": "the number in [ ] before the element in the observation"}


def _schema(properties: Mapping[str, Json], *required: str) -> Params:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


ACTIONS: dict[str, tuple[Act, Params]] = {
    "goto": (goto, _schema({"url": {"type": "string"}}, "url")),
    "back": (back, _schema({})),
    "click": (click, _schema({"id": _ID}, "id")),
    "fill": (fill, _schema({"id": _ID, "text": {"type": "string"}}, "id", "text")),
    "press": (press, _schema({"key": {"type": "string"}, "id": _ID}, "key")),
    "scroll": (scroll, _schema({"direction": {"type": "string", "enum": ("down", "up", "top", "end")}}, "direction")),
    "download": (download, _schema({"id": _ID, "url": {"type": "string"}})),
}
"""name -> (function, JSON schema of its arguments)."""


def tools() -> tuple[Params, ...]:
    """The actions as JSON-schema tools."""
    return tuple(
        {"name": name, "description": (act.__doc__ or "").strip(), "parameters": schema}
        for name, (act, schema) in ACTIONS.items()
    )


def problem(name: str, args: Params, known: Mapping[str, Params]) -> str:
    """Why these arguments do not fit the action's schema, in one line; empty if they do."""
    if name not in known:
        return f"no action {name!r}; known: {', '.join(known)}"
    schema: Any = known[name]
    properties = schema["properties"]
    for field in schema["required"]:
        if field not in args:
            return f"{name} wants {field}"
    for field, value in args.items():
        if field not in properties:
            return f"{name} takes no {field!r}; it takes: {', '.join(properties) or 'nothing'}"
        accepted = properties[field].get("enum")
        if accepted and value not in accepted:
            return f"{name}: {field} {value!r}; known: {', '.join(accepted)}"
    return ""
