"""What a real pointer brings up on the sites: a World and a browser a site, opened at the first question and kept.

The site is served by its app, as the validator's other evidence is read from its app: an archive may not be built yet.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from webds import config as settings
from webds import plugins, scratch
from webds.agents.served import appeared
from webds.errors import Fault, InputFault
from webds.ports import Environment
from webds.tracks.sites import pick
from webds.tracks.world import choose_isolation, serve
from webds.types import Action, Json, Observation, Task

_START_SECONDS = 90.0

type Hover = Callable[[str, float, float], str]


@contextmanager
def hovering(root: Path, config: dict[str, Any]) -> Iterator[Hover]:
    """hover(url, x, y): the lines of the page that come up when the pointer rests there, in a window of 1280 x 720.

    `config` is a resolved one (webds.config). InputFault where the page is not there or the point cannot be reached.
    """
    with scratch.home() as home, asyncio.Runner() as runner:
        folder = home / "hover"
        folder.mkdir()
        pointer = _Pointer(root, config, folder)
        try:
            yield lambda url, x, y: runner.run(pointer.hover(url, x, y))
        finally:
            runner.run(pointer.close())


@contextmanager
def pointer(root: Path, file: Path | None, *, wanted: bool = True) -> Iterator[Hover | None]:
    """`hovering` under the configuration of `file`; None where no pointer is `wanted`."""
    if not wanted:
        yield None
        return
    resolved = settings.resolve(file, ())
    resolved["chromium"] = settings.find_chromium(resolved["chromium"])
    with hovering(root, resolved) as hover:
        yield hover


class _Pointer:
    def __init__(self, root: Path, config: dict[str, Any], folder: Path) -> None:
        self._root = root
        self._config = {**config, "viewport": {"width": 1280, "height": 720}, "device_scale": 1}
        self._folder = folder
        self._stack = AsyncExitStack()
        self._environment: Environment | None = None
        self._host = ""
        self._broken = ""
        self._page = ("", "")
        """The address that is open, and its outline before the pointer came."""

    async def hover(self, url: str, x: float, y: float) -> str:
        """Open the page if it is not, and rest the pointer."""
        environment = await self._at(url)
        if self._page[0] != url:
            await _act(environment, "hover", x=0, y=0)  # the pointer stays where it was on the page before
            self._page = (url, (await _act(environment, "goto", url=url)).text)
        return appeared(self._page[1], (await _act(environment, "hover", x=x, y=y)).text)

    async def _at(self, url: str) -> Environment:
        """The environment on the address's site. What kept one from opening is not tried again for every tip."""
        host = urlsplit(url).hostname or ""
        if self._broken:
            raise InputFault(self._broken)
        if self._environment is None or host != self._host:
            await self.close()
            self._host = host
            try:
                self._environment = await self._stack.enter_async_context(self._opened(url))
            except Fault as error:
                self._broken = f"no browser to see tips with: {error}"
                raise
        return self._environment

    @asynccontextmanager
    async def _opened(self, url: str) -> AsyncIterator[Environment]:
        isolation, _ = choose_isolation(str(self._config["isolation"]))
        task = Task(id="hover", suite="web", revision=1, prompt="", start={"url": url})
        sites = pick(self._root, [self._host.removesuffix(".test")])
        suite = plugins.make("webds.suites", "web", {"root": self._root, **self._config})
        recorder = plugins.make("webds.recorders", "files", {"folder": self._folder, "blobs": self._folder / "blobs"})
        try:
            async with (
                serve(self._root, sites, isolation, _START_SECONDS) as world,
                world.episode("hover", self._folder / "requests.jsonl") as access,
                suite.open(task, access, recorder, self._folder / "files") as environment,
            ):
                await environment.observe()
                yield environment
        finally:
            await suite.close()

    async def close(self) -> None:
        """End browser and World."""
        self._environment, self._page = None, ("", "")
        await self._stack.aclose()


async def _act(environment: Environment, name: str, **args: Json) -> Observation:
    then = await environment.act(Action(name=name, args=args))
    if then.refused:
        raise InputFault(f"{name} {args.get('url', '')}: {then.refused}")
    return then
