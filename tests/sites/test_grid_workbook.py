"""Pages, search and files of the site Grid Workbook, over ASGI."""

import re
from collections import deque
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx
import pytest
from bs4 import BeautifulSoup

HOST = "grid-workbook.test"
FOLDER = Path(__file__).parents[2] / "sites_docker" / "grid_workbook"
FOOTER = "Demonstration portal. Data: "


def links(url: str, html: str) -> set[str]:
    """Addresses that a page names, without fragments."""
    soup = BeautifulSoup(html, "lxml")
    named = [tag[name] for name in ("href", "src") for tag in soup.select(f"[{name}]")]
    return {urljoin(url, str(item)).split("#")[0] for item in named}


async def test_crawl_finds_no_dead_link_and_leaves_the_host_nowhere(web: httpx.AsyncClient) -> None:
    waiting, seen = deque([f"https://{HOST}/"]), {f"https://{HOST}/"}
    titles: dict[str, str] = {}
    texts: set[str] = set()
    files: set[str] = set()
    while waiting:
        url = waiting.popleft()
        answer = await web.get(url)
        assert answer.status_code == 200, url
        if "text/html" not in answer.headers["content-type"]:
            continue
        assert FOOTER in answer.text
        assert "Not an official site." in answer.text
        soup = BeautifulSoup(answer.text, "lxml")
        assert soup.title is not None
        titles[url] = soup.title.get_text()
        assert soup.main is not None
        texts.add(soup.main.get_text(" ", strip=True))
        for link in links(url, answer.text) - seen:
            assert urlsplit(link).hostname == HOST, f"{url} names {link}"
            seen.add(link)
            # Workbooks: every address is checked by name below, building all 1,386 would take minutes.
            (files.add if link.endswith(".xlsx") else waiting.append)(link)
    assert len(set(titles.values())) >= 150
    assert len(texts) == len(titles), "every page is distinct"
    assert len(files) == 63 * 22
    for file in sorted(files)[:: len(files) // 12]:
        assert (await web.get(file)).status_code == 200, file


async def test_every_workbook_address_has_the_form_that_the_site_serves(web: httpx.AsyncClient) -> None:
    for name in ("grid-workbook_texas_2021.xlsx", "grid-workbook_atlantis_2022-03.xlsx", "x"):
        assert (await web.get(f"/workbooks/2022-03/{name}")).status_code == 404
    assert (await web.get("/workbooks/1999/grid-workbook_texas_1999.xlsx")).status_code == 404


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("Texas", "Texas"),
        ("new hampshire", "New Hampshire"),
        ("texas commercial", "Texas: all commercial"),
        ("edition 2013", "Edition 2013"),
        ("NM", "Methodology"),
    ],
)
async def test_search_finds(web: httpx.AsyncClient, query: str, title: str) -> None:
    soup = BeautifulSoup((await web.get("/search", params={"q": query})).text, "lxml")
    assert title in [link.get_text() for link in soup.select(".results a")]


async def test_search_puts_the_state_first_and_escapes_the_query(web: httpx.AsyncClient) -> None:
    soup = BeautifulSoup((await web.get("/search?q=ohio")).text, "lxml")
    assert soup.select(".results a")[0]["href"] == "/states/ohio"
    evil = await web.get("/search", params={"q": "<script>alert(1)</script>" * 50})
    assert evil.status_code == 200
    assert "<script>alert" not in evil.text


@pytest.mark.parametrize("path", ["/nope", "/states/atlantis", "/states/new-england", "/archive/2030", "/press/x"])
async def test_unknown_addresses_get_the_sites_own_404(web: httpx.AsyncClient, path: str) -> None:
    answer = await web.get(path)
    assert answer.status_code == 404
    assert "There is no such page" in answer.text
    assert FOOTER in answer.text


async def test_the_cookie_bar_goes_away(web: httpx.AsyncClient) -> None:
    assert 'id="cookies"' in (await web.get("/")).text
    web.cookies.set("gw_notice", "read")
    assert 'id="cookies"' not in (await web.get("/")).text


async def test_pages_know_no_clock_but_the_frozen_one(web: httpx.AsyncClient, site: dict[str, Any]) -> None:
    assert "24 June 2022" in (await web.get("/")).text
    file = await web.get("/workbooks/2022-03/grid-workbook_ohio_2022-03.xlsx")
    assert file.headers["last-modified"] == "Fri, 24 Jun 2022 12:00:00 GMT"
    for code in FOLDER.glob("*.py"):
        assert not re.search(r"datetime\.now|time\.time|date\.today", code.read_text(encoding="utf-8")), code
    assert site["frozen"] == "2022-06-24T12:00:00Z"


async def test_nothing_is_fetched_from_elsewhere() -> None:
    # the crawl checks links; this is for addresses in styles, scripts and drawings
    for file in [*FOLDER.glob("static/*"), *FOLDER.glob("templates/*")]:
        found = re.findall(r"(?:https?:)?//[\w.-]+", file.read_text(encoding="utf-8"))
        assert set(found) <= {"http://www.w3.org"}, file


async def test_a_workbook_comes_with_a_name(web: httpx.AsyncClient) -> None:
    for name in ("grid-workbook_california_2022-03.xlsx", "grid-workbook_all-areas_2022-03.xlsx"):
        answer = await web.get(f"/workbooks/2022-03/{name}")
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'


async def test_the_state_picker_works_without_scripts(web: httpx.AsyncClient) -> None:
    assert (await web.get("/go?area=ohio")).headers["location"] == "/states/ohio"
    assert (await web.get("/go?area=//evil.test")).headers["location"] == "/states"
