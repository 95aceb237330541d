"""The kit's scripts in a real browser: notices show and go, search finds what `Index.find` finds."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uvicorn
from playwright.async_api import Page, async_playwright

from sites_docker.kit.facts import read_facts
from sites_docker.kit.new import new_site
from sites_docker.kit.noise import Noise
from sites_docker.kit.pages import Pages, make_app
from sites_docker.kit.search import Entry, Index
from webds.config import find_chromium, is_root


@asynccontextmanager
async def window(app: Any) -> AsyncIterator[tuple[Page, str, list[str]]]:
    """A window of 1280 x 720 on an app served on loopback: page, base address, and what the console complains of."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    wrong: list[str] = []
    try:
        async with async_playwright() as driver:
            flags = ["--no-sandbox"] if is_root() else []
            browser = await driver.chromium.launch(executable_path=find_chromium(), args=flags)
            page = await browser.new_page(viewport={"width": 1280, "height": 720})
            page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
            page.on("pageerror", lambda error: wrong.append(str(error)))
            yield page, f"http://127.0.0.1:{listener.getsockname()[1]}", wrong
            await browser.close()
    finally:
        server.should_exit = True
        await serving
        listener.close()


ENTRIES = (
    Entry(title="Übersicht", url="/u", rank=1),
    Entry(title="São Tomé: measles", url="/s", text="2019 island", rank=2),
    Entry(title="Measles", url="/m", note="São Tomé among others", rank=9),
    Entry(title="Measles", url="/second", rank=9),
    Entry(title="ﬁne print", url="/f", text="tome measles"),
)


async def test_notices_and_search_in_a_browser(tmp_path: Path) -> None:
    new_site(tmp_path, "paper-mill", "Paper Mill", 31, "industry")
    folder = tmp_path / "sites_docker" / "paper_mill"
    noise = Noise(cookies="bar", newsletter_after=2, interstitial=("/search",))
    facts = read_facts(folder, datetime(2024, 3, 15, tzinfo=UTC))
    index = Index(ENTRIES)
    async with window(make_app(Pages(facts, (("/", "Home"),), noise), [], index)) as (page, base, wrong):
        await page.goto(f"{base}/search?q=x")
        assert await page.locator("#cookies").is_visible()
        assert not await page.locator("#newsletter").is_visible()
        await page.get_by_role("button", name="Continue to the page").click()
        await page.get_by_role("button", name="Close cookie notice").click()
        for query in ("measles", "SAO tome", "tome", "ubersicht", "fine", "2019 measles", "none such"):
            await page.goto(f"{base}/search?q={query}")
            await page.locator(".search-said").filter(has_text="for").wait_for()
            found = await page.locator(".search-list a").evaluate_all("all => all.map((a) => a.getAttribute('href'))")
            assert found == [entry.url for entry in index.find(query)], query
        assert not await page.locator("#cookies").is_visible()
        assert await page.locator("#newsletter").is_visible()
        await page.get_by_role("button", name="No, thank you").click()
        await page.goto(f"{base}/search?q=x")
        assert not await page.locator("#newsletter").is_visible()
        assert not await page.locator("#interstitial").is_visible()
        assert wrong == []
