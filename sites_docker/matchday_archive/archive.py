"""The extract as the portal thinks of it: seasons, matchdays, clubs, matches, and spans of seasons in words."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from sites_docker.kit.tables import Tables

NO_DATE = "date not held"
FIRST_OF_THREE = 1995
"""The first season, by the year in which it began, with three points for a win."""
RENAMED = (("Meidericher SV", "MSV Duisburg"), ("Bayer Uerdingen", "KFC Uerdingen"))
"""Earlier and later name of what the portal counts as one club."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One match. `kickoff` is in UTC and None where the source has no date."""

    id: int
    season: int
    matchday: int
    kickoff: datetime | None
    home: str
    away: str
    home_goals: int
    away_goals: int

    @property
    def score(self) -> str:
        """`3:1`, the home club first."""
        return f"{self.home_goals}:{self.away_goals}"

    @property
    def goals(self) -> int:
        return self.home_goals + self.away_goals


@dataclass(frozen=True)
class Season:
    """All matches of a season in the source's order; `year` is the one in which it began."""

    year: int
    matches: tuple[Match, ...]

    @property
    def name(self) -> str:
        return season_name(self.year)

    @property
    def slug(self) -> str:
        return self.name.replace("/", "-")

    @cached_property
    def days(self) -> dict[int, tuple[Match, ...]]:
        """Matchday -> its matches."""
        found: dict[int, list[Match]] = {}
        for match in self.matches:
            found.setdefault(match.matchday, []).append(match)
        return {number: tuple(found[number]) for number in sorted(found)}

    @cached_property
    def clubs(self) -> tuple[str, ...]:
        return tuple(sorted({match.home for match in self.matches}, key=sort_key))

    @cached_property
    def dated(self) -> list[datetime]:
        """All kick-offs that are held, earliest first."""
        return sorted(match.kickoff for match in self.matches if match.kickoff)

    @property
    def goals(self) -> int:
        return sum(match.goals for match in self.matches)

    @property
    def points(self) -> int:
        """Points for a win in this season."""
        return 3 if self.year >= FIRST_OF_THREE else 2

    def day_url(self, number: int) -> str:
        """Address of a matchday."""
        return f"/matchdays/{self.slug}-{number:02d}"

    def share(self, *, home: bool) -> float:
        """Percent of all matches won by the home club, or drawn."""
        kept = sum(m.home_goals > m.away_goals if home else m.home_goals == m.away_goals for m in self.matches)
        return 100 * kept / len(self.matches)


@dataclass(frozen=True, slots=True, kw_only=True)
class Club:
    """A club under one name of the source."""

    name: str
    slug: str
    years: tuple[int, ...]
    """Seasons in the archive, by the year in which they began."""
    matches: int
    other: str
    """The name under which the portal counts it too, or nothing."""


def season_name(year: int) -> str:
    """`1991/92`, `1999/2000`."""
    return f"{year}/{year + 1}" if year % 100 == 99 else f"{year}/{(year + 1) % 100:02d}"


def slug_of(name: str) -> str:
    """As used in addresses."""
    return "-".join(re.findall(r"[a-z0-9]+", name.lower()))


def sort_key(name: str) -> str:
    """Alphabetical, the leading figure of a name left aside."""
    bare = unicodedata.normalize("NFKD", name).lower()
    return re.sub(r"^[\d. ]+", "", bare)


def spans(years: Iterable[int]) -> str:
    """Seasons as a person writes them: `1963/64 to 1965/66, 1970/71`."""
    runs: list[list[int]] = []
    for year in sorted(years):
        if runs and year == runs[-1][-1] + 1:
            runs[-1].append(year)
        else:
            runs.append([year])
    names = ((season_name(run[0]), season_name(run[-1])) for run in runs)
    return ", ".join(first if first == last else f"{first} to {last}" for first, last in names)


def day_text(moment: datetime | None) -> str:
    """`Sat 24 Aug 1963`, or the words for a date that is not held."""
    return NO_DATE if moment is None else f"{moment:%a} {moment.day} {moment:%b %Y}"


class Archive:
    """Everything, read once from data/matches.parquet."""

    def __init__(self, folder: Path) -> None:
        rows = Tables(folder).dicts("SELECT * FROM matches ORDER BY id")
        held: dict[int, list[Match]] = {}
        for row in rows:
            moment = datetime.fromisoformat(row["kickoff"]) if row["kickoff"] else None
            held.setdefault(row["season"], []).append(Match(**{**row, "kickoff": moment}))
        self.seasons = tuple(Season(year, tuple(held[year])) for year in sorted(held))
        self.by_slug = {season.slug: season for season in self.seasons}
        self.by_year = {season.year: season for season in self.seasons}
        self.clubs = self._clubs()
        self.club_by_slug = {club.slug: club for club in self.clubs}

    def club(self, name: str) -> Club:
        """The club of that name. LookupError where there is none."""
        return self.club_by_slug[slug_of(name)]

    @cached_property
    def matches(self) -> tuple[Match, ...]:
        return tuple(match for season in self.seasons for match in season.matches)

    def _clubs(self) -> tuple[Club, ...]:
        years: dict[str, list[int]] = {}
        played: dict[str, int] = {}
        for season in self.seasons:
            for name in season.clubs:
                years.setdefault(name, []).append(season.year)
            for match in season.matches:
                for name in (match.home, match.away):
                    played[name] = played.get(name, 0) + 1
        other = {name: pair[1 - place] for pair in RENAMED for place, name in enumerate(pair)}
        return tuple(
            Club(
                name=name, slug=slug_of(name), years=tuple(years[name]), matches=played[name], other=other.get(name, "")
            )
            for name in sorted(years, key=sort_key)
        )  # fmt: skip
