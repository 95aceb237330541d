"""The extract as the portal thinks of it: sheets (one a disease), areas and lines, and the rules on weeks."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sites_docker.kit.tables import Tables

FULL = 52
THIN = 20
"""A year with fewer weeks than this is thin: it is not annualised."""
ALL_AREAS = "All areas"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One area and year of a sheet. `population` is None where the source has none."""

    area: str
    year: int
    weeks: int
    cases: int
    population: int | None

    @property
    def annualised(self) -> float | None:
        """Cases as if all 52 weeks had been reported; None in a thin year and where nothing was reported."""
        return self.cases * FULL / self.weeks if self.weeks >= THIN else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """A state or the District of Columbia, with its census division."""

    name: str
    slug: str
    division: str


@dataclass(frozen=True)
class Sheet:
    """All lines of one disease. Years are without gaps in the source's order; a year may be missing as a whole."""

    disease: str
    slug: str
    lines: tuple[Line, ...]

    @cached_property
    def years(self) -> tuple[int, ...]:
        return tuple(sorted({line.year for line in self.lines}))

    @cached_property
    def cells(self) -> dict[tuple[str, int], Line]:
        return {(line.area, line.year): line for line in self.lines}

    @cached_property
    def totals(self) -> dict[int, tuple[int, int]]:
        """Year -> cases of all areas as reported, and areas with at least one week."""
        found = dict.fromkeys(self.years, (0, 0))
        for line in self.lines:
            cases, areas = found[line.year]
            found[line.year] = (cases + line.cases, areas + (line.weeks > 0))
        return found

    def share(self, *, under: int) -> float:
        """Percent of the lines with fewer weeks than `under`."""
        return 100 * sum(line.weeks < under for line in self.lines) / len(self.lines)

    def silent(self, area: str) -> list[int]:
        """Years in which the area sent nothing."""
        return [year for year in self.years if self.cells[area, year].weeks == 0]

    def thin(self, area: str) -> list[int]:
        """Years with a report in some weeks, but fewer than `THIN`."""
        return [year for year in self.years if 0 < self.cells[area, year].weeks < THIN]


DIVISIONS = {
    "New England": "Connecticut, Maine, Massachusetts, New Hampshire, Rhode Island, Vermont",
    "Middle Atlantic": "New Jersey, New York, Pennsylvania",
    "East North Central": "Illinois, Indiana, Michigan, Ohio, Wisconsin",
    "West North Central": "Iowa, Kansas, Minnesota, Missouri, Nebraska, North Dakota, South Dakota",
    "South Atlantic": "Delaware, District Of Columbia, Florida, Georgia, Maryland, North Carolina, South Carolina, "
    "Virginia, West Virginia",
    "East South Central": "Alabama, Kentucky, Mississippi, Tennessee",
    "West South Central": "Arkansas, Louisiana, Oklahoma, Texas",
    "Mountain": "Arizona, Colorado, Idaho, Montana, Nevada, New Mexico, Utah, Wyoming",
    "Pacific": "Alaska, California, Hawaii, Oregon, Washington",
}


def slug_of(name: str) -> str:
    """As used in addresses and file names."""
    return name.lower().replace(" ", "-")


def spans(years: Iterable[int]) -> str:
    """Years as a person writes them: `1949 to 1952, 1955`."""
    runs: list[list[int]] = []
    for year in sorted(years):
        if runs and year == runs[-1][-1] + 1:
            runs[-1].append(year)
        else:
            runs.append([year])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


class Ledger:
    """All sheets and areas."""

    def __init__(self, folder: Path) -> None:
        rows = Tables(folder).rows(
            "SELECT disease, area, year, weeks, cases, population FROM ledger ORDER BY disease, area, year"
        )
        held: dict[str, list[Line]] = {}
        self.population: dict[tuple[str, int], int | None] = {}
        for disease, area, year, weeks, cases, population in rows:
            line = Line(area=area, year=year, weeks=weeks, cases=cases, population=population)
            held.setdefault(disease, []).append(line)
            self.population[area, year] = population
        self.sheets = tuple(Sheet(name, slug_of(name), tuple(lines)) for name, lines in held.items())
        self.by_slug = {sheet.slug: sheet for sheet in self.sheets}
        division = {state: name for name, states in DIVISIONS.items() for state in states.split(", ")}
        names = sorted({area for area, _ in self.population})
        self.areas = tuple(Area(name=name, slug=slug_of(name), division=division[name]) for name in names)
        self.area_by_slug = {area.slug: area for area in self.areas}
        self.years = tuple(sorted({year for _, year in self.population}))

    def sheet(self, disease: str) -> Sheet:
        """A sheet by the disease's name."""
        return self.by_slug[slug_of(disease)]
