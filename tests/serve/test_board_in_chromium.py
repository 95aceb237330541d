"""The board's pages in the real browser: axe-core, two sizes, print, filters by keyboard, links, static files."""

import json
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page

from tests.serve.board_rows import ROWS, filled
from tests.serve.test_frame import served
from tests.serve.test_pass_in_chromium import faults, with_browser
from webds.serve.board.export import export_board
from webds.serve.board.part import board_part
from webds.submit.book import Book, add_person, now, stamp
from webds_judge.grade import identity
from webds_judge.rubric.criteria import rubric_hash

PEOPLE: list[dict[str, Any]] = [
    {"team": "human:ada", "agent": "human", "model": "", "words": ["pass"] * 3 + ["fail"] + ["not_run"] * 6},
    {"team": "alpha", "figure": 0.4743, "model": "a-model-with-quite-a-long-name-2026-11-30"},
]
FIGURES = {"n": 118, "same": 107, "kappa": 0.81, "low": 0.7, "high": 0.9, "people": 3}


def books(folder: Path) -> tuple[Book, str]:
    """Books with every kind of row, and a maintainer's token."""
    book = Book(folder)
    filled(book, [*ROWS, *PEOPLE])
    with book.change() as db:
        db.execute("INSERT INTO flags (submission, kind, text, at) VALUES (3, 'steps', 't1: step 2: differs', '')")
        said = (rubric_hash(), json.dumps(FIGURES), stamp(now()))
        for judge in (identity(), "0" * 64):
            db.execute(
                "INSERT INTO agreements (judge, stamp, rubric, figures, source, who, at)"
                " VALUES ('tier1', ?, ?, ?, 'f00', 'mia', ?)",
                (judge, *said),
            )
    return book, add_person(book, "maintainers", "mia")


async def sound(page: Page, what: str, *, small: bool = False) -> None:
    """No serious fault on a laptop, or on a tablet in the dark; nothing wider than the window."""
    await page.emulate_media(color_scheme="dark" if small else "light")
    await page.set_viewport_size({"width": 820, "height": 1180} if small else {"width": 1280, "height": 720})
    assert await faults(page) == [], what
    assert await page.evaluate("document.documentElement.scrollWidth") <= (820 if small else 1280), what


async def test_pages_for_everybody(tmp_path: Path) -> None:
    book, token = books(tmp_path / "board")
    export_board(book.folder, tmp_path / "out")
    with served(board_part(book.folder, tmp_path)) as http:
        await with_browser(lambda browser: walk(browser, str(http.base_url), token, tmp_path / "out"))


async def walk(browser: Browser, base: str, token: str, out: Path) -> None:
    page = await browser.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    # axe asks for style sheets by XHR, which no page from a file may.
    page.on(
        "console", lambda said: troubles.append(said.text) if "http:" in page.url and said.type == "error" else None
    )
    await page.goto(f"{base}/board/?level=all")
    await sound(page, "board", small=True)
    await sound(page, "board")
    assert await page.locator("tr.person").all_inner_texts() != []
    assert "n = 118, kappa 0.81 [0.70, 0.90]" in await page.locator("#e1 .judge").inner_text()
    assert "stale: the judge has changed" in await page.inner_text("main")
    await prints(page)
    await by_keyboard(page, base)
    for path in ("entry/1", "entry/6", "reservations"):
        await page.goto(f"{base}/board/{path}")
        await sound(page, path, small=path == "entry/1")
    await page.goto(f"{base}/board/maintain/")
    await sound(page, "enter")
    await page.fill("#token", token)
    async with page.expect_navigation(url="**/maintain/"):
        await page.keyboard.press("Enter")
    await page.wait_for_selector("section.flagged")
    await sound(page, "maintain", small=True)
    await sound(page, "maintain")
    await page.goto((out / "index.html").as_uri())
    await follow(page, "text=Reported too, of graded tasks")
    await sound(page, "reported.html")
    await follow(page, "#e3 a")
    assert "gamma" in await page.inner_text("h1")
    await sound(page, "entry-3.html")
    assert troubles == []


def _of_server(page: Page, kind: str) -> bool:
    return kind == "error" and page.url.startswith("http:")


async def prints(page: Page) -> None:
    """Black on white, without controls, nothing cut off; every mark is told by its form, not by a colour."""
    await page.emulate_media(media="print", color_scheme="dark")
    await page.set_viewport_size({"width": 1040, "height": 700})
    seen: dict[str, Any] = await page.evaluate(
        """() => ({
            wide: [...document.querySelectorAll('.scroll, .scroll table')].map(e => e.getBoundingClientRect().right),
            ink: getComputedStyle(document.querySelector('.chart text')).fill,
            form: document.querySelector('form').checkVisibility(),
            colours: [...new Set([...document.querySelectorAll('.chart .full, .chart .hollow, .chart .whisker')]
                .map(e => getComputedStyle(e).stroke))],
        })"""
    )
    assert max(seen["wide"]) <= 1040
    assert (seen["ink"], seen["form"], seen["colours"]) == ("rgb(0, 0, 0)", False, ["rgb(0, 0, 0)"])
    forms = await page.locator(".marks li").all_inner_texts()
    assert {"reported", "replayed", "re-run", "people"} <= {text.strip() for text in forms}
    await page.emulate_media(media="screen", color_scheme="light")
    await page.set_viewport_size({"width": 1280, "height": 720})


async def follow(page: Page, link: str) -> None:
    """Click a link and wait until its page has loaded: text read before the style sheet comes has other line ends."""
    async with page.expect_navigation():
        await page.click(link)


async def by_keyboard(page: Page, base: str) -> None:
    """A filter chosen without a mouse, and the permanent link of what it shows."""
    await page.focus("select[name=level]")
    await page.keyboard.type("re-run")
    await page.focus("select[name=denominator]")
    await page.keyboard.type("all tasks")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**denominator=strict")
    before = await page.locator(".entries").all_inner_texts()
    await follow(page, "text=Permanent link to this view")
    assert page.url == f"{base}/board/?level=re-run&denominator=strict"
    assert await page.locator(".entries").all_inner_texts() == before
    assert await page.locator("select[name=level]").input_value() == "re-run"
    assert "=1+1" in before[0]
