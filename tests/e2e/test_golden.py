"""Golden replay: every archived site's tour, twenty times, each time the same outlines, pictures and no miss.

The site's app never starts (only the archive is served) and the machine's other core is kept busy. On a difference
the test prints both outlines and keeps both pictures.
"""

import json
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from webds import config
from webds.envs.browser.driver import Driver
from webds.envs.browser.launch import BrowserSettings
from webds.tracks import archives, world
from webds.tracks.sites import Site, all_sites
from webds.tracks.world import choose_isolation
from webds.types import Action, Observation
from webds_recorder.archive import ArchiveReader
from webds_recorder.trajectory import TrajectoryRecorder

ROOT = Path(__file__).parents[2]
SITES = archives.archived(all_sites(ROOT).values())
REPLAYS, PAGES = 20, 6
type Tour = list[tuple[str, str, str]]


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    """Archives that changed code has outdated are built here: inside a test's event loop they cannot be."""
    archives.ensure(ROOT, SITES, print)


def tour_of(folder: Path) -> list[str]:
    """Home and pages evenly spread over the archive, in the order of their addresses."""
    with ArchiveReader(folder) as archive:
        pages = sorted(
            row.request.url
            for row in archive.rows()
            if row.status == 200 and any(k.lower() == "content-type" and "text/html" in v for k, v in row.headers)
        )
    step = max(1, len(pages) // PAGES)
    return pages[::step][:PAGES]


def spin(stop: str) -> None:
    while not Path(stop).exists():
        sum(range(10_000))


@contextmanager
def busy(tmp_path: Path) -> Iterator[None]:
    stop = tmp_path / "stop"
    process = multiprocessing.get_context("spawn").Process(target=spin, args=(str(stop),))
    process.start()
    try:
        yield
    finally:
        stop.touch()
        process.join(20)


async def tour(driver: Driver, site: Site, isolation: str, into: Path, urls: list[str]) -> Tour:
    """(address, outline, picture digest) of each page, in a fresh browser of a fresh episode."""
    folder = archives.folder_of(ROOT, site.name)
    into.mkdir()
    recorder = TrajectoryRecorder(into, into.parent / "blobs")
    seen: Tour = []
    async with (
        world.serve(ROOT, [site], isolation, 60, {site.name: folder}) as served,
        served.episode("golden", into / "requests.jsonl") as access,
        driver.open(access, recorder, into / "files", urls[0]) as browser,
    ):
        # An episode looks before it acts: a page that is left before its scripts ran would not have counted the view.
        got: Observation = await browser.observe()
        seen.append((urls[0], got.text, got.image))
        for url in urls[1:]:
            got = await browser.act(Action(name="goto", args={"url": url}))
            seen.append((url, got.text, got.image))
    rows = [json.loads(line) for line in (into / "requests.jsonl").read_text().splitlines()]
    assert [row["url"] for row in rows if row.get("result") == "miss"] == []
    return seen


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
async def test_twenty_replays_are_one(site: Site, tmp_path: Path) -> None:
    archives.ensure(ROOT, [site], print)
    urls = tour_of(archives.folder_of(ROOT, site.name))
    isolation, _ = choose_isolation("auto")
    driver = Driver(BrowserSettings(chromium=config.find_chromium()), {"page": 30, "settle": 5}, ahead=False)
    await driver.start()
    try:
        with busy(tmp_path):
            first = await tour(driver, site, isolation, tmp_path / "0", urls)
            for number in range(1, REPLAYS):
                again = await tour(driver, site, isolation, tmp_path / str(number), urls)
                for before, after in zip(first, again, strict=True):
                    assert before[1] == after[1], f"{before[0]}\n{before[1]}\n--- replay {number}\n{after[1]}"
                    pictures = [tmp_path / "blobs" / name[:2] / name for name in (before[2], after[2])]
                    assert before[2] == after[2], f"{before[0]}: pictures {pictures}"
    finally:
        await driver.close()
