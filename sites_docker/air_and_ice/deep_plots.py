"""Pictures of the ice cores: Law Dome's gases, EPICA Dome C, and the composite."""

from collections.abc import Iterable

from sites_docker.air_and_ice.plots import (
    DEEP,
    DOME_SPANS,
    EMBER,
    GREY,
    ICE,
    MOSS,
    STEP,
    Draw,
    Plot,
    framed,
    styled,
)  # fmt: skip
from sites_docker.air_and_ice.records import Records, Sample, mean
from sites_docker.kit.drawing import Chart

GASES = {
    "CO2": ("carbon-dioxide", "Carbon dioxide", "ppm", 20, DEEP),
    "CH4": ("methane", "Methane", "ppb", 200, MOSS),
    "N2O": ("nitrous-oxide", "Nitrous oxide", "ppb", 10, EMBER),
}
"""Slug, name, unit, step of the marks, colour."""


def deep_plots(records: Records) -> dict[str, Plot]:
    """Every picture of an ice core by its slug."""
    return {plot.slug: plot for plot in (*_gases(records), *_dome(records), *_composite(records))}


def _gases(records: Records) -> Iterable[Plot]:
    for gas, (slug, name, unit, step, colour) in GASES.items():
        title = f"{name} in the ice of Law Dome, years 20 to 2000"
        yield Plot(slug=f"law-dome-{slug}", title=title, draw=_gas(records, gas, unit, step, colour, title))
    title = "Three gases since 1720, each 100 in 1720"
    yield Plot(slug="law-dome-index", title=title, draw=_index(records, title))


def _gas(records: Records, gas: str, unit: str, step: float, colour: str, title: str) -> Draw:
    def draw(chart: Chart) -> None:
        series = records.law_dome[gas]
        keys = [str(year) for year in series]
        chart.line(gas, list(series), list(series.values()), keys, colour, marker="o", markersize=4, linewidth=1.2)
        framed(chart, list(series.values()), step, range(0, 2001, 200))
        styled(chart, title, unit)

    return draw


def _index(records: Records, title: str) -> Draw:
    def draw(chart: Chart) -> None:
        held: list[float] = []
        for gas, (_, name, _, _, colour) in GASES.items():
            series = {y: 100 * v / records.law_dome[gas][1720] for y, v in records.law_dome[gas].items() if y >= 1720}
            keys = [str(year) for year in series]
            chart.line(name, list(series), list(series.values()), keys, colour, marker="o", markersize=5)
            held += series.values()
        framed(chart, held, 20, range(1720, 2001, 40))
        styled(chart, title, "index", legend=True)

    return draw


def span_of(samples: Iterable[Sample], first: int, last: int) -> list[Sample]:
    """Samples whose age lies in [first, last) thousand years before 1950."""
    return [sample for sample in samples if first * 1000 <= sample.age < last * 1000]


def _dome(records: Records) -> Iterable[Plot]:
    for first, last in DOME_SPANS:
        title = f"CO2 in the ice of Dome C, {first} to {last} thousand years ago, record of 2008"
        gas = span_of(records.dome_co2, first, last)
        yield Plot(slug=f"dome-c-{first}-{last}-co2", title=title, draw=_ages(gas, first, last, title, "ppm", 20, DEEP))
        title = f"Temperature at Dome C, {first} to {last} thousand years ago, means of {STEP} years"
        ice = _thinned(span_of(records.dome_temp, first, last), first, last)
        yield Plot(
            slug=f"dome-c-{first}-{last}-temp",
            title=title,
            draw=_ages(ice, first, last, title, "°C, see note 2", 2, ICE),
        )


def _thinned(samples: list[Sample], first: int, last: int) -> list[Sample]:
    """Means over `STEP` years, at the middle of each; steps without a sample are left out."""
    out = []
    for start in range(first * 1000, last * 1000, STEP):
        inside = [sample.value for sample in samples if start <= sample.age < start + STEP]
        if inside:
            out.append(Sample(age=start + STEP / 2, value=mean(inside)))
    return out


def _ages(samples: list[Sample], first: int, last: int, title: str, unit: str, step: float, colour: str) -> Draw:
    def draw(chart: Chart) -> None:
        x, y = [sample.age / 1000 for sample in samples], [sample.value for sample in samples]
        keys = [f"{sample.age:.0f}" for sample in samples]
        chart.line("samples", x, y, keys, colour, marker="o", markersize=3.5, linewidth=1)
        framed(chart, y, step, range(first, last + 1, 10))
        chart.axes.set_xlim(last + 1, first - 1)
        chart.axes.set_xlabel("thousand years before 1950; time runs to the right")
        styled(chart, title, unit)

    return draw


def _composite(records: Records) -> Iterable[Plot]:
    title = "CO2 in Antarctic ice over 800,000 years, composite"
    yield Plot(slug="composite-all", title=title, draw=_whole(records, title))
    title = "Where the record was revised: CO2 before 600,000 years ago"
    yield Plot(slug="composite-revised", title=title, draw=_both(records, title))


def _whole(records: Records, title: str) -> Draw:
    def draw(chart: Chart) -> None:
        x, y = zip(*records.composite, strict=True)
        thousand = [year / 1000 for year in x]
        chart.line("composite", thousand, y, [str(year) for year in x], DEEP, linewidth=1.2)
        framed(chart, y, 20, range(-800, 1, 100))
        chart.axes.set_xlabel("thousand years CE; a minus sign is BCE")
        styled(chart, title, "ppm")

    return draw


def _both(records: Records, title: str) -> Draw:
    def draw(chart: Chart) -> None:
        old = span_of(records.dome_co2, 600, 800)
        new = [(1950 - year, value) for year, value in records.composite if 1950 - year >= 600_000]
        keys = [f"{sample.age:.0f}" for sample in old]
        chart.line("record of 2008", [s.age / 1000 for s in old], [s.value for s in old], keys, GREY, linewidth=1.4)
        keys = [str(age) for age, _ in new]
        chart.line("composite", [age / 1000 for age, _ in new], [value for _, value in new], keys, DEEP, linewidth=1.6)
        framed(chart, [*(s.value for s in old), *(value for _, value in new)], 20, range(600, 820, 20))
        chart.axes.set_xlim(807, 598)
        chart.axes.set_xlabel("thousand years before 1950; time runs to the right")
        styled(chart, title, "ppm", legend=True)

    return draw
