"""T2: four and eight episodes in one process and one program, forty looks at once; no cross-talk, nothing is left."""

import asyncio
import gc
import os
import tempfile
from pathlib import Path

import pytest

from tests.envs import opened
from webds.config import find_chromium
from webds.envs.browser.driver import Driver
from webds.envs.browser.launch import BrowserSettings
from webds.types import Action

pytestmark = pytest.mark.asyncio


def children() -> set[int]:
    """All processes below this one."""
    found, todo = set(), [os.getpid()]
    for process in todo:
        for file in Path(f"/proc/{process}/task").glob("*/children"):
            todo.extend(int(word) for word in file.read_text().split())
    found.update(todo[1:])
    return found


async def one(world, driver: Driver, folder: Path, name: str, looks: int) -> None:
    async with opened.browser(world, folder, f"https://pages.test/cookie?set={name}", name, driver) as browser:
        await browser.act(Action(name="goto", args={"url": "https://pages.test/cookie"}))
        seen = await asyncio.gather(*(browser.observe() for _ in range(looks)))
        assert all(f"cookie: {name}" in each.text for each in seen)
        assert len({each.text for each in seen}) == 1
        await browser.act(Action(name="goto", args={"url": "/file/book.xlsx"}))
        assert [path.name for path in browser.work.iterdir()] == ["Annual book.xlsx"]


@pytest.mark.parametrize(("episodes", "looks"), [(4, 10), pytest.param(8, 5, marks=pytest.mark.long)])
async def test_forty_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, episodes: int, looks: int) -> None:
    private = tmp_path / "tmp"  # other runs on this machine have temporary folders of their own
    private.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    monkeypatch.setenv("TMPDIR", str(private))
    processes = children()
    async with opened.world() as world:
        driver = Driver(BrowserSettings(chromium=find_chromium()), opened.LIMITS)
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(episodes):
                    name = f"episode{number}"
                    group.create_task(one(world, driver, tmp_path / name, name, looks))
        finally:
            await driver.close()
    gc.collect()
    assert {pid: Path(f"/proc/{pid}/cmdline").read_bytes()[:200] for pid in children() - processes} == {}
    assert list(private.iterdir()) == []
