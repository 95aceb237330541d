"""The board's chart: one bar of dots and whiskers a row, inline SVG that reads in print and without colour."""

from collections.abc import Sequence

from markupsafe import Markup, escape

from webds.serve.board.table import Line

_WIDTH, _ROW, _LEFT, _RIGHT = 720, 26, 250, 50
MARKS = {"reported": "hollow circle", "replayed": "filled circle", "re-run": "filled square"}


def chart(shown: Sequence[Line]) -> Markup:
    """Success rates with their intervals, a row each; the mark's form says the level of proof. Empty without rows."""
    rows = [line for line in shown if line.figure is not None][:40]
    if not rows:
        return Markup()
    height = _ROW * len(rows) + 40
    parts = [
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="Success rates with intervals">',
        *(_tick(share / 4, height) for share in range(5)),
        *(_row(line, number) for number, line in enumerate(rows)),
        "</svg>",
    ]
    return Markup("".join(parts))  # noqa: S704 - every text in it is escaped below


def _x(share: float) -> float:
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def _tick(share: float, height: int) -> str:
    x = _x(share)
    line = f'<line x1="{x:.1f}" y1="8" x2="{x:.1f}" y2="{height - 26}" class="grid"/>'
    return f'{line}<text x="{x:.1f}" y="{height - 8}" text-anchor="middle">{share:.0%}</text>'


def _row(line: Line, number: int) -> str:
    assert line.figure is not None
    y, x = 22 + number * _ROW, _x(line.figure)
    name = str(escape(f"{line.team}: {line.agent} {line.model}".strip()))[:200]
    label = f'<text x="{_LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(f"{line.team}: {line.agent}"[:34])}</text>'
    whisker = ""
    if line.low is not None and line.high is not None:
        whisker = f'<line x1="{_x(line.low):.1f}" y1="{y}" x2="{_x(line.high):.1f}" y2="{y}" class="whisker"/>'
    mark = (
        f'<rect x="{x - 5:.1f}" y="{y - 5}" width="10" height="10" class="full"/>'
        if line.level == "re-run"
        else f'<circle cx="{x:.1f}" cy="{y}" r="5" class="{"full" if line.level == "replayed" else "hollow"}"/>'
    )
    value = f'<text x="{_WIDTH - 4}" y="{y + 4}" text-anchor="end">{line.figure:.0%}</text>'
    return f"<g><title>{name}, {line.level}, {line.figure:.0%}</title>{label}{whisker}{mark}{value}</g>"
