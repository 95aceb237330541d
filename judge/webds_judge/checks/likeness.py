"""Is a submitted picture a copy of a screenshot? A perceptual hash (DCT) and the correlation of small grey copies.

Both have to say so: a hash alone takes two pages of mostly white for alike. Copies that are turned, mirrored,
inverted or framed are found; parts cut out of one are not.
"""

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image, ImageChops
from scipy.fft import dctn

from webds.store import read_lines

PIXELS = 40_000_000
DISTANCE = 8
"""Bits of 64 that a copy differs in at most; scaled and recompressed copies differ in 0 to 3."""
CORRELATION = 0.95
MOST = 200
"""Screenshots that are compared."""
_SIDE, _FINE = 32, 64
type Grey = "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"
type Bits = "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]"


def copied(picture: Image.Image, folder: Path) -> int | None:
    """The step whose screenshot the picture is, or None. `folder`: of the try, in its run."""
    mine = list(_ways(picture))
    for step, path in _screenshots(folder):
        with Image.open(io.BytesIO(path.read_bytes())) as seen:
            if seen.width * seen.height > PIXELS:
                continue
            others = [_pair(_grey(part)) for part in _parts(seen)]
        if any(_alike(one, other) for one in mine for other in others):
            return step
    return None


type _Pair = tuple[Bits, Grey]
"""A picture's hash, and its small grey copy for the correlation."""


def _alike(one: _Pair, other: _Pair) -> bool:
    return int(np.count_nonzero(one[0] != other[0])) <= DISTANCE and correlation(one[1], other[1]) >= CORRELATION


def _ways(picture: Image.Image) -> Iterator[_Pair]:
    """As it is and without its frame; turned, mirrored and inverted."""
    for part in _parts(picture):
        grey = _grey(part)
        for turned in (np.rot90(way, turns) for way in (grey, np.fliplr(grey)) for turns in range(4)):
            yield _pair(turned)
            yield _pair(255.0 - turned)


def _parts(picture: Image.Image) -> Iterator[Image.Image]:
    """The picture, and what is left without a border of one colour."""
    yield picture
    flat = picture.convert("RGB")
    box = ImageChops.difference(flat, Image.new("RGB", flat.size, flat.getpixel((0, 0)))).getbbox()
    if box and box != (0, 0, *flat.size):
        yield flat.crop(box)


def _pair(fine: Grey) -> _Pair:
    step = _FINE // _SIDE
    return _bits(fine.reshape(_SIDE, step, _SIDE, step).mean(axis=(1, 3))), fine


def _screenshots(folder: Path) -> Iterator[tuple[int, Path]]:
    """(step, file) of each picture once."""
    trajectory = folder / "trajectory.jsonl"
    if len(folder.parents) < 3 or not trajectory.is_file():
        return
    blobs = folder.parents[2] / "blobs"
    names: dict[str, int] = {}
    for row in read_lines(trajectory):
        for saw in (row["saw"], row["then"]):
            if saw.get("image"):
                names.setdefault(str(saw["image"]), int(row["index"]))
    for name, step in list(names.items())[:MOST]:
        path = blobs / name[:2] / name
        if path.is_file():
            yield step, path


def _grey(picture: Image.Image) -> Grey:
    return np.asarray(picture.convert("L").resize((_FINE, _FINE), Image.Resampling.BOX), dtype=np.float64)


def _bits(grey: Grey) -> Bits:
    low = np.asarray(dctn(grey, norm="ortho"))[:8, :8].ravel()
    bits: Bits = low > np.median(low[1:])
    return bits


def correlation(one: Grey, other: Grey) -> float:
    """Pearson's; 0 where one of the two is of one colour."""
    a, b = one - one.mean(), other - other.mean()
    spread = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / spread if spread > 1e-9 else 0.0
