"""The site Air and Ice: crawl, search, captions against the extract, pictures against their records, and its traps."""

import asyncio
import json
from pathlib import Path
from typing import Any

import duckdb
import httpx
import numpy as np
import pytest
from bs4 import BeautifulSoup
from PIL import Image

from sites_docker.air_and_ice.app import create_app
from sites_docker.air_and_ice.article import plain
from sites_docker.air_and_ice.deep_plots import deep_plots
from sites_docker.air_and_ice.plots import HEIGHT, WIDTH, Plot, all_plots
from sites_docker.air_and_ice.records import Records, means, signed, thousands
from sites_docker.kit.crawl import Visit, crawl, faults
from sites_docker.kit.drawing import Chart
from sites_docker.kit.facts import read_facts
from sites_docker.kit.search import Entry, Index

FOLDER = Path(__file__).parents[2] / "sites_docker" / "air_and_ice"
FACTS = read_facts(FOLDER)
TOLERANCE = 8
"""What the validator allows a colour channel to differ by."""
DRAWN = sorted((FOLDER / "drawn").glob("*.json"))


@pytest.fixture(scope="module")
def app() -> Any:
    return create_app(FOLDER, FACTS.clock.instant)


@pytest.fixture(scope="module")
def records() -> Records:
    return Records(FOLDER)


@pytest.fixture(scope="module")
def visits(app: Any) -> list[Visit]:
    return asyncio.run(crawl(app, FACTS.host))


async def get(app: Any, path: str) -> httpx.Response:
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url=f"https://{FACTS.host}") as web:
        return await web.get(path)


async def said(app: Any, path: str, selector: str) -> str:
    found = BeautifulSoup((await get(app, path)).text, "lxml").select(selector)
    assert len(found) == 1
    return " ".join(found[0].get_text().split())


def test_crawl(visits: list[Visit]) -> None:
    assert faults(visits, FACTS.host, FACTS.footer, FACTS.canary) == []
    assert sum(visit.media == "text/html" for visit in visits) >= 150


def test_no_page_has_a_table_or_a_file_of_values(visits: list[Visit]) -> None:
    for visit in visits:
        assert visit.media in ("text/html", "image/png", "image/svg+xml", "text/css", "text/javascript"), visit.url
        assert b"<table" not in visit.body


def test_every_picture_is_shown_once_and_has_its_record(visits: list[Visit]) -> None:
    shown = {visit.url.rpartition("/")[2].removesuffix(".png") for visit in visits if visit.media == "image/png"}
    assert shown == {path.stem for path in DRAWN} == {path.stem for path in FOLDER.glob("static/charts/*.png")}
    assert len(shown) >= 70


async def test_records_are_not_served(app: Any) -> None:
    for path in ("/drawn/giss-1940s-months.json", "/static/drawn/giss-1940s-months.json", "/static/../drawn/x.json"):
        assert (await get(app, path)).status_code == 404


def test_pictures_hold_what_their_records_say() -> None:
    for path in DRAWN:
        record = json.loads(path.read_text(encoding="utf-8"))
        with Image.open(FOLDER / record["image"].lstrip("/")) as opened:
            picture = np.asarray(opened.convert("RGB")).astype(int)
        assert [picture.shape[1], picture.shape[0]] == record["size"] == [WIDTH, HEIGHT]
        for point in record["points"]:
            colour = np.array(list(bytes.fromhex(point["colour"].removeprefix("#"))))
            assert abs(picture[point["y"], point["x"]] - colour).max() <= TOLERANCE, (path.stem, point)


def test_records_are_those_of_the_data(records: Records) -> None:
    plots: dict[str, Plot] = {**all_plots(records), **deep_plots(records)}
    assert set(plots) == {path.stem for path in DRAWN}
    for slug in ("mauna-loa-around-400", "composite-revised"):
        chart = Chart(WIDTH, HEIGHT)
        plots[slug].draw(chart)
        points = json.loads((FOLDER / "drawn" / f"{slug}.json").read_text(encoding="utf-8"))["points"]
        drawn = [(point.series, point.key, point.value) for point in chart.render()[1]]
        assert drawn == [(p["series"], p["key"], p["value"]) for p in points]


