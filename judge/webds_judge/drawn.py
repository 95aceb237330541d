"""Evidence of kind `drawn`: was this value drawn, on a picture that the page shows, where its record says?

The record (sites_docker/<site>/drawn/*.json, written when the picture was drawn, not served) gives each point's value,
pixel and colour. The served picture must have the record's size and that colour at that pixel.
"""

import io
import json
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup
from PIL import Image, UnidentifiedImageError

from webds.errors import InputFault
from webds.types import Json
from webds_judge.answers.references import exact, rounds_to

TOLERANCE = 8
"""Most that a colour channel (0 to 255) may differ from the record's."""
PIXELS = 20_000_000
_KNOWN = 12

type Fetch = Callable[[str], bytes]


class Pictures:
    """Looks at the pictures of sites; each is fetched and decoded once. `folders`: site folder by host."""

    def __init__(self, fetch: Fetch, folders: Mapping[str, Path]) -> None:
        self._fetch = fetch
        self._folders = folders
        self._decoded: dict[str, tuple[Image.Image, tuple[int, int, int]]] = {}
        self._records: dict[str, Mapping[str, Any]] = {}

    def value(self, item: Mapping[str, Json]) -> str:
        """`value` of the evidence where record and picture bear it out, else what the record says. InputFault: why."""
        url = urljoin(str(item["url"]), str(item["image"]))
        if url not in _shown(self._fetch(str(item["url"])), str(item["url"])):
            raise InputFault(f"{item['url']}: shows no picture {item['image']}")
        record = self._record(url)
        point = _point(record, str(item["series"]), str(item["key"]))
        self._pixel(url, record, point)
        try:
            wanted = Decimal(str(item["value"]))
        except InvalidOperation as error:
            raise InputFault(f"value {item['value']!r:.80}: not a plain number") from error
        drawn = exact(point["value"])
        return str(item["value"]) if rounds_to(drawn, wanted) else str(drawn)

    def _record(self, url: str) -> Mapping[str, Any]:
        parts = urlsplit(url)
        if url not in self._records:
            folder = self._folders.get(parts.hostname or "")
            if folder is None:
                raise InputFault(f"{url}: no such site; known: {', '.join(sorted(self._folders))}")
            by_name = folder / "drawn" / f"{Path(parts.path).stem}.json"
            others = sorted((folder / "drawn").glob("*.json"))
            found = next((r for r in map(_read, [by_name, *others]) if r.get("image") == parts.path), None)
            if found is None:
                raise InputFault(f"{url}: no record in {folder.name}/drawn says what was drawn")
            self._records[url] = found
        return self._records[url]

    def _pixel(self, url: str, record: Mapping[str, Any], point: Mapping[str, Any]) -> None:
        picture, paper = self._picture(url)
        if list(picture.size) != list(record["size"]):
            raise InputFault(f"{url}: is {picture.size[0]} x {picture.size[1]}, its record says {record['size']}")
        x, y, colour = int(point["x"]), int(point["y"]), _colour(str(point["colour"]))
        if not (0 <= x < picture.width and 0 <= y < picture.height):
            raise InputFault(f"{url}: {x}, {y} lies outside the picture")
        there = _rgb(picture, x, y)
        if _apart(there, colour) > TOLERANCE:
            raise InputFault(f"{url}: the pixel {x}, {y} is #{bytes(there).hex()}, the record says {point['colour']}")
        if _apart(there, paper) <= TOLERANCE:
            raise InputFault(f"{url}: nothing is drawn at {x}, {y}: it has the colour of the paper")

    def _picture(self, url: str) -> tuple[Image.Image, tuple[int, int, int]]:
        if url not in self._decoded:
            try:
                with Image.open(io.BytesIO(self._fetch(url)), formats=("PNG",)) as opened:
                    if opened.width * opened.height > PIXELS:
                        raise InputFault(f"{url}: more than {PIXELS} pixels")
                    picture = opened.convert("RGB")
            except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
                raise InputFault(f"{url}: no PNG picture: {' '.join(str(error).split())[:200]}") from error
            colours = Counter(
                _rgb(picture, x, y) for x in range(0, picture.width, 7) for y in range(0, picture.height, 7)
            )
            self._decoded[url] = (picture, colours.most_common(1)[0][0])
        return self._decoded[url]


def _shown(page: bytes, url: str) -> set[str]:
    """Addresses of the pictures on a page."""
    return {urljoin(url, str(image.get("src", ""))) for image in BeautifulSoup(page, "html.parser").find_all("img")}


def _read(path: Path) -> Mapping[str, Any]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    whole = isinstance(record, Mapping) and {"image", "size", "points"} <= set(record)
    return record if whole else {}


def _point(record: Mapping[str, Any], series: str, key: str) -> Mapping[str, Any]:
    points: list[Mapping[str, Any]] = [p for p in record["points"] if p["series"] == series]
    if not points:
        known = sorted({str(p["series"]) for p in record["points"]})
        raise InputFault(f"series {series!r:.80}; known: {', '.join(known[:_KNOWN])}")
    found = [p for p in points if p["key"] == key]
    if len(found) != 1:
        known = [str(p["key"]) for p in points]
        said = f"stands {len(found)} times" if found else f"known: {known[0]} to {known[-1]} ({len(known)})"
        raise InputFault(f"key {key!r:.80} of series {series}: {said}")
    return found[0]


def _rgb(picture: Image.Image, x: int, y: int) -> tuple[int, int, int]:
    pixel = picture.getpixel((x, y))
    assert isinstance(pixel, tuple)
    return int(pixel[0]), int(pixel[1]), int(pixel[2])


def _colour(text: str) -> tuple[int, int, int]:
    try:
        red, green, blue = bytes.fromhex(text.removeprefix("#"))
    except ValueError as error:
        raise InputFault(f"colour {text!r:.40}: wanted #rrggbb") from error
    return red, green, blue


def _apart(one: tuple[int, int, int], other: tuple[int, int, int]) -> int:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))
