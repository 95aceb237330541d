"""Tasks over two or three sites: evidence as all of them serve it, and each new answer again from pages and files."""

import csv
import io
import json
import re
import statistics
import tomllib
import zipfile
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from tests.tasks.several import ROOT, fetch, folder
from webds.difficulty import difficulty
from webds.suites import taskfiles
from webds.types import Json
from webds_judge.answers import compare
from webds_judge.drawn import Pictures
from webds_judge.proof import Views, problems

GROUPS = sorted(path.parent for path in (ROOT / "tasks_public").glob("*/tasks.toml"))
TASKS = {entry.id: entry for group in GROUPS for entry in taskfiles.read(group / "tasks.toml")}
KEYS: dict[str, dict[str, Any]] = {
    key["task"]: key
    for group in GROUPS
    for key in tomllib.loads((group / "keys.toml").read_text(encoding="utf-8"))["key"]
}
SEVERAL = [name for name, entry in TASKS.items() if len(taskfiles.sites_of(entry.task())) > 1]
GRID = "https://grid-workbook.test/workbooks/2022-03/grid-workbook_{}_2022-03.xlsx"
KAOHSIUNG = "counties/kaohsiung-city"
LEDGER = "https://contagion-ledger.test/downloads/contagion-ledger_{}.csv"


def drawn(slug: str, series: str) -> dict[str, float]:
    record = json.loads((ROOT / f"sites_docker/air_and_ice/drawn/{slug}.json").read_text(encoding="utf-8"))
    return {point["key"]: point["value"] for point in record["points"] if point["series"] == series}


def fever(column: str, path: str = "years") -> dict[int, int]:
    """Yearly figures of Fever Line List by notification, of all or of a county: total, imported or local."""
    page = BeautifulSoup(fetch(f"https://fever-line-list.test/{path}"), "lxml")
    cells = {y: page.select_one(f"#y{y}-{column}") for y in range(1998, 2024)}
    return {year: int(cell.get_text().replace(",", "")) for year, cell in cells.items() if cell}


def sheet(slug: str, name: str) -> list[tuple[Any, ...]]:
    book = openpyxl.load_workbook(io.BytesIO(fetch(GRID.format(slug))), data_only=True, read_only=True)
    return list(book[name].iter_rows(values_only=True))


def monthly(slug: str) -> dict[str, Any]:
    return {str(row[0]): row[1] for row in sheet(slug, "Monthly") if row[0]}


def more_but_less() -> tuple[object, object]:
    lines = csv.DictReader(io.StringIO(fetch(LEDGER.format("population")).decode()))
    people = {row["area"]: row for row in lines}
    rows = sheet("all-areas", "All sectors")
    head = next([str(cell) for cell in row] for row in rows if "2001" in [str(cell) for cell in row])
    then, now = head.index("2001"), head.index("2011")
    states = [row for row in rows if row[1] == "state"]
    less = [r[0] for r in states if r[now] / int(people[r[0]]["2011"]) < r[then] / int(people[r[0]]["2001"])]
    return ", ".join(r[0] for r in states if r[0] in less and r[now] > r[then]), ", ".join(less)


def arizona_julys() -> tuple[object, object]:
    amounts, heat = monthly("arizona"), drawn("giss-2010s-months", "edition 2022")
    out = []
    for scale, month in ((1000, "07"), (1, "06")):
        lines = [f"{y},{amounts[f'Jul {y}'] / scale:.3f},{heat[f'{y}-{month}']:.2f}\n" for y in range(2010, 2020)]
        out.append("year,generation,anomaly\n" + "".join(lines))
    return out[0], out[1]


def heat_and_travellers() -> tuple[object, object]:
    cases = fever("imported", KAOHSIUNG)
    return forecast(drawn("giss-2010s-years", "edition 2023"), cases), forecast(
        drawn("giss-2010s-years", "edition 2022"), cases
    )


def forecast(heat: dict[str, float], cases: dict[int, int]) -> float:
    """Cases that the line through 2010 to 2019 gives for edition 2023's temperature of 2023, unrounded."""
    years = range(2010, 2020)
    line = np.polyfit([heat[str(y)] for y in years], [cases[y] for y in years], 1)
    return float(np.polyval(line, drawn("giss-2020s-years", "edition 2023")["2023"]))


