"""The site's data, read once from Parquet through DuckDB: areas, series, editions and the totals derived from them.

All figures are thousand megawatthours of net generation, all fuels. A cell is a whole number, `--` or `NM`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import duckdb

type Cell = int | str | None
"""A number, a mark (`--`, `NM`), or None for a month that an edition does not hold yet."""

ABSENT = "--"
WITHHELD = "NM"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LONG_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
               "November", "December")  # fmt: skip
SECTORS = {
    "all sectors": "All sectors",
    "electric utility": "Electric utility",
    "independent power producers": "Independent power producers",
    "all commercial": "All commercial",
    "all industrial": "All industrial",
}
"""Sector as the source writes it -> heading used in workbooks and pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """One of 62 areas: the nation, ten census divisions, 50 states and the District of Columbia."""

    position: int
    name: str
    level: str
    """nation, division or state"""
    division: str
    slug: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """An edition of the workbooks: the months of the extract up to and including `last` (YYYY-MM)."""

    id: str
    last: str

    @property
    def title(self) -> str:
        """`Edition 2013`, or `Edition March 2022` for one that ends within a year."""
        return f"Edition {long_month(self.last)}" if "-" in self.id else f"Edition {self.id}"


def long_month(month: str) -> str:
    """`2022-03` -> `March 2022`."""
    return f"{LONG_MONTHS[int(month[5:]) - 1]} {month[:4]}"


def short_month(month: str) -> str:
    """`2022-03` -> `Mar 2022`."""
    return f"{MONTHS[int(month[5:]) - 1]} {month[:4]}"


def cell(text: str) -> int | str:
    """A source value as stored: whole numbers become int, the two marks stay text."""
    return text if text in (ABSENT, WITHHELD) else int(text)


def total(cells: Iterable[Cell]) -> Cell:
    """Sum by the rule of the methodology page: one NM withholds it, `--` counts as nothing, only `--` stays `--`."""
    held = [value for value in cells if value is not None]
    if not held:
        return None
    if WITHHELD in held:
        return WITHHELD
    numbers = [value for value in held if isinstance(value, int)]
    return sum(numbers) if numbers else ABSENT


class Grid:
    """The whole extract in memory: about 79,000 cells. Raises duckdb.Error where a Parquet file cannot be read."""

    def __init__(self, folder: Path) -> None:
        with duckdb.connect() as base:
            areas = base.execute(
                "select position, area, level, division, slug from read_parquet(?) order by position",
                [str(folder / "data" / "areas.parquet")],
            ).fetchall()
            cells = base.execute(
                "select area, sector, month, value from read_parquet(?) order by month",
                [str(folder / "data" / "generation.parquet")],
            ).fetchall()
        self.areas = tuple(
            Area(position=position, name=name, level=level, division=division, slug=slug)
            for position, name, level, division, slug in areas
        )
        self.by_slug = {area.slug: area for area in self.areas}
        self.by_name = {area.name: area for area in self.areas}
        self._cells = {(area, sector, month): cell(value) for area, sector, month, value in cells}
        self.months = tuple(sorted({month for _, _, month, _ in cells}))

    @cached_property
    def editions(self) -> tuple[Edition, ...]:
        """Newest first: the current edition, then one for each complete year."""
        years = sorted({month[:4] for month in self.months if f"{month[:4]}-12" in self.months}, reverse=True)
        yearly = tuple(Edition(id=year, last=f"{year}-12") for year in years)
        last = self.months[-1]
        return yearly if last.endswith("-12") else (Edition(id=last, last=last), *yearly)

    @property
    def current(self) -> Edition:
        return self.editions[0]

    def edition(self, name: str) -> Edition | None:
        return next((edition for edition in self.editions if edition.id == name), None)

    def level(self, level: str) -> tuple[Area, ...]:
        """Areas of one level, in source order."""
        return tuple(area for area in self.areas if area.level == level)

    def states_of(self, division: str) -> tuple[Area, ...]:
        return tuple(area for area in self.areas if area.division == division)

    def value(self, area: str, sector: str, month: str) -> Cell:
        """One cell, or None where the extract has no such month."""
        return self._cells.get((area, sector, month))

    def number(self, area: str, sector: str, month: str) -> int:
        """One cell that must be a number: ValueError where it is a mark or absent."""
        value = self.value(area, sector, month)
        if not isinstance(value, int):
            raise ValueError(f"{area}, {sector}, {month} is {value!r}, no number")
        return value

    def held(self, edition: Edition) -> tuple[str, ...]:
        """The months that an edition holds, oldest first."""
        return tuple(month for month in self.months if month <= edition.last)

    def year(self, area: str, sector: str, year: str, edition: Edition) -> tuple[Cell, ...]:
        """Twelve cells of a year; None for months after the edition's last."""
        months = (f"{year}-{index:02d}" for index in range(1, 13))
        return tuple(self.value(area, sector, month) if month <= edition.last else None for month in months)

    def year_total(self, area: str, sector: str, year: str, edition: Edition | None = None) -> Cell:
        """A year's total, or the total to date of a year that the edition holds in part."""
        return total(self.year(area, sector, year, edition or self.current))

    def marks(self, area: str, year: str, mark: str) -> int:
        """How many of a year's monthly cells of the five sectors carry a mark."""
        return sum(self.year(area, sector, year, self.current).count(mark) for sector in SECTORS)


def years_of(months: Iterable[str]) -> tuple[str, ...]:
    """Distinct years, oldest first."""
    return tuple(sorted({month[:4] for month in months}))
