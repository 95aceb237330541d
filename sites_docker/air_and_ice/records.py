"""The tables as the articles think of them: series by month or year, means, and the rules of rounding."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from pathlib import Path

from sites_docker.kit.tables import Tables

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
PERIODS = ((1880, 1900), (1901, 2000), (1951, 1980), (1961, 1990), (1991, 2020))
"""Baselines for which the portal states each temperature series' mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One measurement of an ice core. `age` is in years before 1950."""

    age: float
    value: float


class Records:
    """Every series of the site, read once. Temperatures in C against the series' own baseline, CO2 in ppm."""

    def __init__(self, folder: Path) -> None:
        self._tables = Tables(folder)
        self.giss_months: dict[str, float] = self._pairs("SELECT month, anomaly FROM giss_2022 ORDER BY month")
        self.giss_2023: dict[int, float] = self._pairs("SELECT year, anomaly FROM giss_2023 ORDER BY year")
        self.scripps: dict[str, float] = self._pairs("SELECT month, co2 FROM scripps ORDER BY month")
        self.long: dict[str, dict[int, float]] = {
            "both": self._pairs('SELECT year, "both" FROM long_series ORDER BY year'),
            "land": self._pairs("SELECT year, land FROM long_series ORDER BY year"),
            "ocean": self._pairs("SELECT year, ocean FROM long_series ORDER BY year"),
        }
        self.noaa: dict[str, dict[str, float]] = {
            station: self._pairs("SELECT month, co2 FROM noaa_stations WHERE station = ? ORDER BY month", station)
            for station in ("Mauna Loa", "South Pole")
        }
        self.law_dome: dict[str, dict[int, float]] = {
            gas: self._pairs("SELECT year, amount FROM law_dome WHERE gas = ? ORDER BY year", gas)
            for gas in ("CO2", "CH4", "N2O")
        }

    def _pairs[K: (str, int)](self, sql: str, *values: str) -> dict[K, float]:
        return {key: float(value) for key, value in self._tables.rows(sql, *values)}

    @cached_property
    def giss_years(self) -> dict[int, float]:
        """Edition 2022, means of twelve months, not rounded."""
        return means(self.giss_months)

    @cached_property
    def dome_co2(self) -> tuple[Sample, ...]:
        """EPICA Dome C, record of 2008."""
        rows = self._tables.rows("SELECT age, co2 FROM dome_c_co2 ORDER BY place")
        return tuple(Sample(age=float(age), value=co2) for age, co2 in rows)

    @cached_property
    def dome_temp(self) -> tuple[Sample, ...]:
        """EPICA Dome C, C against the mean of the last 1000 years."""
        return tuple(
            Sample(age=age, value=dt) for age, dt in self._tables.rows("SELECT age, dt FROM dome_c_temp ORDER BY bag")
        )

    @cached_property
    def composite(self) -> tuple[tuple[int, float], ...]:
        """(year CE, ppm) of the ice-core composite, oldest first."""
        rows = self._tables.rows("SELECT year, co2 FROM composite WHERE source = 'Ice Cores' ORDER BY year")
        return tuple((int(year), float(co2)) for year, co2 in rows)

    @cached_property
    def revisions(self) -> dict[int, Decimal]:
        """Year -> edition 2023 minus edition 2022 rounded to two decimals, for the years that both have."""
        return {year: Decimal(str(self.giss_2023[year])) - self.rounded(year) for year in self.giss_years}

    def rounded(self, year: int) -> Decimal:
        """A yearly mean of edition 2022 with two decimals, halves away from zero, by exact arithmetic."""
        total = sum((Decimal(str(v)) for m, v in self.giss_months.items() if int(m[:4]) == year), Decimal(0))
        return (total / 12).quantize(Decimal("0.01"), ROUND_HALF_UP)


def means(months: Mapping[str, float]) -> dict[int, float]:
    """Yearly means of the years with twelve months."""
    held: dict[int, list[float]] = {}
    for month, value in months.items():
        held.setdefault(int(month[:4]), []).append(value)
    return {year: sum(values) / 12 for year, values in held.items() if len(values) == 12}


def mean(values: Iterable[float]) -> float:
    """Arithmetic mean of at least one value."""
    listed = list(values)
    return sum(listed) / len(listed)


def between[K: (str, int), V](series: Mapping[K, V], first: K, last: K) -> dict[K, V]:
    """The part of a series from `first` to `last`, both included."""
    return {key: value for key, value in series.items() if first <= key <= last}


def moment(month: str) -> float:
    """`1998-07` as a decimal year, in the middle of the month."""
    return int(month[:4]) + (int(month[5:]) - 0.5) / 12


def spoken(month: str) -> str:
    """`1998-07` as July 1998."""
    return f"{MONTHS[int(month[5:]) - 1]} {month[:4]}"


def signed(value: float, digits: int = 2) -> str:
    """+0.36 or −0.31, with a real minus sign; nothing before a zero."""
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def thousands(value: float) -> str:
    """667,569; a minus sign before years BCE."""
    return f"{round(value):,}".replace("-", "−")
