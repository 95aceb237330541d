"""Check kind `picture`: a submitted chart is a real PNG, SVG or PDF of some size that shows something of its own.

Params: file (its exact name), min_width and min_height (pixels, default 1), formats (of png, svg and pdf; default the
first two), side (optional: name of a CSV that must be handed in with it). What the chart shows is judged by that CSV in
a check `csv_file` of its own; how it looks is not judged here. A PNG or PDF that is a copy of a screenshot of the try
is refused, and an SVG that holds one. No file is trusted: sizes are read before pixels are decoded, and an SVG with
entities is not parsed.
"""

import io
import struct
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
from PIL import Image, UnidentifiedImageError

from webds.errors import InputFault
from webds.ports import CheckFunction
from webds.types import Evidence, Json, Params
from webds_judge.checks import likeness, submitted, vector

FIELDS = ("file", "min_width", "min_height", "formats", "side", "evidence")
FORMATS = ("png", "svg", "pdf")
_DEFAULT = ("png", "svg")
PDF_BYTES = 8_000_000
PDF_POINTS = 20_000
"""Longest side of a PDF page, 1/72 inch."""
PIXELS = 40_000_000
"""Largest picture that is decoded."""
INK = 0.001
"""Least share of pixels that differ from the most common colour; a thin line on 640 x 480 has five times that."""
_MAGIC = b"\x89PNG\r\n\x1a\n"


class Unreadable(Exception):
    """Why the file is no picture that counts."""


def make(config: Params) -> CheckFunction:
    """The check; it takes no settings."""
    if config:
        raise InputFault(f"check picture: unknown setting {min(config)}; it takes none")
    return check


def check(evidence: Evidence, folder: Path, params: Params) -> tuple[bool, str, Mapping[str, Json]]:
    """(passed, why, {candidate, reference}). Raises InputFault where the key is wrong."""
    name, width, height, formats = settings(params)
    wanted = f"{' or '.join(formats)}, {width} x {height} or more, not blank"
    data, why = submitted.read(evidence, folder, name)
    if why:
        return submitted.no(why, "nothing", wanted)
    try:
        kind, found = _look(data, folder)
    except Unreadable as error:
        return submitted.no(f"{name}: {error}", "no picture", wanted)
    shown = f"{kind}, {found[0]} x {found[1]}"
    if kind not in formats:
        return submitted.no(f"{name} is {kind}, wanted {' or '.join(formats)}", shown, wanted)
    if found[0] < width or found[1] < height:
        return submitted.no(f"{name} is {found[0]} x {found[1]}, smaller than {width} x {height}", shown, wanted)
    side = str(params.get("side", ""))
    if side and not any(file.name == side and file.size for file in evidence.files):
        return submitted.no(f"{name}: the table of what it shows is not handed in: {side}", shown, side)
    return True, f"{name} is a picture ({shown})", {"candidate": shown, "reference": wanted}


def settings(params: Params) -> tuple[str, int, int, tuple[str, ...]]:
    """(file, least width, least height, formats). InputFault names the wrong field."""
    name = submitted.named("picture", params)
    sizes = []
    for field in ("min_width", "min_height"):
        size = params.get(field, 1)
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= 10_000:
            raise InputFault(f"check picture: field {field}: {size!r:.80}; a whole number of pixels, 1 to 10000")
        sizes.append(size)
    formats = params.get("formats", _DEFAULT)
    listed = tuple(map(str, formats)) if isinstance(formats, list | tuple) else (str(formats),)
    if not listed or not set(listed) <= set(FORMATS):
        raise InputFault(f"check picture: field formats: {formats!r:.80}; known: {', '.join(FORMATS)}")
    if not isinstance(params.get("side", ""), str):
        raise InputFault("check picture: field side: the name of a CSV file is needed")
    return name, sizes[0], sizes[1], listed


def _look(data: bytes, folder: Path) -> tuple[str, tuple[int, int]]:
    """(format, (width, height)) of a picture that shows something. Unreadable: why it does not count."""
    if data.startswith(_MAGIC):
        return "png", _png(data, folder)
    if data.startswith(b"%PDF-"):
        return "pdf", _pdf(data, folder)
    if vector.is_svg(data):
        try:
            size = vector.look(data)
        except ValueError as error:
            raise Unreadable(str(error)) from error
        for held in vector.pictures(data):
            _check_held(held, folder)
        return "svg", size
    raise Unreadable("neither PNG nor SVG nor PDF by its first bytes")


def _png(data: bytes, folder: Path) -> tuple[int, int]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=("PNG",)) as picture:
                if picture.width * picture.height > PIXELS:
                    raise Unreadable(f"{picture.width} x {picture.height} is more than {PIXELS} pixels")
                flat = _flat(picture)
    except (
        UnidentifiedImageError,
        OSError,
        SyntaxError,
        ValueError,
        Image.DecompressionBombError,
        struct.error,
    ) as error:
        raise Unreadable(f"not decoded: {' '.join(str(error).split())[:200]}") from error
    _shows_something(flat, folder)
    return flat.size


def _pdf(data: bytes, folder: Path) -> tuple[int, int]:
    """(width, height) in CSS pixels of the first page."""
    if len(data) > PDF_BYTES:
        raise Unreadable(f"a PDF of {len(data)} bytes, more than the {PDF_BYTES} that are read")
    try:
        with pdfium.PdfDocument(data) as document:
            width, height = document[0].get_size()
            if max(width, height) > PDF_POINTS:
                raise Unreadable(f"a page of {width:.0f} x {height:.0f} points is too large")
            scale = min(96 / 72, 2_000 / max(width, height, 1))
            flat = document[0].render(scale=scale).to_pil().convert("RGB")
    except (pdfium.PdfiumError, ValueError, OSError, IndexError) as error:
        raise Unreadable(f"not read as PDF: {' '.join(str(error).split())[:200]}") from error
    _shows_something(flat, folder)
    return round(width * 96 / 72), round(height * 96 / 72)


def _check_held(data: bytes, folder: Path) -> None:
    """Unreadable where a picture inside of an SVG is a copy of a screenshot; one that is not decoded shows nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "GIF", "WEBP")) as picture:
                flat = _flat(picture) if picture.width * picture.height <= PIXELS else None
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError, struct.error):
        return
    step = likeness.copied(flat, folder) if flat else None
    if step is not None:
        raise Unreadable(f"it holds a copy of the screenshot of step {step}")


def _shows_something(flat: Image.Image, folder: Path) -> None:
    """Unreadable where it is blank, or shows what a screenshot of the try shows."""
    if ink(np.asarray(flat)) < INK:
        raise Unreadable("it is blank: nearly all pixels have one colour")
    step = likeness.copied(flat, folder)
    if step is not None:
        raise Unreadable(f"it is a copy of the screenshot of step {step}")


def _flat(picture: Image.Image) -> Image.Image:
    """On white: a transparent pixel has no colour of its own."""
    clear = picture.convert("RGBA")
    paper = Image.new("RGBA", clear.size, "white")
    return Image.alpha_composite(paper, clear).convert("RGB")


def ink(pixels: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]") -> float:
    """The share of pixels that differ visibly from the most common colour."""
    coarse = (pixels >> 4).astype(np.uint16)
    codes = (coarse[..., 0] << 8) | (coarse[..., 1] << 4) | coarse[..., 2]
    counts = np.bincount(codes.ravel(), minlength=1)
    return 1.0 - float(counts.max()) / codes.size
