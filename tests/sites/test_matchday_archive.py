"""The site Matchday Archive: crawl, search, leaves against the extract, and its traps."""

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from bs4 import BeautifulSoup

from sites_docker.kit.crawl import crawl, faults
from sites_docker.kit.facts import read_facts
from sites_docker.kit.search import Entry, Index
from sites_docker.matchday_archive.app import create_app
from sites_docker.matchday_archive.archive import NO_DATE, RENAMED, Archive, day_text, season_name, slug_of, spans
from sites_docker.matchday_archive.notes import all_notes

FOLDER = Path(__file__).parents[2] / "sites_docker" / "matchday_archive"
FACTS = read_facts(FOLDER)


@pytest.fixture(scope="module")
def app() -> Any:
    return create_app(FOLDER, FACTS.clock.instant)


@pytest.fixture(scope="module")
def archive() -> Archive:
    return Archive(FOLDER)


async def get(app: Any, path: str) -> httpx.Response:
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url=f"https://{FACTS.host}") as web:
        return await web.get(path)


async def test_crawl(app: Any) -> None:
    # without the 1,560 leaves, which the next test walks for one season; they are all of one template
    visits = await crawl(app, FACTS.host, skip=("/matchdays",))
    assert faults(visits, FACTS.host, FACTS.footer, FACTS.canary) == []
    assert sum(visit.media == "text/html" for visit in visits) >= 110


async def test_only_turning_leads_through_a_season(app: Any, archive: Archive) -> None:
    season = archive.by_year[1991]
    cover = BeautifulSoup((await get(app, f"/seasons/{season.slug}")).text, "lxml")
    leaves = [str(link["href"]) for link in cover.select('a[href^="/matchdays"]')]
    assert leaves == [season.day_url(1)]
    walked: list[str] = []
    path = leaves[0]
    while path:
        page = BeautifulSoup((await get(app, path)).text, "lxml")
        assert FACTS.footer in page.get_text(" ")
        shown = [
            tuple(tag.get_text() for tag in row.select(".home, .score, .away")) for row in page.select("#results li")
        ]
        held = season.days[len(walked) + 1]
        assert shown == [(match.home, match.score, match.away) for match in held]
        assert page.select_one("#m1 .when").get_text().startswith(day_text(held[0].kickoff))  # type: ignore[union-attr] # each leaf has one
        walked.append(path)
        ahead = page.select('a[rel="next"]')
        path = str(ahead[0]["href"]) if ahead else ""
    assert len(walked) == len(set(walked)) == 38


@pytest.mark.parametrize(
    ("query", "url"),
    [
        ("bayern muenchen", "/clubs/bayern-muenchen"),
        ("1981/82 matchday 7", "/matchdays/1981-82-07"),
        ("1999/2000 matchday 34", "/matchdays/1999-2000-34"),
        ("season 1963/64", "/seasons/1963-64"),
        ("deduction", "/methodology"),
        ("missing date", "/methodology/dates"),
    ],
)
async def test_search_finds(app: Any, query: str, url: str) -> None:
    body = (await get(app, "/search/index.json")).content
    assert len(body) < 400_000
    served = json.loads(body)
    found = Index([Entry(title=t, url=u, kind=k, note=n, rank=r) for t, u, k, n, r in served["entries"]])
    found.terms = served["terms"]
    assert url in [entry.url for entry in found.find(query)][:3]


@pytest.mark.parametrize(
    "path",
    [
        "/matchdays/1963-64-31",
        "/matchdays/1963-64-1",
        "/matchdays/x",
        "/seasons/2009-10",
        "/clubs/x",
        "/notes/x",
        "/nope",
    ],
)
async def test_unknown_addresses(app: Any, path: str) -> None:
    answer = await get(app, path)
    assert answer.status_code == 404
    assert "There is no such page" in answer.text


async def test_a_leaf_without_a_date_says_so(app: Any) -> None:
    page = BeautifulSoup((await get(app, "/matchdays/1998-99-17")).text, "lxml")
    assert [tag.get_text() for tag in page.select(".when")].count(NO_DATE) == 2


async def test_no_page_but_the_leaves_gives_results_of_a_season(app: Any, archive: Archive) -> None:
    cover = BeautifulSoup((await get(app, "/seasons/1963-64")).text, "lxml")
    assert cover.select_one("#goals").get_text() == str(archive.by_year[1963].goals)  # type: ignore[union-attr] # it has one
    assert not cover.select(".score")
    assert ":" not in (cover.main.get_text() if cover.main else ":")


def test_words(archive: Archive) -> None:
    assert [season_name(year) for year in (1963, 1999, 2000)] == ["1963/64", "1999/2000", "2000/01"]
    assert spans([1964, 1963, 1970]) == "1963/64 to 1964/65, 1970/71"
    assert slug_of("1. FC Koeln") == "1-fc-koeln"
    assert day_text(datetime(1963, 8, 4, tzinfo=UTC)) == "Sun 4 Aug 1963"
    assert len({note.slug for note in all_notes(archive)}) == 7
    assert archive.by_year[1994].points == 2
    assert archive.by_year[1995].points == 3
    assert archive.club("KFC Uerdingen").other == "Bayer Uerdingen"


def test_the_traps_are_there(archive: Archive) -> None:
    sizes = {season.name: len(season.matches) for season in archive.seasons if len(season.matches) != 306}
    assert sizes == {"1963/64": 240, "1964/65": 240, "1991/92": 380}
    undated = [match for match in archive.matches if match.kickoff is None]
    assert {(match.season, match.matchday) for match in undated} == {(1998, 17)}
    assert len(undated) == 2
    late = [
        season.year
        for season, then in zip(archive.seasons, archive.seasons[1:], strict=False)
        if season.dated[-1] > then.dated[0]
    ]
    assert late == [1986]
    for old, new in RENAMED:
        first, second = archive.club(old), archive.club(new)
        assert first.years[-1] + 1 == second.years[0]
    assert len(archive.clubs) == 52
    for season in archive.seasons:
        for played in season.days.values():
            names = Counter(name for match in played for name in (match.home, match.away))
            assert set(names.values()) == {1}
            assert len(names) == len(season.clubs)
