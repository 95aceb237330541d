"""What the sites' hand-written sentences say of their data, compared with the tables: none may be false.

A sentence that a site.toml declares as a trap, and the posts of a forum, are not meant: those may be wrong on purpose.
"""

import json
import re
from functools import cache
from importlib import import_module
from itertools import combinations, pairwise
from math import copysign
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import duckdb
import httpx
import pytest
from bs4 import BeautifulSoup

from sites_docker.kit.facts import Facts, read_facts
from tests.conftest import ROOT

SITES = ROOT / "sites_docker"
type Rows = list[tuple[Any, ...]]


@cache
def facts(site: str) -> Facts:
    return read_facts(SITES / site)


@cache
def app(site: str) -> Any:
    return import_module(f"sites_docker.{site}.app").create_app(SITES / site, facts(site).clock.instant)


async def said(site: str, path: str, selector: str = "main") -> str:
    """The text of one element of a page, white space collapsed."""
    transport = httpx.ASGITransport(app=app(site))
    async with httpx.AsyncClient(transport=transport, base_url=f"https://{facts(site).host}") as web:
        found = BeautifulSoup((await web.get(path)).text, "lxml").select(selector)
    assert len(found) == 1, (path, selector)
    return " ".join(found[0].get_text().split())


def asked(site: str, sql: str) -> Rows:
    """Rows of SQL over the Parquet files of a site."""
    with duckdb.connect() as base:
        for file in (SITES / site / "data").glob("*.parquet"):
            base.read_parquet(str(file)).create(file.stem)
        return base.execute(sql).fetchall()


def series(sql: str) -> dict[Any, float]:
    return {key: float(value) for key, value in asked("air_and_ice", sql)}


async def test_land_and_ocean() -> None:
    gap = series("SELECT year, round(land - ocean, 2) FROM long_series ORDER BY year")
    text = await said("air_and_ice", "/features/land-runs-ahead", "#p1")
    first, last = map(int, re.findall(r"\d{4}", text))
    assert all(gap[year] < 0 for year in range(1850, first + 1))
    assert gap[first + 1] >= 0 >= gap[last - 1]
    assert all(gap[year] > 0 for year in range(last, 2024))
    assert {gap[year] > 0 for year in range(1903, last)} == {True, False}
    assert fmean(gap[y] for y in range(last, last + 10)) < fmean(gap[y] for y in range(2014, 2024))


