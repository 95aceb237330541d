"""What the agent sees of the browser: a text outline with ids, a screenshot, and what the last action brought."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Error, Page

_WALKER = Path(__file__).with_name("walker.js").read_text(encoding="utf-8")
OUTLINE_CHARS = 16_000
TABLE_ROWS = 12
"""A longer table shows its head and tail only."""


@dataclass(frozen=True, slots=True)
class Outline:
    """Text with `[id]` marks, and for each id its role, name and box (x, y, width, height in CSS pixels)."""

    text: str
    marks: Mapping[str, Any]


async def outline(page: Page) -> Outline:
    """Walk every frame of `page`. A frame that is going away is left out."""
    texts: list[str] = []
    marks: dict[str, Any] = {}
    for number, frame in enumerate(page.frames):
        try:
            options = {"limit": OUTLINE_CHARS, "rows": TABLE_ROWS, "first": number * 100_000 + 1}
            seen = await frame.evaluate(_WALKER, options)
        except Error:
            if frame is page.main_frame:
                raise
            continue
        if number:
            texts.append(f"frame {frame.url}")
        texts.append(seen["text"])
        marks.update(seen["marks"])
    return Outline("\n".join(texts)[: OUTLINE_CHARS * 2], marks)


async def settle(page: Page, seconds: float) -> str:
    """Wait until the page is quiet, at most `seconds`; says which of the two it was."""
    try:
        await page.wait_for_load_state("load", timeout=seconds * 1000)
        await page.evaluate(_QUIET, seconds * 1000)
    except Error as error:
        return "limit" if "Timeout" in str(error) else "quiet"
    return "quiet"


_QUIET = """(most) => new Promise((done) => {
  let timer;
  const end = () => { watch.disconnect(); done(); };
  const watch = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(end, 40); });
  watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  timer = setTimeout(end, 40);
  setTimeout(end, most);
})"""


def head(page_url: str, title: str, downloads: Sequence[Mapping[str, Any]], dialogs: Sequence[str]) -> str:
    """The lines above the outline."""
    lines = [f"url: {page_url}", f"title: {title}"]
    lines += [f"dialog answered: {text}" for text in dialogs]
    lines += [f"download: {d['name']} ({d['size']} bytes, sha256 {str(d['sha256'])[:12]})" for d in downloads]
    return "\n".join(lines)
