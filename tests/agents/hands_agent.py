"""An agent with hands of its own: it drives Chromium over CDP and reports each act, by element or by point.

With SNEAK=1 it also changes the page once and does not report it.
"""

import asyncio
import json
import os
import urllib.request
from typing import Any

from websockets.asyncio.client import connect


def api(path: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(os.environ["WEBDS_URL"] + path, data)) as answer:
        return json.load(answer)


def mark_of(seen: Any, label: str) -> tuple[str, float, float]:
    """Id and middle of the element whose line in the outline names the label."""
    line = next(line for line in seen["text"].splitlines() if label in line and "[" in line)
    name = line.partition("[")[2].partition("]")[0]
    left, top, width, height = seen["view"]["marks"][name]["box"]
    return name, left + width / 2, top + height / 2


class Hands:
    """The page's session over CDP."""

    def __init__(self, plug: Any) -> None:
        self._plug = plug
        self._number = 0
        self.session = ""

    async def call(self, method: str, **params: object) -> Any:
        self._number += 1
        said = {"id": self._number, "method": method, "params": params}
        await self._plug.send(json.dumps({**said, **({"sessionId": self.session} if self.session else {})}))
        async with asyncio.timeout(20):
            while (answer := json.loads(await self._plug.recv())).get("id") != self._number:
                pass
        return answer["result"]

    async def click(self, x: float, y: float) -> None:
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            await self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


async def main() -> None:
    with urllib.request.urlopen(os.environ["WEBDS_CDP"] + "/json/version") as answer:
        address = json.load(answer)["webSocketDebuggerUrl"]
    async with connect(address, proxy=None, max_size=None) as plug:
        hands = Hands(plug)
        targets = (await hands.call("Target.getTargets"))["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        hands.session = (await hands.call("Target.attachToTarget", targetId=page, flatten=True))["sessionId"]
        name, x, y = mark_of(api("/observe"), "Table")
        await hands.click(x, y)
        seen = api("/acted", {"name": "click", "args": {"id": name}})
        if os.environ["SNEAK"] == "1":
            await hands.call("Runtime.evaluate", expression="document.querySelector('button').textContent = 'Sneaked'")
            seen = api("/acted", {"name": "wait", "args": {"seconds": 1}})
        await hands.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=5000)
        await asyncio.sleep(1)  # it scrolls smoothly
        seen = api("/acted", {"name": "scroll", "args": {"direction": "end"}})
        _, x, y = mark_of(seen, "Scores as CSV")
        await hands.click(x, y)
        seen = api("/acted", {"name": "click", "args": {"x": x, "y": y}})
    name = seen["view"]["downloads"][0]["name"]
    then = api("/act", {"name": "python", "args": {"code": f"print(len(open({name!r}).readlines()))"}})
    api("/submit", {"answer": then["view"]["result"].strip()})


asyncio.run(main())
