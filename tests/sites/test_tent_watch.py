"""Tent Watch: every page from home, search, the traps, and figures on pages against the Parquet rows."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from sites_docker.kit.crawl import Visit, crawl, faults
from sites_docker.kit.facts import read_facts
from sites_docker.kit.tables import Tables
from sites_docker.tent_watch.app import Portal, create_app

FOLDER = Path(__file__).parents[2] / "sites_docker" / "tent_watch"
FROZEN = datetime(2020, 5, 2, 10, tzinfo=UTC)
HOST = "tent-watch.test"


@pytest.fixture(scope="module")
def visits() -> list[Visit]:
    return asyncio.run(crawl(create_app(FOLDER, FROZEN), HOST))


def soup(visits: list[Visit], path: str) -> BeautifulSoup:
    return BeautifulSoup(next(v.body for v in visits if v.url == f"https://{HOST}{path}"), "lxml")


def cell(page: BeautifulSoup, selector: str) -> str:
    found = page.select(selector)
    assert len(found) == 1, selector
    return found[0].get_text(strip=True)


def test_crawl(visits: list[Visit]) -> None:
    facts = read_facts(FOLDER)
    assert faults(visits, facts.host, facts.footer, facts.canary) == []
    assert sum(visit.media == "text/html" for visit in visits) >= 300


def test_search_finds_bakers_episodes_and_threads() -> None:
    index = Portal(FOLDER, FROZEN).index()
    assert index.find("ugne")[0].url == "/bakers/6-ugne"
    assert "/episodes/9-4" in [entry.url for entry in index.find("series 9 episode 4")[:2]]
    assert index.find("star baker tallies")[0].url == "/forum/threads/7"
    assert len(index.json()) < 1_000_000


def test_every_rating_and_rank_on_the_tabs_is_the_rows(visits: list[Visit]) -> None:
    tables = Tables(FOLDER)
    pages = {n: soup(visits, f"/series/{n}/ratings") for n in range(1, 11)}
    for series, episode, seven in tables.rows("SELECT series, episode, viewers_7day FROM ratings"):
        assert float(cell(pages[series], f"#r-{series}-{episode} .seven")) == pytest.approx(seven, abs=1e-9)
    for series in (5, 9):
        page = soup(visits, f"/series/{series}/challenges")
        sql = "SELECT result, technical FROM challenges WHERE series = ? AND result IS NOT NULL ORDER BY episode, baker"
        shown = [
            (row.select_one(".result").get_text(strip=True), row.select_one(".technical").get_text(strip=True))  # type: ignore[union-attr] # every row has both
            for row in page.select("table.challenges tbody tr")
        ]
        assert shown == [(result, str(rank or "")) for result, rank in tables.rows(sql, series)]


def test_the_traps_are_there(visits: list[Visit]) -> None:
    assert cell(soup(visits, "/series/9/challenges"), "#b-9-4-terry .result") == "[a]"
    assert cell(soup(visits, "/series/5/challenges"), "#b-5-5-diana .result") == "WD"
    assert cell(soup(visits, "/series/5/challenges"), "#b-5-9-diana .result") == "IN"
    assert cell(soup(visits, "/series/9/episodes"), "#e-9-4 .appeared") == "9"
    assert cell(soup(visits, "/series/6/ratings"), "#r-6-3 .d28") == ""
    assert cell(soup(visits, "/series/3/ratings"), "#r-3-10 .d28") == "1.00"
    assert cell(soup(visits, "/series"), "#s-6 .average") == "12.50"
    assert cell(soup(visits, "/ratings/us"), "#u-3-1 .season") == "5"


def test_results_are_covered_until_asked_for(visits: list[Visit]) -> None:
    page = soup(visits, "/series/6/challenges")
    assert page.select_one("button[data-spoilers]") is not None
    assert all("spoil" in str(td.get("class")) for td in page.select("td.result"))


def test_each_trap_names_a_task() -> None:
    text = (FOLDER / "site.toml").read_text(encoding="utf-8")
    tasks = (FOLDER.parents[1] / "tasks_public" / "tent_watch" / "tasks.toml").read_text(encoding="utf-8")
    named = [line.split('"')[1] for line in text.splitlines() if line.startswith("task = ")]
    assert len(named) >= 2
    assert all(f'id = "{name}"' in tasks for name in named)
