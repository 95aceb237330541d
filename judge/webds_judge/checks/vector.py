"""SVG pictures: size and whether shapes are drawn. Parsed without entities, network or a deep tree."""

import re
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress

from lxml import etree  # type: ignore[import-untyped] # lxml ships no types

ELEMENTS = 200_000
"""Most elements that are looked at."""
_SHAPES = frozenset(("path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "use"))
_UNDRAWN = frozenset(("defs", "clipPath", "mask", "symbol", "pattern", "marker", "linearGradient", "metadata"))
_PER_UNIT = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4}
_LENGTH = re.compile(r"\s*(\d{1,6}(?:\.\d{1,10})?)\s*(px|pt|pc|in|cm|mm)?\s*")
_PLACES = {
    "path": ("d",),
    "polyline": ("points",),
    "polygon": ("points",),
    "rect": ("x", "y", "width", "height"),
    "circle": ("cx", "cy", "r"),
    "ellipse": ("cx", "cy", "rx", "ry"),
    "line": ("x1", "y1", "x2", "y2"),
    "use": ("x", "y", "href", "{http://www.w3.org/1999/xlink}href"),
}
_EXTENT = {"rect": ("width", "height"), "circle": ("r",)}
_ZERO = re.compile(r"-?[0.]+(?:px|pt|%)?")
_NO_PAINT = frozenset(("none", "transparent"))
_DATA = re.compile(r"\s*data:image/(?:png|jpe?g|gif|webp);base64,", re.IGNORECASE)
_XLINK = "{http://www.w3.org/1999/xlink}href"
_LEAST = 2
"""Different shapes that a chart has at the least: a background alone shows nothing."""


def is_svg(data: bytes) -> bool:
    """Whether the file begins as an SVG does."""
    return b"<svg" in data[:4_096] and data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def look(data: bytes) -> tuple[int, int]:
    """(width, height) in CSS pixels. ValueError: why it is no picture that counts."""
    if b"<!ENTITY" in data.upper():
        raise ValueError("it declares entities, so it is not read")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"not read as XML: {' '.join(str(error).split())[:200]}") from error
    if _name(root) != "svg":
        raise ValueError("its first element is not svg")
    size = _size(root)
    if len(set(_shapes(root))) < _LEAST:
        raise ValueError("it is blank: no shapes are drawn")
    return size


def _name(element: etree._Element) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def _size(root: etree._Element) -> tuple[int, int]:
    box = re.split(r"[\s,]+", root.get("viewBox", "").strip())
    inner = [float(part) for part in box[2:]] if len(box) == 4 and all(map(_is_number, box)) else []
    sides = []
    for place, field in enumerate(("width", "height")):
        found = _LENGTH.fullmatch(root.get(field, ""))
        if found:
            sides.append(float(found[1]) * _PER_UNIT[found[2] or ""])
        elif inner:
            sides.append(inner[place])
        else:
            raise ValueError(f"neither {field} nor viewBox says how large it is")
    return round(sides[0]), round(sides[1])


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"-?\d{1,6}(?:\.\d{1,10})?", text))


def _shapes(root: etree._Element) -> Iterator[tuple[str, ...]]:
    """Kind and place of every shape that is drawn; nothing inside of definitions, nothing hidden or without extent."""
    is_styled = root.find(".//{*}style") is not None  # a style sheet may paint what says nothing of itself
    waiting = [(root, "black", "none")]
    seen = 0
    while waiting and seen < ELEMENTS:
        element, fill, stroke = waiting.pop()
        seen += 1
        name = _name(element)
        if not name or name in _UNDRAWN or _is_hidden(element):  # no name: a comment or processing instruction
            continue
        fill, stroke = _said(element, "fill") or fill, _said(element, "stroke") or stroke
        is_painted = is_styled or name == "use" or not {fill, stroke} <= _NO_PAINT
        if name in _SHAPES and is_painted and _has_extent(element, name):
            place = tuple(element.get(field, "")[:2_000] for field in _PLACES[name])
            if any(place):
                yield (name, *place)
        waiting += [(child, fill, stroke) for child in element]


def _is_hidden(element: etree._Element) -> bool:
    said = [_said(element, name) for name in ("display", "visibility", "opacity")]
    return said[0] == "none" or said[1] in ("hidden", "collapse") or bool(_ZERO.fullmatch(said[2]))


def _said(element: etree._Element, name: str) -> str:
    """A property by the element's style or its attribute, in lower case; "" where neither says it."""
    style = "".join(element.get("style", "").lower().split())
    declared = dict(part.split(":", 1) for part in style.split(";") if ":" in part)
    return (declared.get(name) or element.get(name, "").strip().lower()).removesuffix("!important")


def _has_extent(element: etree._Element, name: str) -> bool:
    """False where the numbers say that nothing is covered; what is not a number is taken for something."""
    needed = _EXTENT.get(name, ())
    return not any(_ZERO.fullmatch(element.get(field, "1").strip()) for field in needed)


def pictures(data: bytes) -> Iterator[bytes]:
    """Pictures that an SVG which was looked at holds as data."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False)
    for element in etree.fromstring(data, parser).iter("{*}image"):
        held = _DATA.match(element.get("href") or element.get(_XLINK, ""))
        if held:
            with suppress(ValueError):
                yield b64decode("".join(held.string[held.end() :].split()))
