"""The kit: a new site serves and passes its crawl, search finds, files repeat, notices are in place."""

import io
import tomllib
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from openpyxl import Workbook
from starlette.requests import Request
from starlette.routing import Route

from sites_docker.kit.crawl import crawl, faults
from sites_docker.kit.facts import Clock, read_facts
from sites_docker.kit.files import csv_bytes, xlsx_bytes, zip_bytes
from sites_docker.kit.new import new_site
from sites_docker.kit.noise import Noise, Sponsor, missing_mirror, slow
from sites_docker.kit.pages import Pages, make_app
from sites_docker.kit.paging import paged
from sites_docker.kit.search import Entry, Index, words
from webds.cli.sites_new import new
from webds.errors import InputFault
from webds.tracks.sites import all_sites, pick

NOON = datetime(2024, 3, 15, 12, tzinfo=UTC)
KIT = Path(__file__).parents[2] / "sites_docker" / "kit"


@pytest.fixture
def started(tmp_path: Path) -> Path:
    new_site(tmp_path, "paper-mill", "Paper Mill", 31, "industry")
    return tmp_path / "sites_docker" / "paper_mill"


def app_in(folder: Path) -> Any:
    """The app of a site that lies outside the checkout."""
    namespace: dict[str, Any] = {"__name__": "started"}
    exec(compile((folder / "app.py").read_text(encoding="utf-8"), "app.py", "exec"), namespace)
    return namespace["create_app"](folder, NOON)


async def test_a_new_site_passes_the_crawl(started: Path) -> None:
    facts = read_facts(started)
    visits = await crawl(app_in(started), facts.host)
    assert faults(visits, facts.host, facts.footer, facts.canary) == []
    assert sum(visit.media == "text/html" for visit in visits) >= 30


async def test_faults_are_named(started: Path) -> None:
    facts = read_facts(started)
    home = started / "templates" / "home.html"
    home.write_text(
        home.read_text(encoding="utf-8").replace(
            '<a class="button" href="/records">',
            '<a href="/gone">x</a><a href="https://elsewhere.test/">y</a><a href="/records">',
        ),
        encoding="utf-8",
    )
    visits = await crawl(app_in(started), facts.host)
    host = f"https://{facts.host}"
    wrong = [f"{host}/: names https://elsewhere.test/", f"{host}/gone: answers 404"]
    assert sorted(faults(visits, facts.host, facts.footer, facts.canary)) == wrong
    assert faults(visits, facts.host, facts.footer, facts.canary, missing={"/gone"}) == wrong[:1]
    assert any("footer" in line for line in faults(visits, facts.host, "another sentence", facts.canary))
    assert any("canary" in line for line in faults(visits, facts.host, facts.footer, "another"))


def test_a_site_is_started_once_and_under_a_host_name(started: Path) -> None:
    root = started.parents[1]
    with pytest.raises(FileExistsError, match="paper_mill"):
        new_site(root, "paper-mill", "Paper Mill", 31, "industry")
    for name in ("Paper", "1mill", "a--b", "../a", "a_b"):
        with pytest.raises(ValueError, match="wanted"):
            new_site(root, name, "x", 1, "x")
    assert (started / "NOTICE").is_file()
    assert not list(started.rglob("*.txt"))


