"""The site Contagion Ledger: crawl, search, values on pages against the extract, packed figures, and its traps."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from bs4 import BeautifulSoup

from sites_docker.contagion_ledger.app import create_app
from sites_docker.contagion_ledger.ledger import THIN, Ledger, Line, spans
from sites_docker.contagion_ledger.notes import about
from sites_docker.contagion_ledger.packed import NO_YEAR, pack, varint
from sites_docker.kit.crawl import crawl, faults
from sites_docker.kit.facts import read_facts
from sites_docker.kit.search import Entry, Index

FOLDER = Path(__file__).parents[2] / "sites_docker" / "contagion_ledger"
FACTS = read_facts(FOLDER)


@pytest.fixture(scope="module")
def app() -> Any:
    return create_app(FOLDER, FACTS.clock.instant)


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    return Ledger(FOLDER)


async def get(app: Any, path: str) -> httpx.Response:
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url=f"https://{FACTS.host}") as web:
        return await web.get(path)


async def test_crawl(app: Any) -> None:
    visits = await crawl(app, FACTS.host)
    assert faults(visits, FACTS.host, FACTS.footer, FACTS.canary) == []
    assert sum(visit.media == "text/html" for visit in visits) >= 80


@pytest.mark.parametrize(
    ("query", "url"),
    [
        ("polio", "/diseases/polio"),
        ("texas", "/areas/texas"),
        ("texas smallpox", "/maps/smallpox#texas"),
        ("thin weeks", "/methodology/weeks"),
        ("tycho", "/attribution"),
    ],
)
async def test_search_finds(app: Any, query: str, url: str) -> None:
    served = (await get(app, "/search/index.json")).json()
    assert served["entries"]
    found = Index([Entry(title=t, url=u, kind=k, note=n, rank=r) for t, u, k, n, r in served["entries"]])
    found.terms = served["terms"]
    assert url in [entry.url for entry in found.find(query)][:2]


@pytest.mark.parametrize(
    "path", ["/maps/plague", "/maps/plague.bin", "/areas/guam", "/notes/x", "/diseases/x", "/nope"]
)
async def test_unknown_addresses(app: Any, path: str) -> None:
    answer = await get(app, path)
    assert answer.status_code == 404
    assert "There is no such page" in answer.text


async def test_downloads_are_the_extract(app: Any, ledger: Ledger) -> None:
    weeks = list(csv.DictReader(io.StringIO((await get(app, "/downloads/contagion-ledger_weeks_polio.csv")).text)))
    sheet = ledger.sheet("Polio")
    assert len(weeks) == 51
    assert all(int(row[str(year)]) == sheet.cells[row["area"], year].weeks for row in weeks for year in sheet.years)
    people = await get(app, "/downloads/contagion-ledger_population.csv")
    assert people.headers["last-modified"] == "Mon, 09 Oct 2023 09:00:00 GMT"
    alaska = next(row for row in csv.DictReader(io.StringIO(people.text)) if row["area"] == "Alaska")
    assert alaska["1959"] == ""
    assert alaska["1960"] == str(ledger.population["Alaska", 1960])


async def test_no_page_gives_the_counts_away(app: Any, ledger: Ledger) -> None:
    # an entry is told by the tip only: a count of five digits must stand on no page
    counts = {f"{line.cases:,}" for sheet in ledger.sheets for line in sheet.lines if line.cases >= 10_000}
    counts -= {f"{value:,}" for value in ledger.population.values() if value}
    for visit in await crawl(app, FACTS.host, skip=("/static", "/kit", "/downloads")):
        if visit.media == "text/html":
            assert not counts & set(re.findall(r"(?<![\d,.])\d[\d,]+\d", visit.text)), visit.url


def unpacked(data: bytes) -> tuple[int, list[list[tuple[int, int]]]]:
    """First year, then weeks and cases by area and year, as map.js reads them."""
    first, years, areas = data[4] | data[5] << 8, data[6], data[7]
    place = 8
    out = []
    for _ in range(areas):
        row, total = [], 0
        for _ in range(years):
            weeks = data[place]
            place += 1
            if weeks != NO_YEAR:
                value = shift = 0
                while True:
                    value |= (data[place] & 127) << shift
                    shift += 7
                    place += 1
                    if data[place - 1] < 128:
                        break
                total += -(value + 1) // 2 if value % 2 else value // 2
            row.append((weeks, total))
        out.append(row)
    return first, out


@pytest.mark.parametrize("slug", ["measles", "pertussis"])
def test_packed_figures_are_the_extract(ledger: Ledger, slug: str) -> None:
    sheet = ledger.by_slug[slug]
    first, rows = unpacked(pack(ledger, sheet))
    assert first == sheet.years[0]
    for area, row in zip(ledger.areas, rows, strict=True):
        for offset, (weeks, cases) in enumerate(row):
            line = sheet.cells.get((area.name, first + offset))
            assert weeks == (NO_YEAR if line is None else line.weeks)
            assert line is None or cases == line.cases
    assert [varint(n) for n in (0, -1, 1, 64)] == [b"\0", b"\1", b"\2", b"\x80\1"]


def test_rules(ledger: Ledger) -> None:
    line = Line(area="a", year=1, weeks=26, cases=10, population=None)
    assert line.annualised == 20
    assert Line(area="a", year=1, weeks=THIN - 1, cases=10, population=None).annualised is None
    assert spans([1950, 1948, 1949, 1952]) == "1948 to 1950, 1952"
    assert about(3547) == "about 3,500"
    assert about(7) == "about 7"
    total, reporting = ledger.sheet("Polio").totals[1952]
    assert total == sum(line.cases for line in ledger.sheet("Polio").lines if line.year == 1952)
    assert reporting == 49


def test_the_traps_are_there(ledger: Ledger) -> None:
    lines = [line for sheet in ledger.sheets for line in sheet.lines]
    assert sum(line.weeks < 52 for line in lines) / len(lines) > 0.85
    assert all(line.cases == 0 for line in lines if line.weeks == 0)
    assert any(line.cases == 0 for line in lines if line.weeks > 0)
    assert sum(line.weeks == 1 for line in ledger.sheet("Measles").lines if line.year == 1997) > 5
    assert {line.area for line in lines if line.population is None} == {"Alaska", "Hawaii"}
    assert set(range(1938, 2012)) - set(ledger.sheet("Pertussis").years) == set(range(1956, 1974))


async def test_pages_show_the_extract(app: Any, ledger: Ledger) -> None:
    page = BeautifulSoup((await get(app, "/areas/new-mexico")).text, "lxml")
    shown = {row["id"]: row.select_one(".silent").get_text() for row in page.select(".silence tr[id]")}  # type: ignore[union-attr] # each row has one
    assert shown == {sheet.slug: spans(sheet.silent("New Mexico")) or "none" for sheet in ledger.sheets}
    table = BeautifulSoup((await get(app, "/diseases")).text, "lxml")
    for sheet in ledger.sheets:
        cell = table.select_one(f"#row-{sheet.slug} .short")
        assert cell is not None
        assert cell.get_text() == f"{sheet.share(under=52):.1f} %"
