"""Closed shadow roots. Made by script: a patch makes them open and hides that from the page. Declared in HTML: CDP."""

from pathlib import Path
from typing import Any

from playwright.async_api import CDPSession, Error

PATCHES = Path(__file__).with_name("patches.js").read_text(encoding="utf-8")

_SUSPECT = "globalThis[Symbol.for('webds')]?.suspect() ?? null"
_ADOPT = "function () { globalThis[Symbol.for('webds')].adopt(this); }"
_MOST = 40


class Declared:
    """Roots that HTML declares closed, by one page's CDP session; asked only about hosts that look empty."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self._worlds: dict[int, str] = {}
        session.on("Runtime.executionContextCreated", self._made)
        session.on("Runtime.executionContextDestroyed", self._lost)
        session.on("Runtime.executionContextsCleared", lambda _: self._worlds.clear())

    async def start(self) -> None:
        """Learn of every world from now on."""
        await self._session.send("Runtime.enable")

    def _made(self, event: dict[str, Any]) -> None:
        context = event["context"]
        if "utility" in str(context.get("name", "")):
            self._worlds[context["id"]] = str(context.get("name", ""))

    def _lost(self, event: dict[str, Any]) -> None:
        self._worlds.pop(event["executionContextId"], None)

    async def adopt(self) -> int:
        """Hand the walker every closed root of its suspects; how many there were."""
        count = 0
        for world in tuple(self._worlds):
            for _ in range(_MOST):
                try:
                    found = await self._root(world)
                except Error:
                    break  # the document went away
                if found is None:
                    break
                count += found
        return count

    async def _root(self, world: int) -> int | None:
        """None where the world has no suspect left, else how many closed roots the next one had."""
        send = self._session.send
        suspect = await send("Runtime.evaluate", {"expression": _SUSPECT, "contextId": world, "timeout": 500})
        host = suspect["result"].get("objectId")
        if not host:
            return None
        node = (await send("DOM.describeNode", {"objectId": host}))["node"]
        closed = [root for root in node.get("shadowRoots", ()) if root.get("shadowRootType") == "closed"]
        for root in closed:
            where = {"backendNodeId": root["backendNodeId"], "executionContextId": world}
            made = (await send("DOM.resolveNode", where))["object"]["objectId"]
            await send("Runtime.callFunctionOn", {"functionDeclaration": _ADOPT, "objectId": made})
        return len(closed)