def test_the_forecast_takes_honest_readings_and_no_other_edition_column_or_method() -> None:
    reference = KEYS["air-and-ice-heat-and-travellers"]["checks"][0]["params"]["reference"]

    def passes(value: float) -> bool:
        return compare("number", reference, f"{value:.1f}").passed

    record = json.loads((ROOT / "sites_docker/air_and_ice/drawn/giss-2010s-years.json").read_text(encoding="utf-8"))
    points = record["points"]
    scale = np.polyfit([p["y"] for p in points], [p["value"] for p in points], 1)
    later = [p for p in points if p["series"] == "edition 2023"]
    cases = fever("imported", KAOHSIUNG)
    for tilt in (-1, 0, 1):  # read off the picture one pixel too high at the warm end and too low at the cold, and back
        off = {p["key"]: tilt if p["value"] > 0.8 else -tilt for p in later}
        assert passes(forecast({p["key"]: float(np.polyval(scale, p["y"] + off[p["key"]])) for p in later}, cases))
    heat, earlier = (drawn("giss-2010s-years", f"edition {year}") for year in (2023, 2022))
    years = range(2010, 2020)
    on_years = np.polyfit(years, [cases[y] for y in years], 1)
    wrong = {
        "edition 2022": forecast(earlier, cases),
        "edition 2022, two decimals": forecast({year: round(value, 2) for year, value in earlier.items()}, cases),
        "all cases": forecast(heat, fever("total", KAOHSIUNG)),
        "local cases": forecast(heat, fever("local", KAOHSIUNG)),
        "the whole island": forecast(heat, fever("imported")),
        "on the year": float(np.polyval(on_years, 2023)),
        "by onset": forecast(heat, by_onset("Kaohsiung City")),
    }
    assert {name: value for name, value in wrong.items() if passes(value)} == {}


def by_onset(county: str) -> dict[int, int]:
    """Imported cases of a county's residents by the year in which they fell ill."""
    cases = pd.read_parquet(ROOT / "sites_docker/fever_line_list/data/cases.parquet")
    cases = cases[(cases.imported == "Y") & (cases.county == county)]
    return {
        int(str(year)): int(n) for year, n in cases.cases.groupby(pd.to_datetime(cases.onset).dt.year).sum().items()
    }


def goals_when_it_cools() -> tuple[object, object]:
    goals: Counter[str] = Counter()
    played: Counter[str] = Counter()
    for number in range(1, 35):
        page = BeautifulSoup(fetch(f"https://matchday-archive.test/matchdays/1975-76-{number:02d}"), "lxml")
        (found,) = page.select("#results")
        words = " ".join(found.get_text(" ").split())
        for day, home, away in re.findall(r"(\w{3} \d{4}), \d\d:\d\d .*?(\d+):(\d+)(?= )", words):
            month = datetime.strptime(f"{day} +0000", "%b %Y %z").strftime("%Y-%m")
            played[month] += 1
            goals[month] += int(home) + int(away)
    usual = goals.total() / played.total()
    heat = drawn("giss-1970s-months", "edition 2022")
    earlier = dict(zip(sorted(heat)[1:], sorted(heat), strict=False))
    many = sorted(month for month in played if goals[month] / played[month] > usual)
    colder = [month for month in many if heat[month] < heat[earlier[month]]]
    return ", ".join(colder), ", ".join(month for month in many if heat[month] < 0)


def bursts() -> tuple[object, object]:
    entries = [item for item in KEYS["fever-line-list-bursts"]["checks"][0]["params"]["evidence"] if "x" in item]
    told = [item["value"].replace(",", "").split() for item in entries]  # the validator hovers over each of them
    cases, weeks = ([int(words[n]) for words in told] for n in (2, 5))
    dengue = [fever("total")[y] for y in range(1998, 2012)]
    assert [int(words[1].rstrip(":")) for words in told] == list(range(1998, 2012))
    spread = [
        uneven(dengue) / uneven(series) for series in ([c * 52 / w for c, w in zip(cases, weeks, strict=True)], cases)
    ]
    return f"{spread[0]:.2f}", f"{spread[1]:.2f}"


def uneven(values: list[float] | list[int]) -> float:
    return statistics.stdev(values) / statistics.mean(values)


def warm_years() -> tuple[object, object]:
    heat, out = drawn("giss-2000s-years", "edition 2023"), []
    for column in ("local", "total"):
        cases = fever(column)
        warm, cool = ([cases[y] for y in range(2001, 2009) if (heat[str(y)] >= 0.6) == hot] for hot in (True, False))
        out.append(f"{statistics.mean(warm) / statistics.mean(cool):.2f}")
    return out[0], out[1]


ANSWERS: dict[str, Callable[[], tuple[object, object]]] = {
    "grid-workbook-more-but-less": more_but_less,
    "air-and-ice-arizona-julys": arizona_julys,
    "air-and-ice-heat-and-travellers": heat_and_travellers,
    "air-and-ice-goals-when-it-cools": goals_when_it_cools,
    "fever-line-list-bursts": bursts,
    "fever-line-list-warm-years": warm_years,
}


