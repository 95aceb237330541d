"""The board's charts as inline SVG. What differs, differs in form and pattern, not in colour: they read in print.

Hollow circle: reported. Filled circle: replayed. Filled square: re-run. Hatched diamond: people. A dashed line is an
interval of few tasks.
"""

from collections.abc import Callable, Iterable, Sequence

from markupsafe import Markup, escape

from webds.report.text import clean
from webds.serve.board.cells import Cell, Table, short
from webds.serve.board.pairs import Pair
from webds.serve.board.table import Entry, Line
from webds.serve.board.view import NO_HUMAN, Section
from webds.stats import percent, points
from webds.submit.book import HUMAN

MARKS = ("reported", "replayed", "re-run", HUMAN)
MOST = 40
"""Rows of a chart."""
_WIDTH, _ROW, _TOP, _LEFT, _RIGHT = 860, 26, 14, 250, 64
_LETTERS = 34
type Scale = Callable[[float], float]
"""A share in [0, 1] to its place across."""


def rates(section: Section, denominator: str) -> Markup:
    """Success rates of a section with their intervals, people below a line; a row in words where there are none."""
    agents = [entry.line for entry in section.agents if entry.line.main(denominator)[0] is not None][:MOST]
    people = [entry.line for entry in section.people if entry.line.main(denominator)[0] is not None][:MOST]
    if not agents and not people:
        return Markup()
    below = _TOP + _ROW * len(agents)
    height = below + _ROW * max(1, len(people)) + 34
    x = _scale(_LEFT, _WIDTH - _RIGHT)
    parts = [_pattern(section.name), *(_tick(x(share / 4), height, percent(share / 4)) for share in range(5))]
    parts += [_rate(line, _TOP + _ROW * n + 13, x, denominator) for n, line in enumerate(agents)]
    parts.append(f'<line x1="0" y1="{below + 4}" x2="{_WIDTH}" y2="{below + 4}" class="rule"/>')
    parts += [_rate(line, below + _ROW * n + 19, x, denominator) for n, line in enumerate(people)]
    if not people:
        parts.append(_text(_LEFT - 12, below + 23, HUMAN, "end"))
        parts.append(_text(_LEFT + 4, below + 23, NO_HUMAN, backed=True))
    return _svg(height, f"Success rates with 95 % intervals, {section.title}", parts)


def tiers(table: Table) -> Markup:
    """A label's cells side by side, a panel a value and a row an entry."""
    rows, panels = table.rows[:MOST], list(table.values)
    if not rows:
        return Markup()
    width = (_WIDTH - _LEFT) / len(panels)
    height = 30 + _ROW * len(rows) + 34
    parts = [_pattern(table.label)]
    scales = []
    for number, value in enumerate(panels):
        left = _LEFT + number * width
        x = _scale(left + 10, left + width - 64)
        scales.append(x)
        parts.append(_text(x(0.5), 16, value, "middle", strong=True))
        parts += [_tick(x(share), height, percent(share), top=26) for share in (0, 0.5, 1)]
    for number, (entry, cells) in enumerate(rows):
        y = 43 + _ROW * number
        parts.append(_text(_LEFT - 12, y + 4, _name(entry.line), "end"))
        parts += [_cell(entry.line, cell, x, y) for cell, x in zip(cells, scales, strict=True) if cell]
    return _svg(height, f"Success rates by {table.label} with 95 % intervals", parts)


def differences(pairs: Sequence[Pair]) -> Markup:
    """Paired differences with their intervals; filled where p after Holm is under 0.05."""
    if not pairs:
        return Markup()
    shown = sorted(pairs, key=lambda pair: (pair.p_holm, pair.p))[:MOST]
    left, height = _LEFT + 70, _TOP + _ROW * len(shown) + 34
    wide = _scale(left, _WIDTH - 90)
    parts = [_tick(wide((share + 2) / 4), height, points(share / 2)) for share in range(-2, 3)]
    parts.append(f'<line x1="{wide(0.5):.1f}" y1="8" x2="{wide(0.5):.1f}" y2="{height - 26}" class="zero"/>')
    for number, pair in enumerate(shown):
        y, (x, low, high) = _TOP + _ROW * number + 13, [
            wide((value + 1) / 2) for value in (pair.difference.value, pair.difference.low, pair.difference.high)
        ]  # fmt: skip
        names = f"{_name(pair.second.line, 20)} less {_name(pair.first.line, 20)}"
        form = "full" if pair.p_holm < 0.05 else "hollow"
        parts.append(
            f"<g><title>{_clean(names)}: {escape(pair.difference.text)}</title>{_text(left - 12, y + 4, names, 'end')}"
            f'{_whisker(low, high, y)}<circle cx="{x:.1f}" cy="{y}" r="5" class="{form}"/>'
            f"{_text(_WIDTH - 2, y + 4, points(pair.difference.value), 'end')}</g>"
        )
    return _svg(height, "Paired differences with 95 % intervals", parts)


