"""Screenshots: the window or the whole page, with the ids drawn over the elements where the run's settings say so."""

import asyncio
import base64
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PIL import Image, ImageDraw
from playwright.async_api import CDPSession, Error, Page

MOST_HEIGHT = 12_000
"""CSS pixels of a full-page screenshot; what lies below is left out."""
_COLOURS = ("#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#8c564b", "#e377c2")


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureSettings:
    """`scale` is device pixels a CSS pixel; `full_page` and `marks` are switches of the run."""

    full_page: bool = False
    marks: bool = False
    scale: float = 1


async def screenshot(page: Page, session: CDPSession | None, settings: PictureSettings, seconds: float) -> bytes:
    """PNG bytes; empty if the page cannot be drawn in time, as under a script that never yields."""
    clip: Any = None
    try:
        if settings.full_page:
            wide, tall = await page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
            )
            clip = {"x": 0, "y": 0, "width": max(int(wide), 1), "height": min(max(int(tall), 1), MOST_HEIGHT)}
        async with asyncio.timeout(seconds):
            return await page.screenshot(
                animations="disabled", caret="hide", full_page=settings.full_page, clip=clip, timeout=seconds * 1000
            )
    except (Error, TimeoutError):
        return await _plain(session, seconds)


async def _plain(session: CDPSession | None, seconds: float) -> bytes:
    """Without waiting for fonts and animations, which may never come."""
    if session is None:
        return b""
    try:
        async with asyncio.timeout(seconds):
            shot = await session.send("Page.captureScreenshot", {"format": "png"})
    except (Error, TimeoutError):
        return b""
    return base64.b64decode(shot["data"])


def marked(png: bytes, marks: Mapping[str, Any], scale: float, top: float = 0) -> bytes:
    """The picture with a box and the id over each element in it. `top`: CSS pixels scrolled, for full pages."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    draw = ImageDraw.Draw(image)
    for number, (name, mark) in enumerate(marks.items()):
        x, y, width, height = (value * scale for value in mark["box"])
        y += top * scale
        if width < 2 or height < 2 or x >= image.width or y >= image.height or x + width <= 0 or y + height <= 0:
            continue
        colour = _COLOURS[number % len(_COLOURS)]
        draw.rectangle((x, y, x + width, y + height), outline=colour, width=2)
        wide = 7 * len(name) + 4
        left, up = min(max(x, 0), image.width - wide), max(y - 12, 0)
        draw.rectangle((left, up, left + wide, up + 12), fill=colour)
        draw.text((left + 2, up), name, fill="white")
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()
