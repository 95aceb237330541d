"""A whole pass in the real browser: two people by keyboard, a killed server, a closed tab, a third who settles."""

import asyncio
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Page, async_playwright

from tests.annotate.build_plan import AGENT, MODEL, SECRET, add_files, make_plan, make_run
from webds.annotate.book import Book
from webds.annotate.export import label_rows
from webds.annotate.people import invite
from webds.annotate.report import report

AXE = (Path(__file__).parent / "vendor" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
ITEMS = 20
# What each would say of task n: they agree but for every fifth, and both are against the typed judge on every seventh.
JUDGE: list[bool | None] = [n % 2 == 0 for n in range(ITEMS)]
WAIT = 60_000


def said(alias: str, number: int) -> str:
    word = bool(JUDGE[number]) is not (number % 7 == 0)
    if alias == "ben" and number % 5 == 0:
        word = not word
    return "pass" if word else "fail"


class Server:
    """`webds serve` as a process on one port, that can be killed and started again."""

    def __init__(self, plan: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        self._words = [
            sys.executable,
            "-m",
            "webds",
            "serve",
            "--quiet",
            "--annotate",
            str(plan),
            "--port",
            str(self.port),
        ]
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(self._words, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        assert self._process.stdout.readline().startswith("serving ")

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._end()

    def stop(self) -> None:
        self._process.terminate()
        self._end()

    def _end(self) -> None:
        self._process.wait(30)
        assert self._process.stdout is not None
        self._process.stdout.close()


@dataclass
class Rater:
    """A person at a keyboard. `labelled`: what was said of each task, in order. `bodies`: all that the server sent."""

    alias: str
    context: BrowserContext
    page: Page
    labelled: list[tuple[int, str]] = field(default_factory=list)
    bodies: list[tuple[str, str]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @classmethod
    async def begin(cls, browser: Browser, server: Server, book: Book, alias: str, role: str = "rater") -> "Rater":
        context = await browser.new_context(viewport={"width": 1280, "height": 800})
        context.set_default_timeout(WAIT)
        rater = cls(alias, context, await context.new_page())
        rater.watch()
        await rater.page.goto(f"{server.base}/annotate/enter#{invite(book, alias, role, 1, time.time())}")
        await rater.page.keyboard.press("Enter")
        await rater.page.wait_for_url("**/annotate/")
        return rater

    def watch(self) -> None:
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))

    async def first(self) -> None:
        await self.page.keyboard.press("Enter")
        await self.page.wait_for_url(re.compile(r"/items/|state="))

    async def ready(self) -> int:
        """Wait until the item's page runs; the number of its task."""
        await self.page.wait_for_function("() => document.getElementById('shortcuts')?.textContent.includes('on')")
        self.bodies.append((self.page.url, await self.page.content()))
        found = re.search(r"Question (\d+):", await self.page.locator("#trail").inner_text())
        assert found is not None
        return int(found[1])

    async def fill(self, word: str) -> None:
        for key in (word[0], "5" if word == "pass" else "2", "Shift+Digit1", "."):
            await self.page.keyboard.press(key)

    async def label(self) -> None:
        """One item by keyboard, until the server has it."""
        number = await self.ready()
        word = said(self.alias, number)
        before = self.page.url
        await self.fill(word)
        await self.page.keyboard.press("s")
        await self.page.wait_for_function("before => location.href !== before", arg=before)
        self.labelled.append((number, word))

    async def work(self, most: int = 1000) -> None:
        """Label until nothing is left, or `most` items; where others hold what is left, look again."""
        while most:
            if "/items/" in self.page.url:
                await self.label()
                most -= 1
            elif "state=wait" in self.page.url:
                await self.page.goto(self.page.url.partition("?")[0])
                await self.first()
            else:
                return


@pytest.fixture
def book(tmp_path: Path) -> Book:
    run = make_run(tmp_path / "run", JUDGE, rubric={3: True})
    add_files(run, 1, {"data.csv": b"year,twh\n1999,4\n"})
    return make_plan(tmp_path, tmp_path / "plan", run, double=0.2)


@pytest.fixture
def server(book: Book) -> Iterator[Server]:
    server = Server(book.folder)
    yield server
    server.stop()


async def with_browser(does: Any) -> None:
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no chromium on PATH")
    async with async_playwright() as play:
        browser = await play.chromium.launch(executable_path=found, args=["--no-sandbox"])
        try:
            await does(browser)
        finally:
            await browser.close()


@pytest.mark.long
async def test_two_people_a_killed_server_and_a_third_who_settles(book: Book, server: Server) -> None:
    people: list[Rater] = []

    async def go(browser: Browser) -> None:
        ada, ben = [await Rater.begin(browser, server, book, alias) for alias in ("ada", "ben")]
        people.extend((ada, ben))
        await asyncio.gather(ada.first(), ben.first())
        await asyncio.gather(ada.work(6), ben.work(5))
        await killed_between(ada, ben, server)
        await asyncio.gather(ada.work(), ben.work())
        eve = await Rater.begin(browser, server, book, "eve", "adjudicator")
        people.append(eve)
        await eve.first()
        await eve.work()

    await with_browser(go)
    check_nothing_lost(book, people)
    check_figures(book, people)
    check_blind(people)


async def killed_between(ada: Rater, ben: Rater, server: Server) -> None:
    """The server dies while both have filled in an item. Ada saves and closes the tab; Ben saves and waits."""
    numbers = [await rater.ready() for rater in (ada, ben)]
    words = [said(rater.alias, number) for rater, number in zip((ada, ben), numbers, strict=True)]
    for rater, word in zip((ada, ben), words, strict=True):
        await rater.fill(word)
    server.kill()
    before = ben.page.url
    for rater in (ada, ben):
        await rater.page.keyboard.press("s")
        await rater.page.wait_for_function(
            "() => document.getElementById('status').textContent.includes('does not answer')"
        )
    await ada.page.close()
    server.start()
    await ben.page.wait_for_function("before => location.href !== before", arg=before)
    ada.page = await ada.context.new_page()
    ada.watch()
    await ada.page.goto(f"{server.base}/annotate/")
    await ada.page.wait_for_function("() => document.getElementById('status').textContent.includes('saved now')")
    for rater, number, word in zip((ada, ben), numbers, words, strict=True):
        rater.labelled.append((number, word))
    await ada.page.reload()
    await ada.first()


def check_nothing_lost(book: Book, people: list[Rater]) -> None:
    kept = Counter((row["rater"], row["episode"], row["label"]) for row in label_rows(book))
    expected = Counter((f"human:{p.alias}", f"t{number}~0", word) for p in people for number, word in p.labelled)
    assert kept == expected
    assert max(kept.values()) == 1
    first = {number for p in people[:2] for number, _ in p.labelled}
    assert first == set(range(ITEMS))
    assert [p.faults for p in people] == [[], [], []]


def check_figures(book: Book, people: list[Rater]) -> None:
    """The report against the same figures computed here from what was pressed."""
    ada, ben, eve = (dict(p.labelled) for p in people)
    both = [(ada[n], ben[n]) for n in sorted(ada.keys() & ben.keys())]
    n, same = len(both), sum(a == b for a, b in both)
    found = report(book)["figures"]["people"]
    assert (found["percent"]["n"], found["percent"]["passes"]) == (n, same)
    assert n >= 4
    share_a, share_b = (sum(pair[k] == "pass" for pair in both) / n for k in (0, 1))
    chance = share_a * share_b + (1 - share_a) * (1 - share_b)
    assert found["kappa"]["value"] == pytest.approx((same / n - chance) / (1 - chance))
    mean = (share_a + share_b) / 2
    expected = 2 * mean * (1 - mean)
    assert found["ac1"]["value"] == pytest.approx((same / n - expected) / (1 - expected))
    assert set(eve) == {number for number in ada.keys() & ben.keys() if ada[number] != ben[number]}
    # Every item whose first label is against the judge was labelled twice.
    for number in set(ada) ^ set(ben):
        word = ada.get(number) or ben[number]
        assert (word == "pass") is bool(JUDGE[number])
    truth = {**ada, **{k: v for k, v in ben.items() if k not in ada}, **eve}
    judged = report(book)["figures"]["judges"]["tier1"]
    right = sum((truth[k] == "pass") is bool(JUDGE[k]) for k in truth)
    assert (judged["percent"]["n"], judged["percent"]["passes"]) == (ITEMS, right)


def check_blind(people: list[Rater]) -> None:
    hidden = [AGENT, MODEL, SECRET, "scripted", "tier1", "run-zebra"]
    for person in people:
        others = [p.alias for p in people if p is not person]
        assert person.bodies
        for where, body in person.bodies:
            words = [
                w for w in (*hidden, *others) if re.search(rf"(?<![a-z]){re.escape(w.lower())}(?![a-z])", body.lower())
            ]
            assert not words, (person.alias, where, words)


async def test_a_rater_by_keyboard_and_what_axe_finds(book: Book, server: Server) -> None:
    """Every field by its key; no serious fault on any page, on a laptop and on a tablet, light and dark."""

    async def go(browser: Browser) -> None:
        ada = await Rater.begin(browser, server, book, "ada")
        page = ada.page
        assert await faults(page) == []
        await ada.first()
        await ada.ready()
        for key in ("f", "2", "Shift+Digit1", "Shift+Digit2", "Shift+Digit2", "i", "x", "r", ".", "d"):
            await page.keyboard.press(key)
        await page.keyboard.press("c")
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Escape")
        await page.keyboard.press("n")
        await page.keyboard.type("pfu 12 s")
        await page.keyboard.press("Escape")
        await page.wait_for_function("() => document.getElementById('reference-text').textContent.trim()")
        for width, height, scheme in ((1280, 800, "light"), (1024, 768, "dark"), (768, 1024, "light")):
            await page.set_viewport_size({"width": width, "height": height})
            await page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            assert await faults(page) == [], (width, scheme)
            assert await page.evaluate("document.documentElement.scrollWidth") <= width
        await page.keyboard.press("m")
        assert await page.locator("#zoom img").is_visible()
        assert await faults(page) == []
        await page.keyboard.press("Escape")
        before = page.url
        await page.keyboard.press("Control+Enter")
        await page.wait_for_function("before => location.href !== before", arg=before)
        await ada.ready()
        await page.keyboard.press("b")
        await page.wait_for_url(before)
        assert ada.faults == []

    await with_browser(go)
    row = label_rows(book)[0]
    names = list(row["criteria"])
    assert (row["label"], row["stars"], row["failure"], row["note"]) == ("fail", 2, "grounding-perception", "pfu 12 s")
    assert (row["criteria"][names[0]], row["criteria"][names[1]], row["criteria"][names[2]]) == (True, False, None)
    assert (row["injection"], row["flagged"], row["reference_opened"]) == (True, True, True)


async def faults(page: Page) -> list[str]:
    """Serious and critical faults that axe-core finds."""
    await page.evaluate(AXE)
    found = await page.evaluate(
        "axe.run(document, {resultTypes: ['violations']}).then(r => JSON.stringify(r.violations))"
    )
    return [f"{v['id']}: {[node['html'][:120] for node in v['nodes'][:3]]}" for v in json.loads(found)
            if v["impact"] in ("serious", "critical")]  # fmt: skip
