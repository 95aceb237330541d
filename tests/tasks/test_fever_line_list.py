"""The ten tasks on Fever Line List: oracle, evidence as served, and each answer once more from the files with pandas.

The SQL of the keys reads the extract. Here files are opened as a reader must open them, and the hasty answer stands by
the careful one, so that the convention named in `guard` really makes the difference.
"""

import io
import tomllib
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from sites_docker.fever_line_list.app import create_app
from sites_docker.kit.facts import read_facts
from tests.tasks.several import asked
from webds.cells import read_cell
from webds.difficulty import difficulty
from webds.suites import taskfiles
from webds_judge.answers import compare

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tasks_public" / "fever_line_list"
SITE = ROOT / "sites_docker" / "fever_line_list"
KEYS: list[dict[str, Any]] = tomllib.loads((FOLDER / "keys.toml").read_text(encoding="utf-8"))["key"]
CHECKS = {key["task"].removeprefix("fever-line-list-"): key["checks"][0] for key in KEYS}
TASKS = {entry.id: entry for entry in taskfiles.read(FOLDER / "tasks.toml")}
FACTS = read_facts(SITE)


class Served:
    """The site over ASGI; each address is asked for once."""

    def __init__(self) -> None:
        self._app = create_app(SITE, FACTS.clock.instant)
        self._got: dict[str, bytes] = {}

    async def get(self, url: str) -> bytes:
        if url not in self._got:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app=self._app)) as web:
                answer = await web.get(url)
            assert answer.status_code == 200, url
            self._got[url] = answer.content
        return self._got[url]

    async def lines(self, year: int) -> pd.DataFrame:
        """A year's line list, all text, in the names of layout D."""
        data = await self.get(f"https://{FACTS.host}/files/linelist-{year}.zip")
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            raw = archive.read(next(name for name in archive.namelist() if name.endswith(".csv")))
        encoding, mark = ("big5", ",") if year < 2004 else ("utf-8-sig", ";") if year < 2014 else ("utf-16", "\t")
        encoding, mark = (encoding, mark) if year < 2020 else ("utf-8", ",")
        table = pd.read_csv(io.StringIO(raw.decode(encoding)), sep=mark, dtype=str, keep_default_na=False)
        return table.rename(columns=NAMES)


NAMES = {
    "發病日": "onset", "通報日": "notified", "個案研判日": "confirmed", "是否境外移入": "imported",
    "ONSET": "onset", "RESCTY": "county", "INFCTY": "caught", "IMP": "imported", "NCASE": "cases",
    "Date of onset": "onset", "County of residence": "county", "County of infection": "caught",
    "Age group (years)": "age", "Imported": "imported", "Confirmed cases": "cases", "Serotype": "serotype",
    "Country of infection": "country", "infection_country": "country", "confirmed_cases": "cases",
}  # fmt: skip


@cache
def served() -> Served:
    return Served()


async def table(path: str, which: str) -> dict[str, list[int]]:
    """A table of a page: figures by the words of its first column."""
    soup = BeautifulSoup(await served().get(f"https://{FACTS.host}{path}"), "lxml")
    rows = [
        [cell.get_text(" ", strip=True) for cell in row.select("th, td")] for row in soup.select(f"{which} tbody tr")
    ]
    return {row[0]: [int(cell.replace(",", "")) for cell in row[1:4]] for row in rows}


async def four_counties() -> tuple[object, object]:
    rows = await table("/years/2002", "#counties")
    del rows["Taiwan"]
    every = sorted(rows, key=lambda name: -rows[name][0])
    counties = [name for name in every if name.endswith((" City", " County"))]
    return ", ".join(counties[:4]), ", ".join(every[:4])


async def pingtung_years() -> tuple[object, object]:
    rows = await table("/counties/pingtung-county", "#years")
    more = [year for year, (_, away, here) in rows.items() if here > away]
    return sum(year.isdigit() for year in more), len(more)


async def tainan_villages() -> tuple[object, object]:
    heads = [head.lower() for year in (2015, 2016) for head in (await served().lines(year)).columns]
    assert not any("village" in head for head in heads)
    for path in ("/codebook/layout-c", "/counties/tainan-city"):
        assert "village" not in (await served().get(f"https://{FACTS.host}{path}")).decode().lower()
    return "The portal does not publish villages.", "North Dist., 5,000 patients"


def minguo(days: pd.Series) -> pd.Series:
    return pd.to_datetime([f"{int(day[:3]) + 1911}{day[3:]}" for day in days]).to_series(index=days.index)


async def reporting_delay() -> tuple[object, object]:
    lines = await served().lines(2002)
    waits = (minguo(lines["notified"]) - minguo(lines["onset"])).dt.days
    return round(waits[lines["imported"] == "否"].mean(), 2), round(waits.mean(), 2)


async def serotype_share() -> tuple[object, object]:
    lines = await served().lines(2019)
    local = lines[lines["imported"] == "No"]["serotype"]
    found = local == "DENV-4"
    return f"{100 * found.sum() / (local != 'n/a').sum():.1f}%", f"{100 * found.mean():.1f}%"