def legend(levels: Iterable[str]) -> Markup:
    """The marks that are in use, with their meaning."""
    wanted = set(levels)
    names = {**dict.fromkeys(MARKS[:3]), HUMAN: "people"}
    items = [
        f'<li><svg viewBox="0 0 20 16" aria-hidden="true">{_pattern("key") if name == HUMAN else ""}'
        f"{_mark(name, 10, 8, 'key')}</svg>{names[name] or name}</li>"
        for name in MARKS if name in wanted
    ]  # fmt: skip
    return Markup(f'<ul class="marks">{"".join(items)}</ul>')  # noqa: S704 - our own words only


def _svg(height: float, label: str, parts: Iterable[str]) -> Markup:
    head = f'<svg class="chart" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(label)}">'
    return Markup(head + "".join(parts) + "</svg>")  # noqa: S704 - every text in it is escaped


def _scale(left: float, right: float) -> Scale:
    return lambda share: left + share * (right - left)


def _clean(text: str) -> str:
    return str(escape(clean(text)))


def _name(line: Line, letters: int = _LETTERS) -> str:
    name = f"{line.team}: {line.agent}" if line.kind != HUMAN else line.team
    name = f"{name} {line.model}".strip()
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


def _text(x: float, y: float, text: str, anchor: str = "start", *, strong: bool = False, backed: bool = False) -> str:
    form = ' class="strong"' if strong else ' class="backed"' if backed else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{form}>{_clean(text)}</text>'


def _tick(x: float, height: float, text: str, top: int = 8) -> str:
    line = f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{height - 26}" class="grid"/>'
    return line + _text(x, height - 8, text, "middle")


def _pattern(name: str) -> str:
    return (
        f'<defs><pattern id="hatch-{_clean(name)}" width="4" height="4" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="4" class="hatch"/></pattern></defs>'
    )


def _mark(level: str, x: float, y: float, where: str) -> str:
    if level == HUMAN:
        points_ = f"{x:.1f},{y - 7:.1f} {x + 7:.1f},{y:.1f} {x:.1f},{y + 7:.1f} {x - 7:.1f},{y:.1f}"
        back = f'<polygon points="{points_}" class="hollow"/>'
        return f'{back}<polygon points="{points_}" class="person" fill="url(#hatch-{_clean(where)})"/>'
    if level == "re-run":
        return f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" class="full"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" class="{"hollow" if level == "reported" else "full"}"/>'


def _whisker(low: float, high: float, y: float, few: bool = False) -> str:
    ends = "".join(f'<line x1="{x:.1f}" y1="{y - 4}" x2="{x:.1f}" y2="{y + 4}" class="cap"/>' for x in (low, high))
    form = "whisker few" if few else "whisker"
    return f'<line x1="{low:.1f}" y1="{y}" x2="{high:.1f}" y2="{y}" class="{form}"/>{ends}'


def _rate(line: Line, y: float, x: Scale, denominator: str) -> str:
    share, low, high = line.main(denominator)
    assert share is not None
    whisker = _whisker(x(low), x(high), y) if low is not None and high is not None else ""
    level = HUMAN if line.kind == HUMAN else line.level
    title = f"<title>{_clean(_name(line, 200))}, {line.level}, {percent(share)}</title>"
    name = _text(_LEFT - 12, y + 4, _name(line), "end")
    value = _text(_WIDTH - 4, y + 4, percent(share), "end")
    mark = _mark(level, x(share), y, f"{line.split}-{line.track}")
    return f"<g>{title}{name}{whisker}{mark}{value}</g>"


def _cell(line: Line, cell: Cell, x: Scale, y: float) -> str:
    level = HUMAN if line.kind == HUMAN else line.level
    title = f"<title>{_clean(_name(line, 200))}, {_clean(cell.value)}: {short(cell.passes)} of {cell.n}</title>"
    value = _text(x(1) + 12, y + 4, f"{short(cell.passes)}/{cell.n}")
    whisker, mark = _whisker(x(cell.low), x(cell.high), y, cell.few), _mark(level, x(cell.share), y, cell.label)
    return f"<g>{title}{whisker}{mark}{value}</g>"


def levels(entries: Iterable[Entry]) -> set[str]:
    """Which marks a chart of these entries has."""
    return {HUMAN if entry.line.kind == HUMAN else entry.line.level for entry in entries}