@pytest.mark.parametrize("task", ANSWERS)
def test_the_sites_give_the_reference_together_and_haste_does_not(task: str) -> None:
    check = KEYS[task]["checks"][0]
    kind, reference = check["params"].get("type", "csv"), check["params"]["reference"]
    careful, hasty = ANSWERS[task]()
    assert compare(kind, reference, str(careful)).passed
    assert not compare(kind, reference, str(hasty)).passed


def april(year: int, onset: str, form: str, imported: tuple[str, str], dialect: tuple[str, str]) -> tuple[int, int]:
    """Imported cases of April by onset and by notification, from the file of the year."""
    with zipfile.ZipFile(io.BytesIO(fetch(f"https://fever-line-list.test/files/linelist-{year}.zip"))) as archive:
        raw = archive.read(f"linelist_{year}.csv").decode(dialect[0])
    lines = pd.read_csv(io.StringIO(raw), sep=dialect[1], dtype=str, keep_default_na=False)
    lines = lines[lines[imported[0]] == imported[1]]
    columns = (onset, "Date of notification" if year == 2019 else "notification_date")
    fell, told = (pd.to_datetime(lines[column], format=form).dt.strftime("%Y-%m") for column in columns)
    return int((fell == f"{year}-04").sum()), int((told == f"{year}-04").sum())


def test_the_standstill_in_three_sites() -> None:
    before = april(2019, "Date of onset", "%d/%m/%Y", ("Imported", "Yes"), ("utf-16", "\t"))
    after = april(2020, "onset_date", "%Y-%m-%d", ("imported", "Y"), ("utf-8", ","))
    power, air = monthly("united-states"), drawn("scripps-2010-2020", "CO2")
    changes = {
        "dengue": after[0] / before[0] - 1,
        "electricity": power["Apr 2020"] / power["Apr 2019"] - 1,
        "carbon dioxide": air["2020-04"] / air["2019-04"] - 1,
    }
    rows = KEYS["fever-line-list-standstill"]["checks"][0]["params"]["required"]
    for row in rows:
        assert compare("percent", row["reference"], f"{100 * changes[row['name']]:.1f}%").passed
    hasty = f"{100 * (after[1] / before[1] - 1):.1f}%"
    assert not compare("percent", rows[0]["reference"], hasty).passed


def test_at_least_ten_tasks_take_two_or_three_sites_and_are_hard() -> None:
    assert len(SEVERAL) >= 10
    assert any(len(taskfiles.sites_of(TASKS[name].task())) == 3 for name in SEVERAL)
    grades = Counter(difficulty(entry.labels) for entry in TASKS.values())
    assert grades["easy"] >= 15
    assert grades["medium"] >= 18
    assert grades["hard"] >= 20
    assert len(TASKS) == 60


@pytest.mark.parametrize("task", [name for name in SEVERAL if not name.startswith("matchday-archive")])
def test_the_evidence_is_what_all_the_sites_serve(task: str) -> None:
    sites = taskfiles.sites_of(TASKS[task].task())
    views = Views(fetch, Pictures(fetch, {f"{s}.test": ROOT / "sites_docker" / folder(s) for s in sites}))
    evidence = [item for check in KEYS[task]["checks"] for item in check["params"].get("evidence", ())]
    assert {Path(str(item["url"])).parts[1].removesuffix(".test") for item in evidence} == set(sites)
    assert list(problems(_few(evidence), views)) == []


def _few(evidence: list[dict[str, Any]]) -> Json:
    """Workbooks take long to open: four of their cells; the validator reads all."""
    books = [item for item in evidence if item["url"].endswith(".xlsx")]
    return tuple(item for item in evidence if item not in books[4:])


def test_the_table_of_work_in_the_documents_names_every_task_and_keeps_the_minima() -> None:
    lines = (ROOT / "docs" / "tasks.md").read_text(encoding="utf-8").splitlines()
    rows = [line.split("|")[1:4] for line in lines if line.startswith("| ") and "-" in line and "` `" in line]
    work = {name.strip(): re.findall(r"`([\w-]+)`", which) for name, _, which in rows}
    assert [int(count) for _, count, _ in rows] == [len(names) for names in work.values()]
    assert {name for names in work.values() for name in names} == set(TASKS)
    pictured = {name for name, entry in TASKS.items() if entry.labels["media"] == "non_text"}
    assert set(work["value off a picture or canvas"]) == pictured
    least = {"artefact": 5, "not there": 3, "prediction": 2, "plain look-up": 0}
    assert [name for name, names in work.items() if len(names) < least.get(name, 6)] == []
    assert len(work["plain look-up"]) <= 15