async def missing_travellers() -> tuple[object, object]:
    rows = await table("/years", "#years")
    out = []
    for column in (1, 0):
        years = range(2010, 2020)
        line = np.polyfit(years, [rows[str(year)][column] for year in years], 1)
        out.append(round(float(np.polyval(line, 2020)) - rows["2020"][column]))
    return out[0], out[1]


async def impossible_line() -> tuple[object, object]:
    lines = pd.concat([await served().lines(year) for year in range(1998, 2004)])
    onset, notified = minguo(lines["onset"]), minguo(lines["notified"])
    wrong = onset[notified < onset]
    assert len(wrong) == 1
    return str(wrong.iloc[0].date()), lines.loc[lines["onset"].isin(lines["onset"][notified < onset]), "onset"].iloc[0]


SEVERAL = ("bursts", "standstill", "warm-years")
"""Computed in test_several_sites.py."""
ANSWERS: dict[str, Callable[[], Any]] = {
    "four-counties": four_counties,
    "pingtung-years": pingtung_years,
    "tainan-villages": tainan_villages,
    "reporting-delay": reporting_delay,
    "serotype-share": serotype_share,
    "missing-travellers": missing_travellers,
    "impossible-line": impossible_line,
}


@pytest.mark.parametrize("name", ANSWERS)
async def test_the_site_gives_the_reference_and_haste_does_not(name: str) -> None:
    careful, hasty = await ANSWERS[name]()
    params = CHECKS[name]["params"]
    kind = params.get("type", "csv")
    assert compare(kind, params["reference"], str(careful)).passed
    assert not compare(kind, params["reference"], str(hasty)).passed


@pytest.mark.parametrize("name", [name for name in CHECKS if name not in ("tainan-villages", "standstill")])
def test_the_oracle_gives_the_reference(name: str) -> None:
    params = CHECKS[name]["params"]
    task = TASKS[f"fever-line-list-{name}"].task()
    rows = asked(taskfiles.sites_of(task), params["oracle"]["sql"])
    if isinstance(params["reference"], list):
        assert [row[0] for row in rows] == params["reference"]
    else:
        reference = params["reference"]
        spellings = reference["any_of"] if isinstance(reference, dict) else [reference]
        assert len(rows) == 1
        assert rows[0] == (spellings[0],)


@pytest.mark.parametrize("name", ANSWERS)
async def test_the_evidence_is_what_the_site_serves(name: str) -> None:
    evidence = CHECKS[name]["params"]["evidence"]
    # Cells of the largest files take long to read; the validator reads all of them.
    for item in [item for item in evidence if "2015.zip" not in item["url"] and "2023.zip" not in item["url"]]:
        data = await served().get(item["url"])
        if item["kind"] == "cell":
            found = read_cell(data, item["url"].rpartition("/")[2], item)
        else:
            (element,) = BeautifulSoup(data, "lxml").select(item["selector"])
            found = " ".join(element.get_text(" ").split())
        assert found == item["value"], item


def test_tasks_are_whole_and_hold_no_answer() -> None:
    assert len(TASKS) == 10
    assert [key["task"] for key in KEYS] == list(TASKS) == sorted(TASKS, key=list(TASKS).index)
    assert {f"fever-line-list-{name}" for name in (*ANSWERS, *SEVERAL)} == set(TASKS)
    for key in KEYS:
        entry, params = TASKS[key["task"]], key["checks"][0]["params"]
        reference: Any = params.get("reference") or [str(row["reference"]) for row in params["required"]]
        script = FOLDER / "solutions" / f"{entry.id.replace('-', '_')}.py"
        texts = [entry.prompt, entry.guard, script.read_text(encoding="utf-8") if script.exists() else ""]
        if params.get("type") == "unachievable":  # what is missing is named by the prompt; that it is missing is not
            assert not compare("unachievable", reference, entry.prompt).passed
            assert not compare("unachievable", reference, "not available").passed
            continue
        spellings = reference["any_of"] if isinstance(reference, dict) else [reference]
        for part in reference if isinstance(reference, list) else map(str, spellings):
            mentions = [text for text in texts if part.lower() in text.lower()]
            assert not mentions, part
    grades = [difficulty(entry.labels) for entry in TASKS.values()]
    assert (grades.count("easy"), grades.count("medium"), grades.count("hard")) == (3, 4, 3)


def test_every_trap_names_a_task_of_this_site() -> None:
    traps = tomllib.loads((SITE / "site.toml").read_text(encoding="utf-8"))["trap"]
    assert len(traps) >= 2
    assert {trap["task"] for trap in traps} <= set(TASKS)


def test_the_canary_stands_in_the_task_files() -> None:
    for name in ("tasks.toml", "keys.toml"):
        assert FACTS.canary in (FOLDER / name).read_text(encoding="utf-8")
