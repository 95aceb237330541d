"""Run by the tripwire inside its namespace: the hostile page in a plain Chromium, or in the World's without namespace.

`python -m tests.tracks.leave plain|flags FOLDER`: prints what the page met, as JSON.
"""

import asyncio
import importlib
import json
import socket
import sys
from datetime import UTC, datetime
from pathlib import Path

import uvicorn
from playwright.async_api import Page, async_playwright

from tests.tracks.hostile import ROOT, browsing
from webds.config import find_chromium


async def probe(page: Page, url: str) -> dict[str, object]:
    await page.goto(url, wait_until="commit")
    await page.wait_for_function("globalThis.met", timeout=60_000)
    met: dict[str, object] = await page.evaluate("met")
    await page.evaluate("popup.click()")
    return met


async def plain() -> dict[str, object]:
    """No proxy, no flags, the site on this namespace's loopback."""
    sys.path.insert(0, str(ROOT))
    module = importlib.import_module("sites_docker.hostile.app")
    listener = socket.create_server(("127.0.0.1", 0))
    app = module.create_app(ROOT / "sites_docker" / "hostile", datetime(2022, 6, 24, tzinfo=UTC))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        page = await browser.new_page()
        met = await probe(page, f"http://localhost:{listener.getsockname()[1]}/?port=8080")
        await browser.close()
    server.should_exit = True
    await serving
    return met


async def flags(folder: Path) -> dict[str, object]:
    """Browser flags and proxy, but not the kernel's namespace."""
    async with browsing(folder, "none") as place:
        return await probe(place.browser.pages[0], "https://hostile.test/?port=8080")


if __name__ == "__main__":
    print(json.dumps(asyncio.run(plain() if sys.argv[1] == "plain" else flags(Path(sys.argv[2])))))
