"""What the agent sees of a page: the outline of all its frames as one text, with ids, boxes and what is around them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Error, Frame, Page

from webds.envs.browser.engine import PageBusy, selector
from webds.envs.browser.ids import Ids

OUTLINE_CHARS = 16_000
FRAME_CHARS = 4_000
"""What a sub-frame may take beyond what the page left over."""
MOST_FRAMES = 24
FRAME_SECONDS = 4.0
TABLE_ROWS = 12
"""A longer table shows its head and tail only."""
_STOPPED = {
    "size": "… the rest of the page is left out; scroll down to read on, or use find or table",
    "nodes": "… the page has too many elements; the rest is left out; use find or table",
    "time": "… the page takes too long to read; the rest is left out; use find or table",
}


@dataclass(slots=True)
class Outline:
    """`lines` are indented; `marks`: id -> role, name and box (x, y, width, height in CSS pixels of the window)."""

    title: str = ""
    lines: list[str] = field(default_factory=list)
    marks: dict[str, Any] = field(default_factory=dict)
    tables: list[Any] = field(default_factory=list)
    page: Mapping[str, int] = field(default_factory=dict)
    stopped: str = ""
    suspects: int = 0
    frames: int = 0

    @property
    def text(self) -> str:
        """The outline as the agent reads it."""
        return "\n".join(self.lines)


async def outline(page: Page, ids: Ids, seconds: float) -> Outline:
    """Walk the page and, where they stand, its frames. PageBusy if the page's own document does not answer."""
    whole = Outline()
    await _walk(page.main_frame, ids, whole, OUTLINE_CHARS, (0, 0), 0, seconds)
    return whole


async def _walk(
    frame: Frame, ids: Ids, whole: Outline, limit: int, at: tuple[float, float], depth: int, seconds: float
) -> int:
    """Add one frame to `whole`; returns the characters it took. Sub-frames follow the line of their element."""
    seen = await ids.ask(frame, "look", seconds, limit=limit, rows=TABLE_ROWS)
    if depth == 0:
        whole.title, whole.page = seen["title"], seen["page"]
    ids.owned(frame, seen["marks"])
    whole.marks.update(_moved(seen["marks"], at))
    whole.tables.extend(seen["tables"])
    whole.suspects += seen["suspects"]
    whole.stopped = whole.stopped or seen["stopped"]
    indented = ["  " * (deep + depth) + line for line, deep in zip(seen["lines"], seen["depths"], strict=True)]
    used = sum(map(len, indented))
    if seen["above"]:
        indented.insert(0, f"… {seen['above']} blocks above the window are left out; scroll up to read them")
    start = 0
    for inner in seen["frames"]:
        shift = 1 if seen["above"] else 0
        whole.lines += indented[start : inner["after"] + shift]
        start = inner["after"] + shift
        used += await _inner(frame, inner, ids, whole, max(limit - used, FRAME_CHARS), at, depth)
    whole.lines += indented[start:]
    if seen["stopped"]:
        whole.lines.append(_STOPPED[seen["stopped"]])
    return used


async def _inner(
    frame: Frame, inner: Any, ids: Ids, whole: Outline, limit: int, at: tuple[float, float], depth: int
) -> int:
    """A sub-frame by its element; one that is gone or does not answer is named as such."""
    pad = "  " * (depth + inner["depth"])
    whole.frames += 1
    if whole.frames > MOST_FRAMES:
        return 0
    try:
        element = await frame.query_selector(selector(inner["id"]))
        child = await element.content_frame() if element else None
        if child is None:
            return 0
        moved = (at[0] + inner["x"], at[1] + inner["y"])
        return await _walk(child, ids, whole, limit, moved, depth + inner["depth"], FRAME_SECONDS)
    except PageBusy:
        whole.lines.append(f"{pad}(this frame does not answer)")
    except Error:
        whole.lines.append(f"{pad}(this frame is loading)")
    return 0


def _moved(marks: Mapping[str, Any], at: tuple[float, float]) -> Mapping[str, Any]:
    if at == (0, 0):
        return marks
    return {
        name: {**mark, "box": [round(mark["box"][0] + at[0]), round(mark["box"][1] + at[1]), *mark["box"][2:]]}
        for name, mark in marks.items()
    }


def head(
    url: str, seen: Outline, tabs: Sequence[str], downloads: Sequence[Mapping[str, Any]], said: Iterable[str]
) -> str:
    """The lines above the outline. `tabs` are lines of their own where there is more than one."""
    lines = [f"url: {url}", f"title: {seen.title}", *(tabs if len(tabs) > 1 else ())]
    page = seen.page
    if page and page["height"] > page["view"] + 4:
        lines.append(f"window: {page['y']} to {page['y'] + page['view']} of {page['height']} pixels")
    lines += [f"download: {d['name']} ({d['size']} bytes, sha256 {str(d['sha256'])[:12]})" for d in downloads]
    return "\n".join([*lines, *said])