def test_the_command_starts_a_site_and_refuses_in_one_line(started: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = started.parents[1]
    (root / "tasks_public").mkdir()
    new("salt-works", "", 32, "industry", str(root))
    assert "sites_docker/salt_works/app.py" in capsys.readouterr().out
    assert read_facts(root / "sites_docker" / "salt_works").title == "Salt Works"
    for name, why in (("salt-works", "there already"), ("Salt", "small letters")):
        with pytest.raises(InputFault, match=why):
            new(name, "", 0, "industry", str(root))
    for title, domain, why in (("a\nb", "x", "site title: .*one line"), ("a", "\x7f", "site domain: .*one line")):
        with pytest.raises(InputFault, match=why):
            new("salt-pans", title, 0, domain, str(root))


async def test_a_title_with_quotes_is_a_title(started: Path, tmp_path: Path) -> None:
    title, domain = 'Street "Trees" \\n """ @NAME@ \'s', 'the "city" \\'
    new_site(tmp_path, "street-trees", title, 33, domain)
    folder = tmp_path / "sites_docker" / "street_trees"
    facts = read_facts(folder)
    assert (facts.title, tomllib.loads((folder / "site.toml").read_text(encoding="utf-8"))["domain"]) == (title, domain)
    assert faults(await crawl(app_in(folder), facts.host), facts.host, facts.footer, facts.canary) == []
    compile((tmp_path / "tests" / "sites" / "test_street_trees.py").read_text(encoding="utf-8"), "test", "exec")
    assert title in (folder / "NOTICE").read_text(encoding="utf-8")


def test_one_bad_site_stops_no_other(started: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = started.parents[1]
    (root / "tasks_public").mkdir()
    (started / "site.toml").write_text('name = "paper-mill"\ntitle = "Paper "Mill""\n', encoding="utf-8")
    new("salt-works", "", 32, "industry", str(root))
    out = capsys.readouterr()
    assert "sites_docker/salt_works/app.py" in out.out
    assert f"not read: {started / 'site.toml'}: not TOML" in out.err
    assert [site.name for site in pick(root, ["salt-works"])] == ["salt-works"]
    with pytest.raises(InputFault, match=r"no site 'paper-mill'; known: salt-works; not read: .*not TOML"):
        pick(root, ["paper-mill"])
    with pytest.raises(InputFault, match="not TOML"):
        all_sites(root)


def test_search_words_and_order() -> None:
    assert words("São Tomé, 2019 (a_b)") == ["sao", "tome", "2019", "a", "b"]
    index = Index(
        [
            Entry(title="Measles", url="/m", text="rubeola"),
            Entry(title="Texas: measles", url="/t", rank=3),
            Entry(title="Notes", url="/n", text="on measles in texas"),
        ]
    )
    assert [entry.url for entry in index.find("measles")] == ["/t", "/m", "/n"]
    assert [entry.url for entry in index.find("TEX meas")] == ["/t", "/n"]
    assert index.find("") == index.find("!?") == index.find("mumps") == []


async def test_search_page_is_the_same_for_every_query(started: Path) -> None:
    app = app_in(started)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="https://paper-mill.test") as web:
        one, two = await web.get("/search?q=record"), await web.get("/search?q=<script>alert(1)</script>")
        assert one.content == two.content
        served = (await web.get("/search/index.json")).json()
        assert [row[1] for row in served["entries"]][:2] == ["/", "/records"]
        assert "placeholder" in served["terms"]
        assert (await web.get("/robots.txt")).status_code == 200
        assert (await web.get("/nope")).status_code == 404


def test_files_repeat_and_carry_the_frozen_instant() -> None:
    clock = Clock(NOON)
    assert (clock.today, clock.iso, clock.http) == ("15 March 2024", "2024-03-15", "Fri, 15 Mar 2024 12:00:00 GMT")
    book = Workbook()
    one = xlsx_bytes(book, clock)
    assert one == xlsx_bytes(book, clock)
    with zipfile.ZipFile(io.BytesIO(one)) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(2024, 3, 15, 12, 0, 0)}
        assert b"2024-03-15T12:00:00Z</dcterms:modified>" in archive.read("docProps/core.xml")
    data = csv_bytes(("a", "b"), [(1, None), ("x,y", "é")], encoding="latin-1")
    assert data == b'a,b\n1,\n"x,y",\xe9\n'
    assert zip_bytes({"a.csv": data}, clock) == zip_bytes({"a.csv": data}, clock)


def asked(query: str) -> Request:
    return Request({"type": "http", "query_string": query.encode(), "headers": [], "method": "GET", "path": "/"})


def test_paging() -> None:
    sheet = paged(asked("page=3"), list(range(95)), 10)
    assert (list(sheet.items), sheet.first, sheet.final, sheet.last) == (list(range(20, 30)), 21, 30, 10)
    assert sheet.near == [1, 2, 3, 4, 5, 0, 10]
    assert paged(asked(""), [], 10).final == 0
    for query in ("page=0", "page=11", "page=x", "page=²", "page=-1", "page=99999999"):
        with pytest.raises(Exception, match="404"):
            paged(asked(query), list(range(95)), 10)


async def test_noise_and_error_pages(started: Path) -> None:
    noise = Noise(
        cookies="wall", cookie_refuse="Refuse", newsletter_after=3, interstitial=("/about",),
        sponsors=(Sponsor(title="Pulp", text="For mills", url="/about"),),
    )  # fmt: skip
    (started / "templates" / "home.html").write_text(
        '{% extends "base.html" %}{% block title %}x{% endblock %}{% block main %}{{ parts.sponsor(0) }}{% endblock %}'
    )

    def fails(_request: Request) -> Any:
        raise LookupError("row")

    pages = Pages(read_facts(started), (("/", "Home"),), noise)
    routes: list[Any] = [missing_mirror("/mirror")]
    routes += [
        Route("/", pages.simple("home.html")), Route("/about", slow(pages.simple("about.html"), 0)), Route("/x", fails)
    ]  # fmt: skip
    transport = httpx.ASGITransport(app=make_app(pages, routes), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="https://paper-mill.test") as web:
        home, about = (await web.get("/")).text, (await web.get("/about")).text
        assert 'id="interstitial"' in about
        assert 'id="interstitial"' not in home
        assert home.count("cookies-wall") == 1
        assert "Refuse" in home
        assert 'data-after="3"' in home
        assert "For mills" in home
        assert (await web.get("/mirror")).status_code == 503
        broken = await web.get("/x")
        assert broken.status_code == 500
        assert "our side" in broken.text


def test_a_canary_must_be_a_uuid(started: Path) -> None:
    toml = started / "site.toml"
    canary = read_facts(started).canary
    toml.write_text(toml.read_text(encoding="utf-8").replace(canary, "x"), encoding="utf-8")
    with pytest.raises(ValueError, match="UUID"):
        read_facts(started)


def test_vendored_files_have_licences_and_no_outside_address_is_fetched() -> None:
    families = sorted((KIT / "static" / "vendor" / "fonts").iterdir())
    assert len(families) == 9
    assert all("SIL OPEN FONT LICENSE" in (family / "LICENSE").read_text(encoding="utf-8") for family in families)
    css = (KIT / "static" / "kit.css").read_text(encoding="utf-8")
    for family in families:
        for font in family.glob("*.woff2"):
            assert f"/kit/vendor/fonts/{family.name}/{font.name}" in css
    for file in (*KIT.glob("static/*.*"), *KIT.rglob("*.html")):
        assert "http://" not in file.read_text(encoding="utf-8")
        assert "https://" not in file.read_text(encoding="utf-8")
