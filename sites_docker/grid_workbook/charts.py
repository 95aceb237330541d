"""Charts drawn as SVG on the server, and the tile map: no scripts, no outside requests."""

from collections.abc import Sequence

from markupsafe import Markup, escape

WIDTH = 640
HEIGHT = 200
LEFT = 52
BOTTOM = 24

TILES = {
    "AK": (0, 0, "Alaska"), "ME": (0, 10, "Maine"), "VT": (1, 9, "Vermont"), "NH": (1, 10, "New Hampshire"),
    "WA": (2, 0, "Washington"), "ID": (2, 1, "Idaho"), "MT": (2, 2, "Montana"), "ND": (2, 3, "North Dakota"),
    "MN": (2, 4, "Minnesota"), "IL": (2, 5, "Illinois"), "WI": (2, 6, "Wisconsin"), "MI": (2, 7, "Michigan"),
    "NY": (2, 8, "New York"), "RI": (2, 9, "Rhode Island"), "MA": (2, 10, "Massachusetts"), "OR": (3, 0, "Oregon"),
    "NV": (3, 1, "Nevada"), "WY": (3, 2, "Wyoming"), "SD": (3, 3, "South Dakota"), "IA": (3, 4, "Iowa"),
    "IN": (3, 5, "Indiana"), "OH": (3, 6, "Ohio"), "PA": (3, 7, "Pennsylvania"), "NJ": (3, 8, "New Jersey"),
    "CT": (3, 9, "Connecticut"), "CA": (4, 0, "California"), "UT": (4, 1, "Utah"), "CO": (4, 2, "Colorado"),
    "NE": (4, 3, "Nebraska"), "MO": (4, 4, "Missouri"), "KY": (4, 5, "Kentucky"), "WV": (4, 6, "West Virginia"),
    "VA": (4, 7, "Virginia"), "MD": (4, 8, "Maryland"), "DE": (4, 9, "Delaware"), "AZ": (5, 1, "Arizona"),
    "NM": (5, 2, "New Mexico"), "KS": (5, 3, "Kansas"), "AR": (5, 4, "Arkansas"), "TN": (5, 5, "Tennessee"),
    "NC": (5, 6, "North Carolina"), "SC": (5, 7, "South Carolina"), "DC": (5, 8, "District Of Columbia"),
    "OK": (6, 3, "Oklahoma"), "LA": (6, 4, "Louisiana"), "MS": (6, 5, "Mississippi"), "AL": (6, 6, "Alabama"),
    "GA": (6, 7, "Georgia"), "HI": (7, 0, "Hawaii"), "TX": (7, 3, "Texas"), "FL": (7, 8, "Florida"),
}  # fmt: skip
"""Postal code -> row, column, state: one square a state, placed roughly as on a map."""


def step_of(top: float) -> float:
    """A round distance between grid lines: three to six lines up to `top`."""
    size = 1.0
    while top / size > 6:
        for factor in (2.0, 2.5, 2.0):
            size *= factor
            if top / size <= 6:
                break
    return size


def bars(points: Sequence[tuple[str, float | None]], label: str) -> Markup:
    """Yearly bars from zero, in million MWh; a year without a total is left open and marked."""
    top = max((value for _, value in points if value is not None), default=1.0) or 1.0
    step = step_of(top)
    slot = (WIDTH - LEFT) / len(points)
    scale = (HEIGHT - BOTTOM - 10) / top
    base = HEIGHT - BOTTOM
    parts = [f'<svg class="bars" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">']
    for index in range(int(top / step) + 1):
        y = base - index * step * scale
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}" class="rule"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" class="tick" text-anchor="end">{index * step:,.4g}</text>')
    for index, (name, value) in enumerate(points):
        parts.append(bar(name, value, LEFT + index * slot, slot, scale, base))
    return Markup("".join([*parts, "</svg>"]))  # noqa: S704 - every text in it is escaped or a number


def bar(name: str, value: float | None, x: float, slot: float, scale: float, base: float) -> str:
    """One bar and, every fifth year, its name below."""
    middle = x + slot / 2
    text = ""
    if int(name) % 5 == 0 or name == "2001":
        text = f'<text x="{middle:.1f}" y="{base + 16}" class="tick" text-anchor="middle">{escape(name)}</text>'
    if value is None:
        return f'{text}<text x="{middle:.1f}" y="{base - 6}" class="tick" text-anchor="middle">NM</text>'
    height = max(0.0, value * scale)
    left, width = x + slot * 0.14, slot * 0.72
    left, width = x + slot * 0.14, slot * 0.72
    shape = f'<rect x="{left:.1f}" y="{base - height:.1f}" width="{width:.1f}" height="{height:.1f}"/>'
    return shape + text


def shade(value: float | None, edges: Sequence[float]) -> int:
    """Class 0 to 4 of the tile map; 0 where the total is withheld."""
    return 0 if value is None else 1 + sum(value >= edge for edge in edges)
