"""Every site in Chromium, over the World as an agent meets it: walked for faults, and pictured at both sizes.

python -m tests.sites.browsing FOLDER     the contact sheets of docs/sites.md, one a site
"""

import asyncio
import io
import re
import sys
import tempfile
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from PIL import Image, ImageDraw
from playwright.async_api import BrowserContext, ConsoleMessage, Page, Response, async_playwright

from webds import config
from webds.envs.browser.engine import register
from webds.envs.browser.launch import BrowserSettings, launched
from webds.store import read_lines
from webds.tracks import archives, world
from webds.tracks.sites import Site, all_sites
from webds.tracks.world import choose_isolation

ROOT = Path(__file__).parents[2]
SIZES = ((1280, 720), (390, 844))
SHOWN = {
    "air-and-ice": ("/", "/temperature", "/ice/the-lowest-value-moved"),
    "contagion-ledger": ("/", "/maps/polio", "/diseases/measles"),
    "fever-line-list": ("/", "/years/2015", "/counties/tainan-city"),
    "grid-workbook": ("/", "/states/vermont", "/data"),
    "matchday-archive": ("/", "/seasons/1991-92", "/matchdays/2002-03-16"),
    "tent-watch": ("/", "/ratings", "/forum"),
}
"""Home and two data pages of each site."""


@asynccontextmanager
async def browsing(site: Site, size: tuple[int, int], into: Path) -> AsyncIterator[tuple[BrowserContext, Path]]:
    """A browser on this site alone, and the log of its requests."""
    isolation, _ = choose_isolation("auto")
    log = into / "requests.jsonl"
    archived = {item.name for item in archives.archived([site])}
    folders = {name: archives.folder_of(ROOT, name) for name in archived}
    settings = BrowserSettings(chromium=config.find_chromium(), width=size[0], height=size[1])
    async with (
        async_playwright() as playwright,
        world.serve(ROOT, [site], isolation, 60, folders) as served,
        served.episode("browsing", log) as access,
    ):
        await register(playwright)
        async with launched(playwright, settings, access, into / "browser") as context:
            yield context, log


async def walk(site: Site, into: Path, pages: int) -> tuple[int, list[str]]:
    """(pages opened, faults): what a walk from home meets of dead links, script errors and requests that were stopped.

    Pages of a shape not seen yet (the address without its last part) are opened first.
    """
    found: list[str] = []
    async with browsing(site, SIZES[0], into) as (context, log):
        page = context.pages[0]
        _listen(page, found)
        opened = await _walk(page, f"https://{site.host}/", pages)
    stopped = [row for row in read_lines(log) if row["outcome"] != "served" or row.get("result") == "miss"]
    return opened, found + [f"{row['url']}: {row['outcome']} {row.get('result', '')}" for row in stopped]


def _listen(page: Page, found: list[str]) -> None:
    def said(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            found.append(f"{page.url}: console: {message.text}")

    def answered(response: Response) -> None:
        if response.status >= 400:
            found.append(f"{response.url}: answers {response.status} (on {page.url})")

    page.on("console", said)
    page.on("pageerror", lambda error: found.append(f"{page.url}: script: {error}"))
    page.on("response", answered)


async def _walk(page: Page, home: str, limit: int) -> int:
    waiting, seen, shapes, opened = deque([home]), {home}, set[str](), 0
    while waiting and opened < limit:
        url = waiting.popleft()
        await page.goto(url, wait_until="load")
        opened += 1
        for link in await _links(page):
            if link in seen:
                continue
            seen.add(link)
            shape = re.sub(r"[^/]+$", "*", urlsplit(link).path)
            (waiting.append if shape in shapes else waiting.appendleft)(link)
            shapes.add(shape)
    return opened


async def _links(page: Page) -> list[str]:
    """Pages of this host that the page links to; files are for downloads."""
    named = await page.eval_on_selector_all("a[href]", "all => all.map(a => a.getAttribute('href'))")
    whole = (urljoin(page.url, str(item)).split("#")[0] for item in named)
    host = urlsplit(page.url).hostname
    inside = (link for link in whole if urlsplit(link).hostname == host)
    return [link for link in inside if "." not in urlsplit(link).path.rsplit("/", 1)[-1]]


async def pictures(site: Site, size: tuple[int, int], into: Path) -> list[Image.Image]:
    """What a visitor sees of the site's shown pages."""
    seen = []
    async with browsing(site, size, into) as (context, _):
        page = context.pages[0]
        for path in SHOWN[site.name]:
            await page.goto(f"https://{site.host}{path}", wait_until="networkidle")
            await page.evaluate("document.fonts.ready.then(() => 0)")
            seen.append(Image.open(io.BytesIO(await page.screenshot())).convert("RGB"))
    return seen


async def system_fonts(site: Site, into: Path) -> set[tuple[str, str]]:
    """(path, family) where a shown page has letters from a font of this machine and not from one of its own."""
    found: set[tuple[str, str]] = set()
    async with browsing(site, SIZES[0], into) as (context, _):
        page = context.pages[0]
        session = await context.new_cdp_session(page)
        await session.send("DOM.enable")
        await session.send("CSS.enable")
        for path in SHOWN[site.name]:
            await page.goto(f"https://{site.host}{path}", wait_until="networkidle")
            await page.evaluate("document.fonts.ready.then(() => 0)")
            whole = await session.send("DOM.getFlattenedDocument", {"depth": -1, "pierce": True})
            for node in whole["nodes"]:
                if node["nodeType"] == 1:
                    used = await session.send("CSS.getPlatformFontsForNode", {"nodeId": node["nodeId"]})
                    found |= {(path, font["familyName"]) for font in used["fonts"] if not font["isCustomFont"]}
    return found


def sheet(site: str, wide: list[Image.Image], narrow: list[Image.Image]) -> Image.Image:
    """One row: each page wide and narrow beside each other, all of one height, its address above."""
    tall, gap, top = 400, 12, 24
    scaled = [picture.resize((picture.width * tall // picture.height, tall)) for picture in [*wide, *narrow]]
    wide, narrow = scaled[: len(wide)], scaled[len(wide) :]
    width = sum(picture.width + gap for picture in scaled) + gap
    whole = Image.new("RGB", (width, tall + top + gap), "#d9d9d9")
    pen, left = ImageDraw.Draw(whole), gap
    for path, pair in zip(SHOWN[site], zip(wide, narrow, strict=True), strict=True):
        pen.text((left, 6), f"{site}.test{path}", fill="black")
        for picture in pair:
            whole.paste(picture, (left, top))
            left += picture.width + gap
    return whole


async def draw(into: Path) -> None:
    """A contact sheet of each site."""
    into.mkdir(parents=True, exist_ok=True)
    for site in all_sites(ROOT).values():
        if site.name not in SHOWN:
            continue
        seen = []
        for size in SIZES:
            with tempfile.TemporaryDirectory(prefix="webds-sheet-", ignore_cleanup_errors=True) as folder:
                seen.append(await pictures(site, size, Path(folder)))
        file = into / f"{site.name}.png"
        sheet(site.name, seen[0], seen[1]).quantize(128).save(file, optimize=True)
        print(file)


if __name__ == "__main__":
    asyncio.run(draw(Path(sys.argv[1])))
