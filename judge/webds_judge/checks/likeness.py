"""Is a submitted picture a copy of a screenshot? A perceptual hash (DCT) and the correlation of small grey copies.

Both have to say so: a hash alone takes two pages of mostly white for alike. Parts cut out of one are not found.
"""

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image
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


def copied(picture: Image.Image, folder: Path) -> int | None:
    """The step whose screenshot the picture is, or None. `folder`: of the try, in its run."""
    mine = _grey(picture, _SIDE), _grey(picture, _FINE)
    for step, path in _screenshots(folder):
        with Image.open(io.BytesIO(path.read_bytes())) as seen:
            if seen.width * seen.height > PIXELS:
                continue
            other = _grey(seen, _SIDE), _grey(seen, _FINE)
        if distance(mine[0], other[0]) <= DISTANCE and correlation(mine[1], other[1]) >= CORRELATION:
            return step
    return None


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


def _grey(picture: Image.Image, side: int) -> Grey:
    return np.asarray(picture.convert("L").resize((side, side), Image.Resampling.BOX), dtype=np.float64)


def distance(one: Grey, other: Grey) -> int:
    """Bits of 64 in which the hashes of two grey squares differ."""
    return int(np.count_nonzero(_bits(one) != _bits(other)))


def _bits(grey: Grey) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
    low = np.asarray(dctn(grey, norm="ortho"))[:8, :8].ravel()
    bits: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = low > np.median(low[1:])
    return bits


def correlation(one: Grey, other: Grey) -> float:
    """Pearson's; 0 where one of the two is of one colour."""
    a, b = one - one.mean(), other - other.mean()
    spread = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / spread if spread > 1e-9 else 0.0
