"""What the pictures show: one Plot each. pictures.py draws them, pages name them, nothing else holds their values."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sites_docker.air_and_ice.records import Records, between, mean, means, moment
from sites_docker.kit.drawing import Chart

WIDTH, HEIGHT = 1200, 640
DEEP, ICE, EMBER, GREY, MOSS = "#0b3c5d", "#4f9fc4", "#d1495b", "#8796a0", "#5a7d4f"
GRID = "#dde6ea"
DECADES = tuple(range(1880, 2030, 10))
ERAS = ((1850, 1899), (1900, 1949), (1950, 1999), (2000, 2023))
SCRIPPS_SPANS = ((1958, 1969), (1970, 1979), (1980, 1989), (1990, 1999), (2000, 2009), (2010, 2020))
NOAA_SPANS = {
    "Mauna Loa": ((1988, 1997), (1998, 2007), (2008, 2017)),
    "South Pole": ((1988, 1997), (1998, 2007), (2008, 2016)),
}
DOME_SPANS = tuple((k, k + 100) for k in range(0, 800, 100))
"""Thousand years before 1950."""
STEP = 500
"""Dome C temperatures are drawn as means of so many years."""
BASE_NOTE = "°C, base: see note 1"

type Draw = Callable[[Chart], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """One picture: `slug` names its file, `title` stands over it, `draw` fills the chart."""

    slug: str
    title: str
    draw: Draw


def styled(chart: Chart, title: str, unit: str, legend: bool = False) -> None:
    """Title, unit, grid; a legend where several series are drawn."""
    axes = chart.axes
    axes.set_title(title, loc="left", fontsize=15, fontweight="bold", color=DEEP, pad=12)
    axes.set_ylabel(unit, fontsize=11)
    axes.grid(axis="y", color=GRID, linewidth=1)
    axes.set_axisbelow(True)
    if legend:
        axes.legend(frameon=False, fontsize=11, loc="upper left")


def ticks(chart: Chart, x: Iterable[float], y: Iterable[float], names: Sequence[str] | None = None) -> None:
    """Where the two axes are marked."""
    chart.axes.set_xticks(list(x), names)
    chart.axes.set_yticks(list(y))


def steps(low: float, high: float, step: float) -> list[float]:
    """Multiples of `step` that enclose low and high."""
    first, last = int(low // step), -int(-high // step)
    return [round(n * step, 6) for n in range(first, last + 1)]


def framed(chart: Chart, values: Sequence[float], step: float, x: Iterable[float]) -> None:
    """Mark y in steps around the values, x where asked, and end the y axis at the outer marks."""
    marks = steps(min(values), max(values), step)
    ticks(chart, x, marks)
    chart.axes.set_ylim(marks[0] - step * 0.15, marks[-1] + step * 0.15)


def yearly(chart: Chart, name: str, series: Mapping[int, float], colour: str, **style: Any) -> None:
    """A line with a dot a year."""
    look = {"marker": "o", "markersize": 6, "linewidth": 1.6, **style}
    chart.line(name, list(series), list(series.values()), [str(year) for year in series], colour, **look)


def monthly(chart: Chart, name: str, series: Mapping[str, float], colour: str) -> None:
    """A line with a dot a month, broken where months are missing."""
    runs: list[list[str]] = []
    for month in series:
        if runs and moment(month) - moment(runs[-1][-1]) < 0.1:
            runs[-1].append(month)
        else:
            runs.append([month])
    for run in runs:
        x, y = [moment(m) for m in run], [series[m] for m in run]
        chart.line(name, x, y, run, colour, marker="o", markersize=3.6, linewidth=1.2)


def all_plots(records: Records) -> dict[str, Plot]:
    """Every picture of the site by its slug."""
    listed = [*_giss(records), *_long(records), *_scripps(records), *_noaa(records)]
    return {plot.slug: plot for plot in listed}


def _giss(records: Records) -> Iterable[Plot]:
    for decade in DECADES:
        title = f"Months of the {decade}s, GISS edition 2022"
        yield Plot(slug=f"giss-{decade}s-months", title=title, draw=_months_of(records, decade, title))
        title = f"Years of the {decade}s in both GISS editions"
        yield Plot(slug=f"giss-{decade}s-years", title=title, draw=_years_of(records, decade, title))
    for first, last in ((1880, 1951), (1952, 2022)):
        title = f"Edition 2023 minus edition 2022, {first} to {last}"
        yield Plot(slug=f"giss-revisions-{first}-{last}", title=title, draw=_revised(records, first, last, title))
    for name, series in (("2022", records.giss_years), ("2023", records.giss_2023)):
        title = f"Global temperature by year, GISS edition {name}"
        yield Plot(slug=f"giss-{name}-all", title=title, draw=_overview(series, name, title))


def _months_of(records: Records, decade: int, title: str) -> Draw:
    def draw(chart: Chart) -> None:
        series = between(records.giss_months, f"{decade}-01", f"{decade + 9}-12")
        for warm, colour in ((True, EMBER), (False, ICE)):
            part = {month: value for month, value in series.items() if (value >= 0) == warm}
            x = [moment(month) for month in part]
            chart.bars("edition 2022", x, list(part.values()), list(part), colour, width=0.066)
        framed(chart, [0, *series.values()], 0.2, range(decade, decade + 11))
        chart.axes.axhline(0, color=DEEP, linewidth=1)
        chart.axes.set_xlim(decade - 0.1, decade + 10.1)
        styled(chart, title, BASE_NOTE)

    return draw


def _years_of(records: Records, decade: int, title: str) -> Draw:
    def draw(chart: Chart) -> None:
        old = between(records.giss_years, decade, decade + 9)
        new = between(records.giss_2023, decade, decade + 9)
        yearly(chart, "edition 2022", old, ICE, marker="s", markersize=8)
        yearly(chart, "edition 2023", new, EMBER, markersize=5)
        framed(chart, [*old.values(), *new.values()], 0.05, range(decade, decade + 10))
        chart.axes.set_xlim(decade - 0.5, decade + 9.5)
        styled(chart, title, BASE_NOTE, legend=True)

    return draw


def _revised(records: Records, first: int, last: int, title: str) -> Draw:
    def draw(chart: Chart) -> None:
        part = {y: float(d) for y, d in between(records.revisions, first, last).items()}
        same = [year for year, value in part.items() if value == 0]
        moved = [year for year in part if year not in same]
        chart.bars("revised", moved, [part[y] for y in moved], [str(y) for y in moved], EMBER, width=0.7)
        chart.dots("not revised", same, [0.0] * len(same), [str(y) for y in same], GREY, s=14)
        ticks(chart, range(first // 10 * 10, last + 2, 10), (-0.02, -0.01, 0, 0.01, 0.02))
        chart.axes.set_xticks(range(first, last + 1), minor=True)
        chart.axes.set_xlim(first - 1, last + 1)
        chart.axes.set_ylim(-0.022, 0.022)
        styled(chart, title, "°C", legend=True)

    return draw


def _overview(series: Mapping[int, float], name: str, title: str) -> Draw:
    def draw(chart: Chart) -> None:
        yearly(chart, f"edition {name}", series, DEEP, markersize=3, linewidth=1.3)
        framed(chart, list(series.values()), 0.2, range(1880, 2030, 20))
        chart.axes.axhline(0, color=GREY, linewidth=1)
        styled(chart, title, BASE_NOTE)

    return draw


def _long(records: Records) -> Iterable[Plot]:
    for first, last in ERAS:
        title = f"Land, ocean and both, {first} to {last}, long series"
        yield Plot(slug=f"long-{first}-{last}", title=title, draw=_era(records, first, last, title))
    title = "Land minus ocean by year, long series"
    yield Plot(slug="long-gap", title=title, draw=_gap(records, title))


def _era(records: Records, first: int, last: int, title: str) -> Draw:
    def draw(chart: Chart) -> None:
        held: list[float] = []
        for name, colour in (("land", EMBER), ("ocean", ICE), ("both", DEEP)):
            part = between(records.long[name], first, last)
            label = "land and ocean" if name == "both" else name
            yearly(chart, label, part, colour, markersize=5, linewidth=1.2)
            held += part.values()
        step = 5 if last - first > 30 else 2
        framed(chart, held, 0.1 if last < 1950 else 0.2, range(first // 10 * 10, last + 2, step))
        chart.axes.set_xlim(first - 1, last + 1)
        styled(chart, title, BASE_NOTE, legend=True)

    return draw


def _gap(records: Records, title: str) -> Draw:
    def draw(chart: Chart) -> None:
        gap = {year: records.long["land"][year] - records.long["ocean"][year] for year in records.long["land"]}
        chart.bars("land minus ocean", list(gap), list(gap.values()), [str(y) for y in gap], MOSS, width=0.8)
        framed(chart, list(gap.values()), 0.2, range(1850, 2030, 10))
        styled(chart, title, "°C")

    return draw


def _scripps(records: Records) -> Iterable[Plot]:
    for first, last in SCRIPPS_SPANS:
        title = f"Mauna Loa by month, {first} to {last}, Scripps"
        yield Plot(slug=f"scripps-{first}-{last}", title=title, draw=_scripps_span(records, first, last, title))
    title = "Rise of the yearly mean over the year before, Mauna Loa, Scripps"
    yield Plot(slug="scripps-growth", title=title, draw=_growth(records, title))


def _scripps_span(records: Records, first: int, last: int, title: str) -> Draw:
    def draw(chart: Chart) -> None:
        part = between(records.scripps, f"{first}-01", f"{last}-12")
        monthly(chart, "CO2", part, DEEP)
        framed(chart, list(part.values()), 2, range(first, last + 2))
        styled(chart, title, "ppm")

    return draw


def _growth(records: Records, title: str) -> Draw:
    def draw(chart: Chart) -> None:
        whole = means(records.scripps)
        rise = {year: value - whole[year - 1] for year, value in whole.items() if year - 1 in whole}
        chart.bars("rise", list(rise), list(rise.values()), [str(y) for y in rise], DEEP, width=0.75)
        framed(chart, [0, *rise.values()], 0.5, range(1960, 2021, 5))
        styled(chart, title, "ppm a year")

    return draw


def _noaa(records: Records) -> Iterable[Plot]:
    for station, spans in NOAA_SPANS.items():
        slug = station.lower().replace(" ", "-")
        for first, last in spans:
            title = f"{station} by month, {first} to {last}, NOAA"
            draw = _noaa_span(records.noaa[station], (f"{first}-01", f"{last}-12"), 2, title)
            yield Plot(slug=f"{slug}-{first}-{last}", title=title, draw=draw)
    for station, span in (("Mauna Loa", ("2013-01", "2015-12")), ("South Pole", ("2015-01", "2016-12"))):
        title = f"Around 400 ppm: {station}, NOAA"
        draw = _noaa_span(records.noaa[station], span, 1, title)
        yield Plot(slug=f"{station.lower().replace(' ', '-')}-around-400", title=title, draw=draw)
    title = "NOAA minus Scripps by year, Mauna Loa"
    yield Plot(slug="two-laboratories", title=title, draw=_laboratories(records, title))
    title = "The seasonal swing, 1988 to 2016, NOAA"
    yield Plot(slug="seasons", title=title, draw=_seasons(records, title))


def _noaa_span(series: Mapping[str, float], span: tuple[str, str], step: float, title: str) -> Draw:
    def draw(chart: Chart) -> None:
        part = between(series, *span)
        monthly(chart, "CO2", part, EMBER if "South" in title else DEEP)
        first, last = int(span[0][:4]), int(span[1][:4])
        framed(chart, list(part.values()), step, range(first, last + 2))
        chart.axes.set_xticks([year + n / 12 for year in range(first, last + 1) for n in range(12)], minor=True)
        if step == 1:
            chart.axes.grid(axis="x", which="both", color=GRID, linewidth=0.8)
            chart.axes.axhline(400, color=GREY, linewidth=1.4, linestyle="--", zorder=1)
        styled(chart, title, "ppm")

    return draw


def _laboratories(records: Records, title: str) -> Draw:
    def draw(chart: Chart) -> None:
        ours, theirs = means(records.noaa["Mauna Loa"]), means(records.scripps)
        gap = {year: value - theirs[year] for year, value in ours.items()}
        chart.bars("NOAA minus Scripps", list(gap), list(gap.values()), [str(y) for y in gap], MOSS, width=0.7)
        framed(chart, [0, *gap.values()], 0.1, range(1988, 2018, 2))
        chart.axes.axhline(0, color=DEEP, linewidth=1)
        styled(chart, title, "ppm")

    return draw


def _seasons(records: Records, title: str) -> Draw:
    def draw(chart: Chart) -> None:
        held: list[float] = []
        for station, colour in (("Mauna Loa", DEEP), ("South Pole", EMBER)):
            series = between(records.noaa[station], "1988-01", "2016-12")
            whole = means(series)
            swing = [
                mean(v - whole[int(m[:4])] for m, v in series.items() if m.endswith(f"-{month:02d}"))
                for month in range(1, 13)
            ]
            held += swing
            keys = [f"{month:02d}" for month in range(1, 13)]
            chart.line(station, list(range(1, 13)), swing, keys, colour, marker="o", markersize=7)
        framed(chart, held, 0.5, range(1, 13))
        chart.axes.set_xticklabels(["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"])
        styled(chart, title, "ppm above or below the year's mean", legend=True)

    return draw
