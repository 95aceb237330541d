"""Agent `human`: page and panel are driven by trusted mouse and keyboard events, as a person's would come."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from webds.agents import human
from webds.agents.selftest import FIXTURE, examine
from webds.config import find_chromium
from webds.envs.browser.person import Person, attended
from webds.episode import Spec, run
from webds.store import commit, read_lines, read_try
from webds.suites import web
from webds.tracks.sites import pick
from webds.tracks.world import choose_isolation, serve
from webds.types import Evidence
from webds_recorder.trajectory import TrajectoryRecorder

type Doing = Callable[[Page, Page], Awaitable[None]]


async def press(page: Page, words: str) -> None:
    box = await page.locator(words).first.bounding_box()
    assert box is not None
    await page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


async def hand_in(panel: Page, answer: str) -> None:
    await panel.fill("#answer", answer)
    await panel.click("#submit")


async def read(page: Page, panel: Page) -> None:
    assert "river Dunmore" in await panel.inner_text("#prompt_")
    await panel.click("#submit")
    assert "Write an answer" in await panel.inner_text("#said")
    await hand_in(panel, await page.inner_text("tr:has-text('Dunmore') td:last-child"))


async def form(page: Page, panel: Page) -> None:
    await press(page, "a:text('Search')")
    await press(page, "input[name=river]")
    await page.keyboard.type("brane")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("p:has-text('tributaries')")
    await hand_in(panel, (await page.inner_text("p")).split()[1])


async def file(page: Page, panel: Page) -> None:
    await press(page, "a:text('Files')")
    await press(page, "a:text('Gauges')")
    work = Path(await panel.inner_text("#work"))
    while not (work / "gauges.csv").exists():
        await asyncio.sleep(0.1)
    rows = [line.split(",") for line in (work / "gauges.csv").read_text().splitlines()[1:]]
    await hand_in(panel, str(sum(float(row[2]) for row in rows) / len(rows)))


async def leave(page: Page, panel: Page) -> None:
    await panel.click("#leave")


async def episode(task: str, doing: Doing, folder: Path, needs: tuple[str, ...], monkeypatch: Any) -> Evidence:
    """One episode with a person who does as `doing` says."""
    busy: list[asyncio.Task[None]] = []

    @asynccontextmanager
    async def met(context: Any, prompt: str, work: Path) -> AsyncIterator[tuple[str, Person]]:
        async with attended(context, prompt, work) as (endpoint, person):
            assert person.panel is not None
            busy.append(asyncio.ensure_future(doing(context.pages[0], person.panel)))
            yield endpoint, person

    monkeypatch.setattr(web, "attended", met)
    suite = web.Web({"root": FIXTURE, "chromium": find_chromium(), "agent_needs": needs, "launch_ahead": False})
    about = next(item for item in suite.tasks() if item.id == task)
    sites = pick(FIXTURE, ["three-pages"])
    recorder = TrajectoryRecorder(folder, folder / "blobs")
    spec = Spec(task=about, repeat=0, attempt=1, folder=folder)
    async with serve(FIXTURE, sites, choose_isolation("auto")[0], 60) as world:
        evidence = await run(spec, suite, world, human.Human(), recorder, "human")
        await suite.close()
    await asyncio.gather(*busy)
    return evidence


LONG = pytest.mark.long


@pytest.mark.parametrize(
    ("task", "doing", "answer", "steps"),
    [
        pytest.param("check-read", read, "233", ["submit"], marks=LONG),
        ("check-form", form, "55", ["click", "click", "fill", "press", "submit"]),
        pytest.param("check-file", file, "4.0", ["click", "click", "submit"], marks=LONG),
        pytest.param("check-read", leave, "", [], marks=LONG),
    ],
)
async def test_what_a_person_does_becomes_steps(
    task: str, doing: Doing, answer: str, steps: list[str], tmp_path: Path, monkeypatch: Any
) -> None:
    folder = tmp_path / "try-1"
    folder.mkdir()
    evidence = await episode(task, doing, folder, ("person",), monkeypatch)
    assert evidence.answer == answer, evidence.why
    rows = list(read_lines(folder / "trajectory.jsonl"))
    assert [row["did"]["name"] for row in rows] == steps
    assert all(row["did"]["args"].get("id") for row in rows if row["did"]["name"] in ("click", "fill"))
    commit(folder, evidence)
    assert examine(read_try(folder)).wrong == ()


@LONG
async def test_in_a_window(tmp_path: Path, monkeypatch: Any) -> None:
    program = shutil.which("Xvfb")
    if program is None:
        pytest.skip("Xvfb is not installed")
    reader, writer = os.pipe()
    words = [program, "-displayfd", str(writer), "-screen", "0", "1400x900x24", "-nolisten", "tcp"]
    server = subprocess.Popen(words, pass_fds=(writer,), stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        monkeypatch.setenv("DISPLAY", f":{os.read(reader, 20).decode().strip()}")
        folder = tmp_path / "try-1"
        folder.mkdir()
        evidence = await episode("check-form", form, folder, ("person", "window"), monkeypatch)
        assert (evidence.answer, evidence.why) == ("55", "")
    finally:
        os.close(reader)
        server.terminate()
        server.wait(10)


def test_without_a_display_it_is_one_line() -> None:
    from tests.e2e.runs import webds

    done = webds("agents", "check", "human", root=None)
    assert done.returncode == 2
    assert done.stderr.startswith("webds: agent human: no display: DISPLAY is not set")
