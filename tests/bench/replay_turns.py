"""Pages in one Chromium through our replay and through stock server_replay, in turns: which of the two is quicker?

Rounds of minutes cannot tell on a machine that does other work (0.37 to 1.23 in five rounds, tried); turns of one page
can.
"""

import statistics
import tempfile
import time
from pathlib import Path

from playwright.async_api import Page, async_playwright

from tests.bench import replay_fronts as fronts
from tests.bench import replay_site as site
from webds.config import find_chromium
from webds_recorder.proxy import spki_hash


async def turns(archive: Path, pages: int, size: int) -> None:
    """Show pages a second of both, and ours over stock, from the median time of a page. `size`: pages of the site."""
    with tempfile.TemporaryDirectory(prefix="webds-bench-") as name:
        folder = Path(name)
        flows = fronts.flows_of(archive, folder / "flows")
        words = fronts.stock(folder, flows)
        async with fronts.ours(folder, archive) as ours, fronts.child("stock", words, folder / "stock") as stock:
            spent = await _browse({"ours": ours, "stock": stock}, pages, size)
    seconds = {name: statistics.median(times) for name, times in spent.items()}
    rates = {name: round(1 / value, 3) for name, value in seconds.items()}
    value = round(seconds["stock"] / seconds["ours"], 3)
    fronts.show({"figure": "pages a second in turns, ours over stock (bar 1)", "value": value, "pages": pages, **rates})


async def _browse(both: dict[str, fronts.Front], pages: int, size: int) -> dict[str, list[float]]:
    keys = ",".join(spki_hash(front.ca / "mitmproxy-ca-cert.pem") for front in both.values())
    flags = [f"--ignore-certificate-errors-spki-list={keys}", "--no-sandbox", "--disable-dev-shm-usage"]
    spent: dict[str, list[float]] = {name: [] for name in both}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(""), args=flags)
        tabs = {
            name: await (await browser.new_context(proxy={"server": front.proxy})).new_page()
            for name, front in both.items()
        }
        order = list(both)
        for number in range(pages):
            for name in order:
                spent[name].append(await _load(tabs[name], f"https://{site.HOST}/p{number % size}/"))
            order.reverse()
        await browser.close()
    return spent


async def _load(page: Page, url: str) -> float:
    began = time.perf_counter()
    await page.goto(url)
    await page.wait_for_function("document.title === 'done'")
    return time.perf_counter() - began
