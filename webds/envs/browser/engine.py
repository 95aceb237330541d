"""The way into a page: walker.js as a Playwright selector engine, in Playwright's isolated world of each document.

The page cannot reach that world, so it can neither replace a prototype under the walker nor read our ids. `webds=12`
is an element for Playwright's own actions; `webds=look:{...}` is an element whose text is an answer in JSON.
"""

import asyncio
import json
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.async_api import Error, Frame, Playwright
from playwright.async_api import TimeoutError as PageTimeout

from webds.envs.browser.refusal import Refused, first_line

_HERE = Path(__file__).parent
_LIBRARY = _HERE / "vendor" / "dom-accessibility-api"
_PARTS = (
    "polyfills/array.from",
    "polyfills/SetLike",
    "getRole",
    "util",
    "accessible-name-and-description",
    "accessible-name",
)
NAME = "webds"
ASK_SECONDS = 10.0


class PageBusy(Refused):
    """The page's own script did not let anything else run in time."""


@cache
def source() -> str:
    """The engine: the vendored library (CommonJS files under a small loader) handed to walker.js."""
    parts = ",".join(
        f"{json.dumps('./' + name)}: (exports, require) => {{{_read(_LIBRARY / f'{name}.js')}\n}}" for name in _PARTS
    )
    loader = (
        "(() => { const parts = {" + parts + "}; const made = {};"
        "const load = (name) => { if (!made[name]) { made[name] = {}; parts[name](made[name], load); }"
        " return made[name]; };"
        "const { computeAccessibleName } = load('./accessible-name');"
        "return { computeAccessibleName, getRole: load('./getRole').default }; })()"
    )
    walker = _read(_HERE / "walker.js")
    start = walker.index("(accname) =>")
    return f"({walker[start:].rstrip()})({loader})"


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


async def register(playwright: Playwright) -> None:
    """Once for each driver process, before any page is opened."""
    await playwright.selectors.register(NAME, source(), content_script=True)


def selector(element: str) -> str:
    """Playwright's selector of the element with this id."""
    return f"{NAME}={element}"


async def ask(frame: Frame, operation: str, seconds: float = ASK_SECONDS, **args: Any) -> Any:
    """The answer of one operation of walker.js in one frame; see `answered`."""
    return (await answered(frame, operation, seconds, **args))["value"]


async def answered(frame: Frame, operation: str, seconds: float, **args: Any) -> dict[str, Any]:
    """`value` and the `next` free id. Refused with the walker's words, PageBusy after `seconds`, Error: it is gone."""
    words = quote(json.dumps({"milliseconds": round(seconds * 300), **args}), safe="")
    try:
        async with asyncio.timeout(seconds + 2):
            text = await frame.text_content(f"{NAME}={operation}:{words}", timeout=seconds * 1000)
    except (PageTimeout, TimeoutError) as error:
        raise PageBusy(f"the page did not answer within {seconds:g} s: its script is busy") from error
    answer: dict[str, Any] = json.loads(text or "{}")
    value = answer["value"]
    if isinstance(value, dict) and value.get("refused"):
        raise Refused(str(value["refused"]))
    return answer


def gone(error: Error) -> bool:
    """Whether a frame or page went away while it was asked: not the page's fault, the next look will tell."""
    return any(words in first_line(error).lower() for words in ("detached", "closed", "destroyed", "navigat", "crash"))