async def test_the_size_of_a_revision() -> None:
    sums = series("SELECT CAST(left(month, 4) AS INT), round(sum(anomaly) * 100) FROM giss_2022 GROUP BY 1")
    old = {year: copysign((abs(cents) * 2 + 12) // 24, cents) for year, cents in sums.items()}  # halves away from zero
    new = series("SELECT year, anomaly FROM giss_2023")
    turned = sum((old[a] - old[b]) * (new[a] - new[b]) < 0 for a, b in combinations(old, 2))
    text = await said("air_and_ice", "/features/two-editions", "#p3")
    assert f"the order of {turned} pairs of years" in text
    assert turned > 0
    for edition in ("2022", "2023"):
        points = json.loads((SITES / f"air_and_ice/drawn/giss-{edition}-all.json").read_text("utf-8"))["points"]
        low, high = (pick(points, key=lambda point: point["value"]) for pick in (min, max))
        scale = (low["y"] - high["y"]) / (high["value"] - low["value"])
        assert scale * 0.01 < 3 * 100 / 72, "a dot is 3 points wide at 100 dots an inch"


@pytest.mark.parametrize("decade", range(1880, 2030, 10))
async def test_the_months_of_a_decade(decade: int) -> None:
    months = series(f"SELECT month, anomaly FROM giss_2022 WHERE month LIKE '{decade // 10}%' ORDER BY month")
    stated = re.search(r"two thirds of the months lie within ([\d.]+) °C of the middle", await decade_text(decade))
    assert stated is not None
    near = [abs(value - fmean(months.values())) <= float(stated[1]) + 0.005 for value in months.values()]
    assert 0.66 < fmean(near) < 0.75


async def decade_text(decade: int) -> str:
    return await said("air_and_ice", f"/temperature/{decade}s")


async def test_decades_against_each_other() -> None:
    months = series("SELECT month, anomaly FROM giss_2022 ORDER BY month")
    by = {d: [v for m, v in months.items() if int(m[:3]) * 10 == d] for d in range(1880, 2030, 10)}
    assert "keep closer together than in the two decades before" in await decade_text(1920)
    assert pstdev(by[1920]) < min(pstdev(by[1900]), pstdev(by[1910]))
    assert "every decade after it is warmer than the one before" in await decade_text(1970)
    assert all(fmean(by[d]) < fmean(by[d + 10]) for d in range(1970, 2020, 10))
    assert min(by[2010]) > min(by[2000]) > 0, "the margin that the text on the 2010s speaks of"
    lowest = min((m for m in months if m.startswith("199")), key=lambda m: months[m])
    assert lowest.startswith("1992"), "Pinatubo's dip is the deepest of the 1990s"


async def test_the_comb_of_mauna_loa() -> None:
    months = series("SELECT month, co2 FROM scripps ORDER BY month")
    years = [y for y in range(1959, 2020) if sum(m.startswith(str(y)) for m in months) == 12]
    low, high = ({y: pick(v for m, v in months.items() if m.startswith(str(y))) for y in years} for pick in (min, max))
    for first, last in ((1958, 1969), (1990, 1999), (2010, 2020)):
        held = [y for y in years if first <= y < last and y + 1 in high and y + 1 <= last]
        climb = fmean(high[y + 1] - low[y] for y in held)
        text = await said("air_and_ice", f"/carbon/mauna-loa-scripps-{first}-{last}", "#p2")
        assert f"climbs about {climb:.0f} ppm" in text
    under = [months[m] < 400 for m in months if m >= "2014-04"]
    assert sum(b and not a for a, b in pairwise(under)) == 2
    assert "in two autumns" in await said("air_and_ice", "/carbon/mauna-loa-scripps-2010-2020", "#p1")


async def test_the_stations_of_noaa() -> None:
    months = series("SELECT month, co2 FROM noaa_stations WHERE station = 'Mauna Loa' ORDER BY month")
    years = [[(v, m[5:]) for m, v in months.items() if m.startswith(str(y))] for y in range(1988, 2018)]
    assert ({max(y)[1] for y in years}, {min(y)[1] for y in years}) == ({"04", "05"}, {"09", "10"})
    for span in ("1988-1997", "1998-2007", "2008-2017"):
        text = await said("air_and_ice", f"/carbon/mauna-loa-noaa-{span}", "#p2")
        assert "high in April or May, low in September or October" in text
    sql = "SELECT left(month, 4), avg(co2) FROM {} GROUP BY 1 HAVING count(*) = 12"
    one, other = series(sql.format("scripps")), series(sql.format("noaa_stations WHERE station = 'Mauna Loa'"))
    gaps = [other[year] - one[year] for year in other]
    assert max(map(abs, gaps)) < 0.25
    assert min(gaps) < 0 < max(gaps)
    assert "less than a quarter of a part per million" in await said("air_and_ice", "/features/two-laboratories", "#p1")


async def test_the_three_gases() -> None:
    scatter, growth = {}, {}
    for gas in ("CO2", "CH4", "N2O"):
        held = series(f"SELECT year, amount FROM law_dome WHERE gas = '{gas}' ORDER BY year")
        jumps = [abs(b - a) for (y, a), (_, b) in pairwise(held.items()) if y < 1800]
        scatter[gas] = fmean(jumps) / (held[2000] - held[1720])
        growth[gas] = held[2000] / held[1720]
    assert max(scatter, key=lambda gas: scatter[gas]) == min(growth, key=lambda gas: growth[gas]) == "N2O"
    assert "beside its own rise, the one with the most scatter" in await said(
        "air_and_ice", "/ice/law-dome-nitrous-oxide"
    )


async def test_contagion_ledger() -> None:
    weeks = asked("contagion_ledger", "SELECT max(weeks) FROM ledger WHERE disease = 'Polio' AND year = 1952")
    assert weeks[0][0] < 52
    assert "No area reported polio in every week" in await said("contagion_ledger", "/notes/the-summer-of-polio", "#p2")
    sql = "SELECT count(*) FILTER (weeks > 0), count(*) FILTER (weeks = 0) FROM ledger WHERE population IS NULL"
    assert all(asked("contagion_ledger", sql)[0]), "an outline where something was sent, hatching where nothing was"
    assert "Where a territory sent reports" in await said("contagion_ledger", "/notes/alaska-and-hawaii", "#p2")
    (people,) = asked("contagion_ledger", "SELECT list(DISTINCT (year, population)) FROM ledger WHERE area = 'Alabama'")
    held = dict(people[0])
    assert abs(held[1935] - (held[1930] + held[1940]) / 2) > 1000, "between two censuses lies no straight line"
    assert "straight" not in await said("contagion_ledger", "/methodology/areas")


async def test_fever_line_list() -> None:
    sql = "SELECT year(notification), count(*), count(confirmation), avg(CAST(serotype IS NOT NULL AS INT)) FROM cases "
    rows = asked("fever_line_list", sql + "GROUP BY 1 ORDER BY 1")
    assert [year for year, lines, dated, _ in rows if year > 2003 and dated < lines] == [2004]
    assert "and in every line from 2005 on" in await said("fever_line_list", "/codebook/layout-b")
    assert "most lines from 2004 on" in await said("fever_line_list", "/methodology/dates", ".lead")
    large = sorted(rows, key=lambda row: row[1])[-3:]
    assert max(typed for *_, typed in large) < 0.2
    assert "In the three largest years" in await said("fever_line_list", "/notes/most-lines-have-no-serotype", "#p1")
    assert asked("fever_line_list", "SELECT max(cases) FROM cases")[0][0] == 2
    assert "since 1998 is in a line" in await said("fever_line_list", "/", ".lead")


async def test_what_the_marks_of_grid_workbook_hide() -> None:
    sql = """
        SELECT max(TRY_CAST(value AS INT)) FILTER (sector = 'all sectors')
               - sum(TRY_CAST(value AS INT)) FILTER (sector <> 'all sectors') AS hidden
        FROM generation WHERE month LIKE '2021%' GROUP BY area, month
        HAVING count(*) FILTER (value = 'NM' AND sector <> 'all sectors') > 0"""
    hidden = [row[0] for row in asked("grid_workbook", sql) if row[0] is not None]
    assert min(hidden) <= 0 < max(hidden)
    assert "need not add up to the total" in await said("grid_workbook", "/press/reading-nm", "#p2")


async def test_the_footnotes_of_tent_watch() -> None:
    sql = "SELECT count(*) FILTER (signature LIKE '%*'), count(*) FILTER (showstopper LIKE '%*') FROM challenges"
    assert all(asked("tent_watch", sql)[0])
    assert "signature bake or a showstopper" in await said("tent_watch", "/footnotes", "#mark-star")


@pytest.mark.parametrize("folder", sorted(path.parent.name for path in SITES.glob("*/site.toml")))
def test_the_footer_names_every_licence_that_asks_for_it(folder: str) -> None:
    found = facts(folder)
    for source in found.sources:
        for name in re.findall(r"CC BY(?:-SA)?", str(source["licence"])):
            assert re.search(rf"{name}(?!-)", found.footer), name
        if "not seen" in str(source["licence"]):
            assert "not seen" in found.footer


async def test_attribution_of_what_is_shared_alike() -> None:
    text = await said("tent_watch", "/attribution", "#wikipedia")
    assert "Attribution-ShareAlike" in text
    assert "contributors" in text
    assert "level 1" in await said("contagion_ledger", "/attribution")
    assert Path(SITES / "tent_watch" / "NOTICE").read_text("utf-8").count("ShareAlike") == 1
