"""The ten tasks on Matchday Archive: oracle, evidence as served by three sites, hasty answers, prompts."""

import tomllib
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from bs4 import BeautifulSoup

from sites_docker.kit.facts import read_facts
from sites_docker.kit.tables import Tables
from webds.cells import read_cell
from webds.difficulty import difficulty
from webds.suites import taskfiles

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tasks_public" / "matchday_archive"
SITE = ROOT / "sites_docker" / "matchday_archive"
KEYS: list[dict[str, Any]] = tomllib.loads((FOLDER / "keys.toml").read_text(encoding="utf-8"))["key"]
TASKS = {entry.id: entry for entry in taskfiles.read(FOLDER / "tasks.toml")}
CHECKS = {key["task"]: key["checks"][0] for key in KEYS}


def plain(reference: Any) -> Any:
    """A reference without its tolerance and its other spellings."""
    if isinstance(reference, dict):
        return reference["any_of"][0] if "any_of" in reference else reference["value"]
    return reference


def asked(sql: str) -> list[tuple[Any, ...]]:
    return Tables(SITE).rows(sql)


def test_ten_tasks_each_with_one_key_of_the_same_revision() -> None:
    assert len(TASKS) == 10
    assert [key["task"] for key in KEYS] == list(TASKS)
    assert all(key["revision"] == TASKS[key["task"]].revision for key in KEYS)
    assert all(len(key["checks"]) == 1 for key in KEYS)


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_the_oracle_gives_the_reference(check: dict[str, Any]) -> None:
    params = check["params"]
    rows = asked(params["oracle"]["sql"])
    if check["kind"] == "csv_file":
        lines = [",".join("" if value is None else str(value) for value in row) for row in rows]
        assert lines == params["reference"].split("\n")[1:-1]
    elif params["type"] in ("list", "ordered_list"):
        assert [row[0] for row in rows] == params["reference"]
    else:
        assert rows == [(plain(params["reference"]),)]


def test_the_gold_file_is_the_reference() -> None:
    key = next(key for key in KEYS if key["gold"])
    assert (FOLDER / key["gold"]).read_text(encoding="utf-8") == key["checks"][0]["params"]["reference"]


async def test_evidence_is_what_the_sites_serve() -> None:
    served: dict[str, httpx.Response] = {}
    apps: dict[str, Any] = {}
    read: dict[str, BeautifulSoup] = {}
    for item in (item for check in CHECKS.values() for item in check["params"]["evidence"]):
        url, host = item["url"], str(urlsplit(item["url"]).hostname)
        folder = host.removesuffix(".test").replace("-", "_")
        if folder not in apps:
            create = import_module(f"sites_docker.{folder}.app").create_app
            site = tomllib.loads((ROOT / "sites_docker" / folder / "site.toml").read_text(encoding="utf-8"))
            apps[folder] = create(ROOT / "sites_docker" / folder, datetime.fromisoformat(site["frozen"]))
        if url not in served:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app=apps[folder])) as web:
                served[url] = await web.get(url)
        assert served[url].status_code == 200, url
        if item["kind"] == "cell":
            assert read_cell(served[url].content, url.rpartition("/")[2], item) == item["value"], item
        else:
            if url not in read:
                read[url] = BeautifulSoup(served[url].text, "lxml")
            found = read[url].select(item["selector"])
            assert [" ".join(tag.get_text().split()) for tag in found] == [item["value"]], item
    assert set(apps) == {"matchday_archive", "contagion_ledger", "grid_workbook"}


HASTY = {
    # leaves draws out
    "home-share-1964": "SELECT round(100.0 * count(*) FILTER (home_goals > away_goals) / count(*) "
    "FILTER (home_goals <> away_goals), 1) || '%' FROM matches WHERE season = 1964",
    # by number of matchday
    "winless-1978": CHECKS["matchday-archive-winless-1978"]["params"]["oracle"]["sql"].replace(
        "ORDER BY kickoff", "ORDER BY matchday"
    ),
    # the seasons in which the months of the vaccines lie
    "vaccine-quiz": "SELECT CAST(sum(home_goals + away_goals) AS BIGINT) FROM matches "
    "WHERE matchday <= 3 AND season IN (1967, 1968, 1994)",
    # the rule of the era; the whole season
    "three-points-1992": CHECKS["matchday-archive-three-points-1992"]["params"]["oracle"]["sql"].replace(
        "THEN 3", "THEN 2"
    ),
    # seasons filed under their second year
    "power-and-goals": CHECKS["matchday-archive-power-and-goals"]["params"]["oracle"]["sql"].replace(
        "SELECT season, avg", "SELECT season + 1 AS season, avg"
    ),
}


@pytest.mark.parametrize("name", HASTY)
def test_the_hasty_answer_is_another(name: str) -> None:
    check = CHECKS[f"matchday-archive-{name}"]["params"]
    found = [row[0] for row in asked(HASTY[name])]
    assert found
    assert found != check["reference"]
    assert found != [check["reference"]]


def test_no_two_answers_are_the_same() -> None:
    found = [str(plain(check["params"]["reference"])) for check in CHECKS.values()]
    assert len(set(found)) == 10
    assert not {"0", "yes", "no"} & set(found)


@pytest.mark.parametrize("key", KEYS, ids=[key["task"] for key in KEYS])
def test_no_answer_stands_in_prompt_guard_or_solution(key: dict[str, Any]) -> None:
    entry = TASKS[key["task"]]
    solution = FOLDER / "solutions" / f"{entry.id.replace('-', '_')}.py"
    script = solution.read_text(encoding="utf-8") if solution.exists() else ""
    params = key["checks"][0]["params"]
    reference = plain(params["reference"])
    if isinstance(reference, list):
        assert not any(name in entry.prompt + entry.guard + script for name in reference)
    elif params.get("type"):
        assert str(reference).removesuffix("%") not in entry.prompt + entry.guard + script


def test_tasks_are_whole_and_of_all_difficulties() -> None:
    facts = read_facts(SITE)
    assert all(facts.canary in (FOLDER / name).read_text(encoding="utf-8") for name in ("tasks.toml", "keys.toml"))
    sites = [taskfiles.sites_of(entry.task()) for entry in TASKS.values()]
    assert all(names[0] == "matchday-archive" for names in sites)
    assert sum(len(names) > 1 for names in sites) == 2
    grades = [difficulty(entry.labels) for entry in TASKS.values()]
    assert [grades.count(grade) for grade in ("easy", "medium", "hard")] == [3, 2, 5]
    traps = tomllib.loads((SITE / "site.toml").read_text(encoding="utf-8"))["trap"]
    assert {trap["task"] for trap in traps} <= set(TASKS)
