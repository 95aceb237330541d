"""Each answer once more, from the workbooks as served and with pandas instead of SQL; and the hasty answer beside it.

The keys' SQL reads the extract. This reads what an agent can download, so it shows that the tasks can be solved, and
that the convention named in `guard` really makes the difference.
"""

import io
import re
import tomllib
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sites_docker.grid_workbook.grid import MONTHS, Grid
from sites_docker.grid_workbook.workbooks import Shelf
from webds_judge.answers.registry import compare

ROOT = Path(__file__).parents[2]
SECTOR = {"utility": 2, "ipp": 3, "commercial": 5, "industrial": 6}
"""Places on sheet Monthly, hidden columns counted."""
NEW_ENGLAND = ("connecticut", "maine", "massachusetts", "new-hampshire", "rhode-island", "vermont")


@cache
def shelf() -> Shelf:
    return Shelf(Grid(ROOT / "sites_docker" / "grid_workbook"), datetime.fromisoformat("2022-06-24T12:00:00Z"))


def sheet(slug: str, name: str, skip: int, edition: str = "2022-03") -> pd.DataFrame:
    """A sheet as pandas reads it below its headings: first column as index, text marks kept."""
    data = shelf().find(edition, f"grid-workbook_{slug}_{edition}.xlsx")
    assert data is not None
    frame = pd.read_excel(io.BytesIO(data), sheet_name=name, header=None, skiprows=skip, keep_default_na=False)
    return frame.set_index(0)


def lines(slug: str, edition: str = "2022-03") -> pd.DataFrame:
    return sheet(slug, "Monthly", 6, edition)


def months(slug: str, edition: str = "2022-03") -> pd.DataFrame:
    """Sheet Monthly without its total lines."""
    frame = lines(slug, edition)
    return frame[[bool(re.fullmatch(r"[A-Z][a-z]{2} \d{4}", str(label))) for label in frame.index]]


def texas_july() -> tuple[object, object]:
    value: Any = months("texas").loc["Jul 2021", SECTOR["ipp"]]
    return round(value / 1000, 3), value


def withheld_years() -> tuple[object, object]:
    column = SECTOR["commercial"]
    marks, totals = months("rhode-island")[column], sheet("rhode-island", "Commercial", 5)[17]
    out = []
    for labels in (totals.index[:-1], totals.index):  # the last line is a year in part
        years = [str(label)[:4] for label in labels if totals[label] == "NM"]
        values = marks[[str(label)[-4:] in years for label in marks.index]]
        out.append(f"{100 * (values != 'NM').mean():.1f}%")
    return out[0], out[1]


def nevada_first() -> tuple[object, object]:
    series = months("nevada")[SECTOR["commercial"]]
    figures = series[[isinstance(value, int) for value in series]]
    first = [datetime.strptime(str(index[0]), "%b %Y") for index in (figures.index, figures[figures > 0].index)]  # noqa: DTZ007 - months have no zone
    return str(first[0].date()), str(first[1].date())


def states_only(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame[1] == "state"]


def utility_withheld() -> tuple[object, object]:
    last = states_only(sheet("all-areas", "Electric utility", 5))[22]
    return sorted(last[last == "NM"].index), sorted(last[last.isin(["NM", "--"])].index)


def new_england_swing() -> tuple[object, object]:
    spread, hasty = [], []
    for slug in NEW_ENGLAND:
        year = [f"{month} 2021" for month in MONTHS]
        values = months(slug).loc[year, 1]
        spread.append(values.max() / values.min())
        row = sheet(slug, "All sectors", 5).loc[2021]
        hasty.append(row.max() / row.min())
    return round(max(spread), 2), round(max(hasty), 2)


def kentucky_trend() -> tuple[object, object]:
    totals = sheet("kentucky", "All sectors", 5)[17]
    years = [int(str(label)[:4]) for label in totals.index]
    slopes = [np.polyfit(years[:end], totals.astype(float)[:end], 1)[0] for end in (-1, len(years))]
    return round(slopes[0]), round(slopes[1])


def vermont_edition() -> tuple[object, object]:
    counted = [int((months("vermont", edition)[SECTOR["industrial"]] == "NM").sum()) for edition in ("2013", "2022-03")]
    cells = sheet("vermont", "Industrial", 5, "2013")
    assert int((cells == "NM").sum().sum()) == 17, "with hidden quarter totals and the year total"
    return counted[0], counted[1]


def texas_record() -> tuple[object, object]:
    series = months("texas")[1]
    best, noted = series.max(), series["Aug 2011"]
    return f"{(best / noted - 1) * 100:.1f}%", f"{(best / (round(noted / 100) * 100) - 1) * 100:.1f}%"


def rhode_island_clean() -> tuple[object, object]:
    frame = months("rhode-island").loc["Jan 2015":"Dec 2017", list(SECTOR.values())]
    names = ["electric_utility", "independent_power_producers", "commercial", "industrial"]
    out = []
    for rule in ({"--": 0, "NM": ""}, {"--": "", "NM": ""}):
        table = frame.map(lambda value, rule=rule: rule.get(value, value)).set_axis(names, axis=1)
        table.insert(0, "month", [pd.Period(label, "M").strftime("%Y-%m") for label in frame.index])
        out.append(table.to_csv(index=False, lineterminator="\n"))
    return out[0], out[1]


SEVERAL = {"grid-workbook-more-but-less"}
"""Computed in test_several_sites.py."""
ANSWERS: dict[str, Callable[[], tuple[object, object]]] = {
    "texas-july": texas_july,
    "withheld-years": withheld_years,
    "nevada-first-figure": nevada_first,
    "utility-withheld": utility_withheld,
    "new-england-swing": new_england_swing,
    "kentucky-trend": kentucky_trend,
    "rhode-island-clean": rhode_island_clean,
    "vermont-edition": vermont_edition,
    "texas-record": texas_record,
}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_workbooks_give_the_reference_and_haste_does_not(name: str) -> None:
    keys: list[dict[str, Any]] = tomllib.loads(
        (ROOT / "tasks_public/grid_workbook/keys.toml").read_text(encoding="utf-8")
    )["key"]
    params = next(key for key in keys if key["task"] == f"grid-workbook-{name}")["checks"][0]["params"]
    wanted = params["reference"]
    careful, hasty = ANSWERS[name]()
    if params.get("type") == "quantity":
        assert compare("quantity", wanted, str(careful)).passed
        assert not compare("quantity", wanted, str(hasty)).passed
    else:
        assert careful == wanted
        assert hasty != wanted


def test_every_task_is_computed_here() -> None:
    tasks = tomllib.loads((ROOT / "tasks_public/grid_workbook/tasks.toml").read_text(encoding="utf-8"))["task"]
    assert {f"grid-workbook-{name}" for name in ANSWERS} | SEVERAL == {task["id"] for task in tasks}
