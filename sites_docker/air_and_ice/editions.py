"""Pages on the data: each edition with its span, unit and base, and the means over named baselines."""

from collections.abc import Mapping
from dataclasses import dataclass

from sites_docker.air_and_ice.article import plain
from sites_docker.air_and_ice.records import PERIODS, Records, between, mean, signed, spoken, thousands


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One series as it was published at one time."""

    slug: str
    title: str
    maker: str
    span: str
    unit: str
    base: str
    about: str
    superseded: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offset:
    """The mean of a temperature series over a baseline, on the series' own scale."""

    series: str
    slug: str
    first: int
    last: int
    value: str


def editions(records: Records) -> list[Edition]:
    """All of them, in the order of the archive page."""
    months, scripps = records.giss_months, records.scripps
    noaa = records.noaa
    return [
        Edition(
            slug="giss-2023", title="GISS global index, edition 2023", maker="NASA Goddard Institute for Space Studies",
            span=f"{min(records.giss_2023)} to {max(records.giss_2023)}, by year", unit="°C, two decimals",
            base="1951 to 1980", about="The later of two editions. It came to us as years only.",
        ),
        Edition(
            slug="giss-2022", title="GISS global index, edition 2022", maker="NASA Goddard Institute for Space Studies",
            span=f"{spoken(min(months))} to {spoken(max(months))}, by month", unit="°C, two decimals",
            base="1951 to 1980",
            about="The earlier of two editions, and the only one with months.", superseded="giss-2023",
        ),
        Edition(
            slug="long-2023", title="Long series of land and ocean", maker="relayed without the name of its maker; "
            "base and columns are those of NOAA's National Centers for Environmental Information",
            span="1850 to 2023, by year", unit="°C, two decimals", base="1901 to 2000",
            about="Land and ocean apart and together. Another base than GISS.",
        ),
        Edition(
            slug="scripps-2020", title="Mauna Loa, Scripps",
            maker="Scripps CO2 Program, University of California San Diego",
            span=f"{spoken(min(scripps))} to {spoken(max(scripps))}, by month", unit="ppm", base="none",
            about="Readings of the laboratory that began the record. Some early months are missing.",
        ),
        Edition(
            slug="noaa-2017", title="Mauna Loa and South Pole, NOAA", maker="NOAA Earth System Research Laboratory",
            span="; ".join(f"{s} {spoken(min(v))} to {spoken(max(v))}" for s, v in noaa.items()) + ", by month",
            unit="ppm", base="none",
            about="Two stations, no month missing inside the records. They do not end together.",
        ),
        Edition(
            slug="composite-2015", title="Antarctic composite, 2015", maker="Bereiter and others, by way of NOAA",
            span=f"year {thousands(records.composite[0][0])} to {records.composite[-1][0]}, irregular", unit="ppm",
            base="none", about="Many cores in one line, with the oldest stretch corrected. Dates are years CE.",
        ),
        Edition(
            slug="dome-c-2008", title="EPICA Dome C, 2007 and 2008", maker="Lüthi and others (CO2), Jouzel and others "
            "(temperature), by way of NOAA", span="ages up to 802 thousand years, irregular", unit="ppm; °C",
            base="mean of the last 1000 years (temperature)", about="One core, dates are ages before 1950.",
            superseded="composite-2015",
        ),
        Edition(
            slug="law-dome-2006", title="Law Dome, 2006", maker="MacFarling Meure and others, by way of NOAA",
            span="year 20 to 2000, one value in twenty years", unit="ppm (CO2), ppb (CH4, N2O)", base="none",
            about="Three gases from one coast.",
        ),
    ]  # fmt: skip


def offsets(records: Records) -> list[Offset]:
    """Means over every named baseline, for the three temperature series."""
    series: dict[str, tuple[str, Mapping[int, float]]] = {
        "GISS edition 2022": ("giss-2022", records.giss_years),
        "GISS edition 2023": ("giss-2023", records.giss_2023),
        "long series, land and ocean": ("long", records.long["both"]),
    }
    return [
        Offset(
            series=name, slug=f"{slug}-{first}-{last}", first=first, last=last,
            value=_shown(mean(between(values, first, last).values())),
        )
        for name, (slug, values) in series.items()
        for first, last in PERIODS
    ]  # fmt: skip


def _shown(value: float) -> str:
    return signed(float(plain(value, 3).replace("−", "-")), 3)
