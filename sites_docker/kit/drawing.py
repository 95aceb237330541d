"""Charts as PNG pictures, with a record of every value drawn and the pixel it was drawn at.

The record goes to the site's folder `drawn`, which no route serves: the validator compares evidence with it and with
the picture's pixel. Bytes are the same on each run of one matplotlib version, so commit picture and record together.
"""

import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

DPI = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One value as drawn. x and y are pixels from the top left; colour is the picture's at that pixel, `#rrggbb`."""

    series: str
    key: str
    value: float
    x: int
    y: int
    colour: str


class Chart:
    """A picture of `width` by `height` pixels. Style `axes` freely; draw values only by the methods here."""

    def __init__(self, width: int, height: int, *, paper: str = "#ffffff", ink: str = "#222222") -> None:
        self.figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI, facecolor=paper, layout="constrained")
        self.canvas = FigureCanvasAgg(self.figure)
        self.axes = self.figure.add_subplot()
        self.axes.set_facecolor(paper)
        self.axes.tick_params(colors=ink)
        for side in ("top", "right"):
            self.axes.spines[side].set_visible(False)
        self._drawn: list[tuple[Any, str, str, float, float, int]] = []

    def line(
        self, series: str, x: Sequence[float], y: Sequence[float], keys: Sequence[str], colour: str, **style: Any
    ) -> None:
        """A line through (x, y); `keys` name the points as a task would (`1998`, `1998-03`)."""
        self.axes.plot(x, y, color=colour, label=series, **{"linewidth": 2.0, **style})
        self._note(series, x, y, keys)

    def dots(
        self, series: str, x: Sequence[float], y: Sequence[float], keys: Sequence[str], colour: str, **style: Any
    ) -> None:
        """Separate points."""
        self.axes.scatter(x, y, color=colour, label=series, **{"s": 16, "linewidths": 0, **style})
        self._note(series, x, y, keys)

    def bars(
        self, series: str, x: Sequence[float], y: Sequence[float], keys: Sequence[str], colour: str, **style: Any
    ) -> None:
        """Bars from zero; a value's pixel lies just inside the end of its bar."""
        self.axes.bar(x, y, color=colour, label=series, **style)
        self._note(series, x, y, keys, inset=2)

    def _note(self, series: str, x: Sequence[float], y: Sequence[float], keys: Sequence[str], inset: int = 0) -> None:
        for key, across, up in zip(keys, x, y, strict=True):
            self._drawn.append((self.axes, series, key, float(across), float(up), inset if up >= 0 else -inset))

    def save(self, picture: Path, drawn: Path, url: str) -> None:
        """Write `picture` (PNG) and `drawn` (JSON). ValueError where a value lies outside the picture."""
        data, points = self.render()
        picture.parent.mkdir(parents=True, exist_ok=True)
        drawn.parent.mkdir(parents=True, exist_ok=True)
        picture.write_bytes(data)
        size = [int(self.figure.get_figwidth() * DPI), int(self.figure.get_figheight() * DPI)]
        record = {"image": url, "size": size, "points": [asdict(point) for point in points]}
        drawn.write_text(json.dumps(record, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")

    def render(self) -> tuple[bytes, list[Point]]:
        """PNG bytes and the record."""
        self.canvas.draw()  # type: ignore[no-untyped-call] # matplotlib does not annotate it
        pixels = np.asarray(self.canvas.buffer_rgba())  # type: ignore[no-untyped-call] # as above
        points = [self._point(pixels, *drawn) for drawn in self._drawn]
        out = io.BytesIO()
        self.figure.savefig(out, format="png", dpi=DPI, metadata={"Software": None})
        return out.getvalue(), points

    def _point(self, pixels: Any, axes: Any, series: str, key: str, across: float, up: float, inset: int) -> Point:
        left, bottom = axes.transData.transform((across, up))
        x, y = int(left), pixels.shape[0] - 1 - int(bottom) + inset
        if not (0 <= x < pixels.shape[1] and 0 <= y < pixels.shape[0]):
            raise ValueError(f"{series} {key}: drawn outside the picture at {x}, {y}")
        red, green, blue = (int(part) for part in pixels[y, x][:3])
        return Point(series=series, key=key, value=up, x=x, y=y, colour=f"#{red:02x}{green:02x}{blue:02x}")
