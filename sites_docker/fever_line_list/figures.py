"""What the pages count: confirmed cases by year and month of notification, county of residence and origin."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sites_docker.fever_line_list.layouts import FIRST, LAST
from sites_docker.kit.tables import Tables

NOT_STATED = "Not stated"
REGIONS = {
    "Northern": ("Keelung City", "Taipei City", "New Taipei City", "Taoyuan City", "Hsinchu City", "Hsinchu County",
                 "Yilan County"),
    "Central": ("Miaoli County", "Taichung City", "Changhua County", "Nantou County", "Yunlin County"),
    "Southern": ("Chiayi City", "Chiayi County", "Tainan City", "Kaohsiung City", "Pingtung County", "Penghu County"),
    "Eastern": ("Hualien County", "Taitung County"),
    "Outer islands": ("Kinmen County", "Lienchiang County"),
}  # fmt: skip
"""Our own grouping, for the tables only."""
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Count:
    """Confirmed cases, apart by origin."""

    local: int = 0
    imported: int = 0

    @property
    def total(self) -> int:
        return self.local + self.imported

    def __add__(self, other: "Count") -> "Count":
        return Count(self.local + other.local, self.imported + other.imported)


def added(counts: Iterable[Count]) -> Count:
    """Sum of counts."""
    return sum(counts, Count())


@dataclass(frozen=True, slots=True)
class County:
    """A county or city as of today; `slug` names its page."""

    code: str
    name: str
    slug: str
    region: str


@dataclass(frozen=True, slots=True)
class Township:
    """A township or district by residence, with its cases of all years."""

    name: str
    slug: str
    count: Count


def slug_of(name: str) -> str:
    """As used in addresses: letters, digits and single hyphens."""
    return "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())


class Figures:
    """All counts that pages show, read once."""

    def __init__(self, folder: Path) -> None:
        self.tables = Tables(folder)
        region = {name: group for group, names in REGIONS.items() for name in names}
        pairs = self.tables.rows("SELECT code, county FROM counties ORDER BY county")
        self.counties = tuple(County(code, name, slug_of(name), region[name]) for code, name in pairs)
        self.by_slug = {county.slug: county for county in self.counties}
        self.years = tuple(range(FIRST, LAST + 1))
        self._places = self._counted("year(notification), county")
        self._months = self._counted("year(notification), month(notification)")
        self._townships = self._counted("county, township")
        self.lines = Counter(dict(self.tables.rows("SELECT year(notification), count(*) FROM cases GROUP BY 1")))

    def _counted(self, keys: str) -> dict[tuple[object, object], Count]:
        local, imported = (f"coalesce(sum(cases) FILTER (imported = '{flag}'), 0)" for flag in "NY")
        rows = self.tables.rows(f"SELECT {keys}, {local}, {imported} FROM cases GROUP BY ALL")  # noqa: S608 - ours
        return {(one, two): Count(int(here), int(away)) for one, two, here, away in rows}

    def at(self, year: int, county: str | None) -> Count:
        """Notified in a year among residents of a county; None is not stated."""
        return self._places.get((year, county), Count())

    def month(self, year: int, month: int) -> Count:
        """Notified in a month, 1 to 12."""
        return self._months.get((year, month), Count())

    def year(self, year: int) -> Count:
        """Notified in a year."""
        return added(count for (of, _), count in self._places.items() if of == year)

    def region(self, year: int, region: str) -> Count:
        """Notified in a year in a group of counties."""
        return added(self.at(year, name) for name in REGIONS[region])

    def span(self, first: int, last: int) -> Count:
        """Notified in the years from first to last."""
        return added(self.year(year) for year in range(first, last + 1))

    def county_span(self, county: str | None, first: int, last: int) -> Count:
        """The same for residents of a county."""
        return added(self.at(year, county) for year in range(first, last + 1))

    def townships(self, county: str) -> list[Township]:
        """Townships of residence of a county, in order of name."""
        names = sorted(str(two) for one, two in self._townships if one == county and two is not None)
        return [Township(name, slug_of(name), self._townships[county, name]) for name in names]

    def by_month(self) -> list[int]:
        """Cases notified in each month from January 1998 to September 2024."""
        months = [(year, month) for year in self.years for month in range(1, 13)]
        return [self.month(*at).total for at in months][:-3]