@pytest.mark.parametrize(
    ("query", "url"),
    [
        ("1944", "/temperature/1940s"),
        ("south pole 2008", "/carbon/south-pole-noaa-2008-2016"),
        ("methane", "/ice/law-dome-methane"),
        ("krakatoa", "/temperature/1880s"),
        ("baselines", "/methodology/baselines"),
        ("parts per billion", "/glossary/ppb"),
    ],
)
async def test_search_finds(app: Any, query: str, url: str) -> None:
    answer = await get(app, "/search/index.json")
    assert len(answer.content) < 1_000_000
    served = answer.json()
    entries = [Entry(title=t, url=u, kind=k, note=n, rank=r) for t, u, k, n, r in served["entries"]]
    index = Index(entries)
    index.terms = served["terms"]
    assert url in [entry.url for entry in index.find(query)][:12]


def asked(sql: str) -> Any:
    """One value, by SQL of its own over the Parquet files."""
    with duckdb.connect() as base:
        for file in (FOLDER / "data").glob("*.parquet"):
            base.read_parquet(str(file)).create(file.stem)
        rows = base.execute(sql).fetchall()
    assert len(rows) == 1
    return rows[0][0]


async def test_captions_are_those_of_the_data(app: Any) -> None:
    caption = await said(app, "/temperature/1940s", "#caption-1")
    bounds = [asked(f"SELECT {f}(anomaly) FROM giss_2022 WHERE month LIKE '194%'") for f in ("max", "min")]
    assert all(f"{signed(value)} °C" in caption for value in bounds)
    decade = asked("SELECT avg(anomaly) FROM giss_2022 WHERE month LIKE '191%'")
    assert f"{plain(decade, 3)} °C" in await said(app, "/temperature/1910s", "#caption-2")
    year = asked("SELECT avg(co2) FROM scripps WHERE month LIKE '2019%'")
    assert f"{plain(year)} ppm in 2019" in await said(app, "/carbon/mauna-loa-scripps-2010-2020", "#caption-1")
    age = asked("SELECT arg_min(age, co2) FROM dome_c_co2")
    assert f"age of {thousands(age)} years" in await said(app, "/ice/dome-c-600-700", "#caption-1")
    base = asked('SELECT avg("both") FROM long_series WHERE year BETWEEN 1951 AND 1980')
    assert await said(app, "/methodology/baselines", "#mean-long-1951-1980") == f"{signed(base, 3)} °C"


def test_what_the_texts_claim_holds(records: Records) -> None:
    whole = means(records.scripps)
    assert all(whole[year] > whole[year - 1] for year in whole if year - 1 in whole)
    assert [year for year in range(1959, 2020) if year not in whole] == [1964]
    assert max(records.giss_years, key=lambda year: records.giss_years[year]) == 2020
    assert max(records.giss_2023, key=lambda year: records.giss_2023[year]) == 2023
    assert max(abs(value) for value in records.revisions.values()) * 100 == 1


async def test_the_baseline_stands_in_a_note_only(app: Any, records: Records) -> None:
    plots = all_plots(records)
    assert not any("1951" in plot.title and "1880" not in plot.title for plot in plots.values())
    for path, years in (
        ("/temperature/1950s", "1951 to 1980"),
        ("/temperature/land-and-ocean-1950-1999", "1901 to 2000"),
    ):
        page = BeautifulSoup((await get(app, path)).text, "lxml")
        notes = page.select_one(".notes")
        assert notes is not None
        assert years in notes.extract().get_text()
        assert page.main is not None
        assert years not in page.main.get_text()


def test_the_traps_are_there(records: Records) -> None:
    assert max(records.noaa["South Pole"]) < max(records.noaa["Mauna Loa"])
    near = [value for month, value in records.noaa["Mauna Loa"].items() if month < "2014-04" and value > 399.5]
    assert len(near) == 2
    assert min(value for _, value in records.composite) > min(sample.value for sample in records.dome_co2)
    moved = [int(value * 100) for value in records.revisions.values()]
    assert (moved.count(1), moved.count(-1)) == (6, 25)


def test_no_clock_and_no_other_host() -> None:
    for code in FOLDER.glob("*.py"):
        text = code.read_text(encoding="utf-8")
        assert "datetime.now" not in text
        assert "date.today" not in text
    for file in [*FOLDER.glob("templates/*"), *FOLDER.glob("static/*.*")]:
        assert "//" not in file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", ""), file
