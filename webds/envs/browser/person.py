"""A person at the episode's browser: what they click, fill and press is told over a Unix socket, and so is the panel.

Lines out of the socket, JSON: {"did": {"name", "args"}} after each act, under the session's action schema with points
for ids; {"submit": {"answer", "files", "unachievable"}}; {"left": true} where they give up or close the browser.
"""

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Error, Frame, Page

_HERE = Path(__file__).parent
_QUIET_SECONDS = 1.5
"""A page that changes later than this after an act was gone to by hand (address bar, back)."""
_PANEL = {"width": 420, "height": 760}


class Person:
    """Listens to one context; `panel` is a window of its own, in a context that no observation shows."""

    def __init__(self, context: BrowserContext) -> None:
        self._context = context
        self._told: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._acted = 0.0
        self.panel: Page | None = None

    async def start(self, prompt: str, work: Path) -> None:
        """Watch the pages that are open and those to come, and open the panel."""
        await self._context.expose_binding("webdsPerson", self._heard)
        script = (_HERE / "person.js").read_text("utf-8")
        await self._context.add_init_script(script)
        self._context.on("page", self._watch)
        for page in self._context.pages:
            self._watch(page)
            with suppress(Error):  # one that is just loading gets the script anyway
                await page.evaluate(script)
        assert self._context.browser is not None
        apart = await self._context.browser.new_context(viewport=_PANEL)  # type: ignore[arg-type] # a TypedDict
        self.panel = await apart.new_page()
        await self.panel.expose_binding("webdsPanel", self._panel)
        await self.panel.set_content((_HERE / "panel.html").read_text("utf-8"))
        await self.panel.evaluate("([p, w]) => { prompt_.textContent = p; work.textContent = w; }", [prompt, str(work)])
        self.panel.on("close", lambda _: self._told.put_nowait({"left": True}))

    async def serve(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Tell one listener everything, from the first act on."""
        with suppress(OSError):
            while True:
                writer.write(json.dumps(await self._told.get()).encode() + b"\n")
                await writer.drain()

    def _watch(self, page: Page) -> None:
        page.on("framenavigated", self._moved)

    def _heard(self, source: Any, act: dict[str, Any]) -> None:  # noqa: ARG002 - the library's signature
        self._acted = asyncio.get_running_loop().time()
        self._told.put_nowait({"did": {"name": str(act["name"]), "args": dict(act["args"])}})

    def _panel(self, source: Any, said: dict[str, Any]) -> None:  # noqa: ARG002
        self._told.put_nowait(said)

    def _moved(self, frame: Frame) -> None:
        """A page that no click or key led to."""
        alone = asyncio.get_running_loop().time() - self._acted > _QUIET_SECONDS
        if alone and frame.parent_frame is None and frame.url.startswith("http"):
            self._told.put_nowait({"did": {"name": "goto", "args": {"url": frame.url}}})


@asynccontextmanager
async def attended(context: BrowserContext, prompt: str, work: Path) -> AsyncIterator[tuple[str, Person]]:
    """(endpoint, person): `unix:` and the path of the socket, inside the block."""
    with tempfile.TemporaryDirectory(prefix="webds-person-") as folder:
        person = Person(context)
        await person.start(prompt, work)
        path = f"{folder}/socket"
        server = await asyncio.start_unix_server(person.serve, path=path)
        try:
            yield f"unix:{path}", person
        finally:
            server.close()
            if person.panel is not None:
                with suppress(Error):
                    await person.panel.context.close()
