"""The site Fever Line List from home to every page over ASGI, its files, and the traps that tasks rest on."""

import csv
import io
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

from sites_docker.fever_line_list.app import Portal, create_app, file_name
from sites_docker.fever_line_list.figures import REGIONS, Figures, added
from sites_docker.fever_line_list.layouts import AGES, Shelf
from sites_docker.kit.crawl import crawl, faults
from sites_docker.kit.facts import read_facts
from sites_docker.kit.search import Index

FOLDER = Path(__file__).parents[2] / "sites_docker" / "fever_line_list"
FACTS = read_facts(FOLDER)


@cache
def figures() -> Figures:
    return Figures(FOLDER)


@cache
def shelf() -> Shelf:
    return Shelf(figures().tables, FACTS.clock, FACTS.canary, FACTS.data_line)


@cache
def app() -> Any:
    return create_app(FOLDER, FACTS.clock.instant)


@cache
def index() -> Index:
    return Portal(FOLDER, FACTS.clock.instant).index()


def lines(year: int) -> list[dict[str, str]]:
    """A year's line list as a careful reader opens it."""
    layout = shelf().layout(year)
    with zipfile.ZipFile(io.BytesIO(shelf().file(year))) as archive:
        text = archive.read(layout.member(year)).decode(layout.encoding)
    return list(csv.DictReader(io.StringIO(text), delimiter=layout.delimiter))


async def test_crawl() -> None:
    # The files are checked by name below: building all of them takes longer than this test may.
    visits = await crawl(app(), FACTS.host, skip=("/files/", "/mirror/"))
    assert faults(visits, FACTS.host, FACTS.footer, FACTS.canary) == []
    assert sum(visit.media == "text/html" for visit in visits) >= 80
    named = {link for visit in visits for link in visit.links}
    for folder in ("files", "mirror/north", "mirror/south"):
        wanted = {f"https://{FACTS.host}/{folder}/{file_name(year)}" for year in range(1998, 2025)}
        assert wanted == {link for link in named if f"/{folder}/" in link}


async def test_files_and_mirrors() -> None:
    transport = httpx.ASGITransport(app=app())
    async with httpx.AsyncClient(transport=transport, base_url=f"https://{FACTS.host}") as web:
        here, north = await web.get("/files/linelist-2021.zip"), await web.get("/mirror/north/linelist-2021.zip")
        assert here.content == north.content == shelf().file(2021)
        assert here.headers["content-disposition"] == 'attachment; filename="linelist-2021.zip"'
        for path in ("/mirror/south/linelist-2021.zip", "/files/linelist-1997.zip", "/years/2025", "/counties/x"):
            gone = await web.get(path)
            assert gone.status_code == 404
            assert "There is no such page" in gone.text
        for path in ("/codebook/layout-e", "/methodology/x", "/notes/x", "/years/%C2%B2"):
            assert (await web.get(path)).status_code == 404


@pytest.mark.parametrize(
    ("query", "url"),
    [
        ("kaohsiung city", "/counties/kaohsiung-city"),
        ("sanmin", "/counties/kaohsiung-city#sanmin-dist"),
        ("2015", "/years/2015"),
        ("RESCTY", "/codebook/layout-b"),
        ("是否境外移入", "/codebook/layout-a"),
        ("10009", "/counties/yunlin-county"),
        ("emirtes", "/codebook/countries#united-arab-emirtes"),
    ],
)
async def test_search_finds(query: str, url: str) -> None:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app()), base_url=f"https://{FACTS.host}") as web:
        body = await web.get("/search/index.json")
        page = await web.get(url)
    assert len(body.content) < 200_000
    assert page.status_code == 200
    if "#" in url:
        assert f'id="{url.partition("#")[2]}"' in page.text
    assert url in [entry.url for entry in index().find(query)[:5]]


@pytest.mark.parametrize("year", [1998, 2002, 2004, 2013, 2014, 2021, 2024])
def test_a_file_holds_the_lines_notified_in_its_year(year: int) -> None:
    layout, found = shelf().layout(year), lines(year)
    assert len(found) == figures().lines[year]
    heads = {field: heading for heading, field, _ in layout.columns}
    assert sum(int(line[heads["cases"]]) for line in found) == figures().year(year).total
    years = {line[heads["notification"]] for line in found}
    mark = {"A": f"{year - 1911:03d}/", "B": str(year), "C": f"/{year}", "D": f"{year}-"}[layout.letter]
    assert all(mark in day for day in years)
    assert len({line[heads["line"]] for line in found}) == len(found)


def test_layouts_say_the_same_about_one_line() -> None:
    rows = {layout.letter: lines(layout.first)[0] for layout in shelf().layouts}
    assert list(rows["A"].values())[:5] == ["L000001", "087/01/02", "", "087/01/07", "男"]
    assert rows["B"] == {
        "CASENO": "L006346", "NOTIF": "20040106", "CONF": "", "ONSET": "20031221", "SEX": "2", "AGEG": "14",
        "RESCTY": "10009", "RESTWN": "Linnei Township", "INFCTY": "", "INFTWN": "", "IMP": "2", "ORIGIN": "THAILAND",
        "NCASE": "1", "STYPE": "9",
    }  # fmt: skip
    assert AGES[13] == "45-49"
    assert rows["C"]["Country of infection"] == "TAIWAN"
    assert rows["D"]["infection_county"] == "None"


def test_files_repeat() -> None:
    again = Shelf(figures().tables, FACTS.clock, FACTS.canary, FACTS.data_line)
    assert again.file(2005) == shelf().file(2005)
    with zipfile.ZipFile(io.BytesIO(again.file(2005))) as archive:
        readme = archive.read("README.txt").decode()
    assert "layout B" in readme
    assert FACTS.canary in readme


def test_tables_add_up() -> None:
    for year in figures().years:
        months = added(figures().month(year, month) for month in range(1, 13))
        groups = added(figures().region(year, region) for region in REGIONS) + figures().at(year, None)
        assert months == groups == figures().year(year)
    assert figures().span(1998, 2024).total == 107_119


def test_the_traps_are_there() -> None:
    assert sorted(sum(REGIONS.values(), ())) == [county.name for county in figures().counties]
    sql = "SELECT count(*) FROM cases WHERE year(onset) <> year(notification)"
    assert figures().tables.one(sql) == 297
    assert figures().tables.one("SELECT count(*) FROM cases WHERE cases = 2") == 2
    assert figures().tables.one("SELECT count(*) FROM cases WHERE notification < onset") == 1
    ranked = sorted((figures().at(2002, name).total for names in REGIONS.values() for name in names), reverse=True)
    assert ranked[1] > figures().at(2002, None).total > ranked[2]
