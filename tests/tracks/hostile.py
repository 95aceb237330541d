"""A World of the hostile fixture site, a browser in it, and a canary on its loopback that must not be heard."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, async_playwright

from webds.config import find_chromium
from webds.envs.browser.launch import BrowserSettings, launched
from webds.tracks import world
from webds.tracks.sites import pick

ROOT = Path(__file__).parents[1] / "data" / "hostile"
CANARY = """
import asyncio
async def heard(reader, writer):
    print('heard', (await reader.read(100))[:60], flush=True)
    writer.close()
async def main():
    server = await asyncio.start_server(heard, '127.0.0.1', 0)
    port = server.sockets[0].getsockname()[1]
    for host in ('::1', '127.64.0.250'):
        try:
            await asyncio.start_server(heard, host, port)
        except OSError:
            pass  # a machine without IPv6
    print(port, flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


@dataclass
class Place:
    """One episode in a World. `access` is what the browser needs, `log` the proxy's."""

    access: dict[str, Any]
    log: Path
    folder: Path
    context: BrowserContext | None = None
    port: int = 0
    canary: list[str] = field(default_factory=list)

    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def blocked(self) -> set[str]:
        return {row["url"] for row in self.rows() if row["outcome"] == "blocked"}

    @property
    def browser(self) -> BrowserContext:
        assert self.context is not None
        return self.context

    async def inside(self, code: str, *words: str, seconds: float = 60) -> str:
        """Run Python in the World's network; what it printed."""
        command = [*self.access["enter"], sys.executable, "-c", code, *words]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        async with asyncio.timeout(seconds):
            said, _ = await process.communicate()
        assert process.returncode == 0
        return said.decode()

    def proxy(self) -> tuple[str, str]:
        """Host and port of the listener."""
        host, _, port = self.access["proxy"].removeprefix("http://").rpartition(":")
        return host, port


@asynccontextmanager
async def canary(place: Place) -> AsyncIterator[None]:
    """A service on the World's own loopback; every connection is a line in `place.canary` when the block ends."""
    command = [*place.access["enter"], sys.executable, "-c", CANARY]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    place.port = int(await process.stdout.readline())
    try:
        yield
    finally:
        process.terminate()
        place.canary += (await process.stdout.read()).decode().splitlines()
        await process.wait()


@asynccontextmanager
async def episode(folder: Path, isolation: str) -> AsyncIterator[Place]:
    """A World and one episode in it, no browser."""
    async with (
        world.serve(ROOT, pick(ROOT, ["hostile"]), isolation, 60) as served,
        served.episode("probe~0/1", folder / "requests.jsonl") as access,
    ):
        yield Place(access=dict(access), log=folder / "requests.jsonl", folder=folder)


@asynccontextmanager
async def browsing(folder: Path, isolation: str) -> AsyncIterator[Place]:
    """The same with a browser as episodes have it."""
    settings = BrowserSettings(chromium=find_chromium())
    async with (
        episode(folder, isolation) as place,
        async_playwright() as playwright,
        launched(playwright, settings, place.access, folder / "browser") as context,
    ):
        place.context = context
        yield place
