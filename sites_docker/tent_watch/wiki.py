"""The extract as the wiki thinks of it: series, episodes, bakers, what each baked, and audiences."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from sites_docker.kit.tables import Tables

BROADCASTERS = ("BBC Two", "BBC One", "Channel 4")


def slug_of(text: str) -> str:
    """`Ugnė` -> ugne; as used in addresses."""
    bare = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", bare.lower()).strip("-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bake:
    """One baker in one episode. `result` is as printed in the source, with footnote letters; None: not there."""

    series: int
    episode: int
    baker: str
    result: str | None
    signature: str | None
    technical: int | None
    showstopper: str | None

    @property
    def slug(self) -> str:
        return f"{self.series}-{self.episode}-{slug_of(self.baker)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """An episode's audience. Viewers in millions, as printed; dates as the two sources write them."""

    series: int
    episode: int
    uk: str
    seven: float
    printed_28: float | None
    network: int | None
    channels: int | None
    iplayer: int | None
    us_season: int | None
    us: str | None


@dataclass(frozen=True, kw_only=True)
class Episode:
    """One episode with its bakes (those who have an entry) and its audience."""

    series: int
    number: int
    appeared: int
    out: int
    remaining: int
    star: str | None
    winner: str | None
    eliminated: str | None
    bakes: tuple[Bake, ...]
    rating: Rating

    @property
    def slug(self) -> str:
        return f"{self.series}-{self.number}"

    @property
    def aired(self) -> str:
        """`17 August 2010`."""
        day = date.fromisoformat(self.rating.uk)
        return f"{day.day} {day:%B %Y}"


@dataclass(frozen=True, kw_only=True)
class Baker:
    """A contestant with the entries of every episode that has one."""

    series: int
    name: str
    full: str
    age: int
    occupation: str
    hometown: str
    bakes: tuple[Bake, ...]

    @property
    def slug(self) -> str:
        return f"{self.series}-{slug_of(self.name)}"


@dataclass(frozen=True, kw_only=True)
class Series:
    """One series: the overview line of the source, and what belongs to it."""

    number: int
    count: int
    premiere: str
    finale: str
    winner: str
    average: float
    weekday: str
    time: str
    channel: str
    runners_up: tuple[str, str]
    episodes: tuple[Episode, ...]
    bakers: tuple[Baker, ...]

    @cached_property
    def year(self) -> str:
        return self.finale[:4]

    def entry(self, baker: Baker, episode: Episode) -> Bake | None:
        """What the results table has for a baker in an episode."""
        return next((bake for bake in baker.bakes if bake.episode == episode.number), None)


class Wiki:
    """All series with their episodes and bakers."""

    def __init__(self, folder: Path) -> None:
        tables = Tables(folder)
        names = ("series", "episode", "baker", "result", "signature", "technical", "showstopper")
        bakes = tables.rows(
            "SELECT series, episode, baker, result, signature, technical, showstopper FROM challenges "
            "ORDER BY series, episode, baker"
        )
        # A line without a result says only that the baker had left: the source fills the grid with them.
        self._bakes = [Bake(**dict(zip(names, row, strict=True))) for row in bakes if row[3] is not None]
        self._ratings = {
            row[:2]: Rating(series=row[0], episode=row[1], uk=row[2], seven=row[3], printed_28=row[4], network=row[5],
                channels=row[6], iplayer=row[7], us_season=row[8], us=row[9])
            for row in tables.rows("SELECT * FROM ratings ORDER BY series, episode")
        }  # fmt: skip
        self.series = tuple(self._series(tables, row) for row in tables.rows("SELECT * FROM series ORDER BY series"))
        self.episodes = tuple(episode for series in self.series for episode in series.episodes)
        self.bakers = tuple(baker for series in self.series for baker in series.bakers)
        self.by_series = {str(series.number): series for series in self.series}
        self.by_episode = {episode.slug: episode for episode in self.episodes}
        self.by_baker = {baker.slug: baker for baker in self.bakers}

    def _series(self, tables: Tables, row: tuple[object, ...]) -> Series:
        number, count, premiere, finale, winner, average, weekday, time, channel, first, second = row
        assert isinstance(number, int)
        assert isinstance(count, int)
        assert isinstance(average, float)
        return Series(
            number=number, count=count, premiere=str(premiere), finale=str(finale), winner=str(winner), average=average,
            weekday=str(weekday), time=str(time), channel=str(channel), runners_up=(str(first), str(second)),
            episodes=self._episodes(tables, number), bakers=self._bakers(tables, number),
        )  # fmt: skip

    def _episodes(self, tables: Tables, number: int) -> tuple[Episode, ...]:
        rows = tables.rows(
            "SELECT episode, bakers_appeared, bakers_out, bakers_remaining, sb_name, winner_name, eliminated "
            "FROM episodes WHERE series = ? ORDER BY episode",
            number,
        )
        return tuple(
            Episode(series=number, number=row[0], appeared=row[1], out=row[2], remaining=row[3], star=row[4],
                winner=row[5], eliminated=row[6], rating=self._ratings[number, row[0]],
                bakes=tuple(bake for bake in self._bakes if (bake.series, bake.episode) == (number, row[0])))
            for row in rows
        )  # fmt: skip

    def _bakers(self, tables: Tables, number: int) -> tuple[Baker, ...]:
        rows = tables.rows(
            "SELECT baker, baker_full, age, occupation, hometown FROM bakers WHERE series = ? ORDER BY baker", number
        )
        return tuple(
            Baker(series=number, name=row[0], full=row[1], age=row[2], occupation=row[3], hometown=row[4],
                bakes=tuple(bake for bake in self._bakes if (bake.series, bake.baker) == (number, row[0])))
            for row in rows
        )  # fmt: skip
