"""Pictures that mode vision shows: screenshots, the most relevant ones, and pictures that were handed in."""

import io
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pypdfium2 as pdfium
from PIL import Image, UnidentifiedImageError

from webds.codec import sha256
from webds.types import Json
from webds_judge.rubric.exhibits import ANSWER
from webds_judge.rubric.record import Record
from webds_judge.rubric.triplets import Triplet

HANDED = 4
"""Pictures handed in that are shown at most."""
_PIXELS = 40_000_000
_BYTES = 8_000_000
_SIDE = 1_600
"""Longest side that a picture handed in is shown with."""
_UNREAD = (UnidentifiedImageError, OSError, SyntaxError, ValueError, IndexError, Image.DecompressionBombError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """`step` as in a citation; `name` stands for the content in the cache; `label` is ours, without foreign text."""

    step: int
    name: str
    label: str
    data: bytes


def screenshot(step: int, name: str, data: bytes) -> Picture:
    """Of the page that a step left."""
    return Picture(step=step, name=name, label=f"Screenshot after step {step}", data=data)


def screenshots(blobs: Path, items: Sequence[Triplet], scores: Mapping[int, float], most: int) -> list[Picture]:
    """Each picture once, the `most` that matter most, in order of time; without scores they all have to fit."""
    once: dict[str, Triplet] = {}
    for item in items:
        if item.image:
            once.setdefault(item.image, item)
    ranked = sorted(once.values(), key=lambda item: (-scores.get(item.step, 0.0), not item.pinned, item.step))
    paths = ((item, blobs / item.image[:2] / item.image) for item in ranked[:most])
    found = [screenshot(item.step, item.image, path.read_bytes()) for item, path in paths if path.is_file()]
    return sorted(found, key=lambda picture: picture.step)


def left_out(items: Sequence[Triplet], sent: Sequence[Picture]) -> tuple[Json, ...]:
    """A row that names the steps whose screenshots are not shown; none where all are."""
    names = {picture.name for picture in sent}
    gone = [str(item.step) for item in items if item.image and item.image not in names]
    return ({"screenshots_left_out": f"of steps {', '.join(gone)}: not sent, to fit"},) if gone else ()


def cited(items: Sequence[Triplet], sent: Sequence[Picture]) -> frozenset[int]:
    """Steps that a citation of a picture may name: those whose picture was sent."""
    names = {picture.name for picture in sent}
    shown = {item.step for item in items if item.image in names}
    return frozenset(shown | {picture.step for picture in sent})


def handed(record: Record) -> list[Picture]:
    """The files of the last act that are pictures: PNG, JPEG, or the first page of a PDF."""
    return list(_handed(record))[:HANDED]


def _handed(record: Record) -> Iterator[Picture]:
    for number, name in enumerate(record.handed):
        path = record.folder / next(file.path for file in record.evidence.files if file.name == name)
        data = path.read_bytes() if path.is_file() and path.stat().st_size <= _BYTES else b""
        shown = _shown(data)
        if shown:
            label = f"Picture handed in, number {number} of final.files, counted from 0 (step {ANSWER})"
            yield Picture(step=ANSWER, name=sha256(data), label=label, data=shown)


def _shown(data: bytes) -> bytes:
    """As PNG; nothing where it is no picture that is decoded."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            picture = _page(data) if data.startswith(b"%PDF-") else _image(data)
    except (*_UNREAD, pdfium.PdfiumError):
        return b""
    picture.thumbnail((_SIDE, _SIDE))
    kept = io.BytesIO()
    picture.save(kept, "PNG")
    return kept.getvalue()


def _page(data: bytes) -> Image.Image:
    with pdfium.PdfDocument(data) as document:
        sides = document[0].get_size()
        page: Image.Image = document[0].render(scale=min(2.0, _SIDE / max(*sides, 1.0))).to_pil()
        return page.convert("RGB")


def _image(data: bytes) -> Image.Image:
    with Image.open(io.BytesIO(data), formats=("PNG", "JPEG")) as picture:
        if picture.width * picture.height > _PIXELS:
            raise ValueError("too large")
        return picture.convert("RGBA")
