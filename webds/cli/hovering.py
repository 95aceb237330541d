"""What a real pointer brings up on the sites: a World and a browser, opened at the first question and kept."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from webds import plugins
from webds.agents.served import appeared
from webds.errors import InputFault
from webds.ports import Environment
from webds.tracks.sites import all_sites
from webds.tracks.world import choose_isolation
from webds.types import Action, Json, Observation, Task

type Hover = Callable[[str, float, float], str]


@contextmanager
def hovering(root: Path, config: dict[str, Any]) -> Iterator[Hover]:
    """hover(url, x, y): the lines of the page that come up when the pointer rests there, in a window of 1280 x 720.

    `config` is a resolved one (webds.config). InputFault where the page is not there or the point cannot be reached.
    """
    with asyncio.Runner() as runner, tempfile.TemporaryDirectory(prefix="webds-hover-") as folder:
        pointer = _Pointer(root, config, Path(folder))
        try:
            yield lambda url, x, y: runner.run(pointer.hover(url, x, y))
        finally:
            runner.run(pointer.close())


class _Pointer:
    def __init__(self, root: Path, config: dict[str, Any], folder: Path) -> None:
        self._root = root
        self._config = {**config, "viewport": {"width": 1280, "height": 720}, "device_scale": 1}
        self._folder = folder
        self._stack = AsyncExitStack()
        self._environment: Environment | None = None
        self._page = ("", "")
        """The address that is open, and its outline before the pointer came."""

    async def hover(self, url: str, x: float, y: float) -> str:
        """Open the page if it is not, and rest the pointer."""
        if self._environment is None:
            self._environment = await self._stack.enter_async_context(self._opened(url))
        if self._page[0] != url:
            await self._act(self._environment, "hover", x=0, y=0)  # the pointer stays where it was on the page before
            self._page = (url, (await self._act(self._environment, "goto", url=url)).text)
        return appeared(self._page[1], (await self._act(self._environment, "hover", x=x, y=y)).text)

    async def _act(self, environment: Environment, name: str, **args: Json) -> Observation:
        then = await environment.act(Action(name=name, args=args))
        if then.refused:
            raise InputFault(f"{name} {args.get('url', '')}: {then.refused}")
        return then

    @asynccontextmanager
    async def _opened(self, url: str) -> AsyncIterator[Environment]:
        isolation, _ = choose_isolation(str(self._config["isolation"]))
        task = Task(id="hover", suite="web", revision=1, prompt="", start={"url": url})
        needs = {"sites": tuple(all_sites(self._root))}
        suite = plugins.make("webds.suites", "web", {"root": self._root, **self._config})
        track = plugins.make("webds.tracks", "dockerized", {"root": self._root, "isolation": isolation})
        recorder = plugins.make("webds.recorders", "files", {"folder": self._folder, "blobs": self._folder / "blobs"})
        try:
            async with (
                track.serve(needs) as world,
                world.episode("hover", self._folder / "requests.jsonl") as access,
                suite.open(task, access, recorder, self._folder / "files") as environment,
            ):
                await environment.observe()
                yield environment
        finally:
            await suite.close()

    async def close(self) -> None:
        """End browser and World."""
        await self._stack.aclose()
