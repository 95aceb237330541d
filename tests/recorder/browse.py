"""The product's browser on a replay: a World over one archive, and a context in it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, async_playwright

from tests.recorder.rig import FROZEN
from webds.config import find_chromium
from webds.envs.browser.launch import BrowserSettings, launched
from webds.store import read_lines
from webds.tracks.sites import Site
from webds.tracks.world import namespaces, serve
from webds.types import Params
from webds_recorder.determinism import init_script


def settings() -> BrowserSettings:
    return BrowserSettings(chromium=find_chromium())


@asynccontextmanager
async def world(root: Path, archive: Path, folder: Path, name: str = "site") -> AsyncIterator[Any]:
    """A World whose only site is this archive."""
    site = Site(name=name, folder=folder, title=name, frozen=FROZEN, serve="archive", data=())
    isolation = "none" if namespaces() else "namespace"
    async with serve(root, [site], isolation, 60, {name: archive}) as made:
        yield made


@asynccontextmanager
async def browser(made: Any, folder: Path, name: str) -> AsyncIterator[BrowserContext]:
    """One episode's browser; its log is folder/name.jsonl."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    async with made.episode(name, folder / f"{name}.jsonl") as access, async_playwright() as playwright:
        where = folder / f"browser-{name}"
        async with launched(playwright, settings(), access, where) as context:
            await context.add_init_script(init_script(clocks(access), int(access["seed"])))
            yield context


def clocks(access: Params) -> dict[str, int]:
    """Host -> frozen instant."""
    found = access["frozen"]
    assert isinstance(found, Mapping)
    return {host: int(str(instant)) for host, instant in found.items()}


def log(folder: Path, name: str) -> list[dict[str, Any]]:
    return list(read_lines(folder / f"{name}.jsonl"))
