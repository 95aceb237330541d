"""The ten tasks on Contagion Ledger: oracle, evidence as served (tips by a real pointer), prompts without answers."""

import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest
from bs4 import BeautifulSoup

from sites_docker.contagion_ledger.app import create_app
from sites_docker.kit.facts import read_facts
from sites_docker.kit.tables import Tables
from tests.sites.test_kit_browser import window
from webds.cells import read_cell
from webds.difficulty import difficulty
from webds.suites import taskfiles

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tasks_public" / "contagion_ledger"
SITE = ROOT / "sites_docker" / "contagion_ledger"
FACTS = read_facts(SITE)
KEYS: list[dict[str, Any]] = tomllib.loads((FOLDER / "keys.toml").read_text(encoding="utf-8"))["key"]
TASKS = {entry.id: entry for entry in taskfiles.read(FOLDER / "tasks.toml")}
CHECKS = [check for key in KEYS for check in key["checks"]]
EVIDENCE = [item for check in CHECKS for item in check["params"].get("evidence", ())]


def test_ten_tasks_each_with_one_key_of_the_same_revision() -> None:
    assert len(TASKS) == 10
    assert [key["task"] for key in KEYS] == list(TASKS)
    assert all(key["revision"] == TASKS[key["task"]].revision for key in KEYS)
    assert {item["kind"] for item in EVIDENCE} == {"tip", "text", "cell"}


@pytest.mark.parametrize("check", CHECKS, ids=[key["task"] for key in KEYS for _ in key["checks"]])
def test_the_oracle_gives_the_reference(check: dict[str, Any]) -> None:
    params = check["params"]
    if "oracle" not in params:
        assert params.get("type") == "unachievable" or check["kind"] not in ("answer", "csv_file")
        return
    rows = Tables(SITE).rows(params["oracle"]["sql"])
    if check["kind"] == "csv_file":
        lines = [",".join("" if value is None else str(value) for value in row) for row in rows]
        assert lines == params["reference"].split("\n")[1:-1]
    elif params["type"] in ("list", "ordered_list"):
        assert [row[0] for row in rows] == params["reference"]
    else:
        assert rows == [(params["reference"],)]


def test_the_gold_file_is_the_reference() -> None:
    key = next(key for key in KEYS if key["gold"])
    assert (FOLDER / key["gold"]).read_text(encoding="utf-8") == key["checks"][0]["params"]["reference"]


async def test_texts_and_cells_are_what_the_site_serves() -> None:
    transport = httpx.ASGITransport(app=create_app(SITE, FACTS.clock.instant))
    async with httpx.AsyncClient(transport=transport) as web:
        for item in EVIDENCE:
            answer = await web.get(item["url"])
            assert answer.status_code == 200, item["url"]
            if item["kind"] == "cell":
                assert read_cell(answer.content, item["url"].rpartition("/")[2], item) == item["value"], item
            elif item["kind"] == "text":
                found = BeautifulSoup(answer.text, "lxml").select(item["selector"])
                assert [" ".join(tag.get_text().split()) for tag in found] == [item["value"]], item


async def test_tips_are_what_the_pointer_shows() -> None:
    tips = sorted((item for item in EVIDENCE if item["kind"] == "tip"), key=lambda item: str(item["url"]))
    assert len(tips) >= 40
    async with window(create_app(SITE, FACTS.clock.instant)) as (page, base, wrong):
        opened = ""
        for item in tips:
            if item["url"] != opened:
                opened = item["url"]
                await page.goto(opened.replace(f"https://{FACTS.host}", base), wait_until="networkidle")
                assert await page.locator("#tip").text_content() == ""
            await page.mouse.move(item["x"], item["y"])
            assert " ".join((await page.locator("#tip").inner_text()).split()) == item["value"], item
        assert wrong == []


@pytest.mark.parametrize("key", KEYS, ids=[key["task"] for key in KEYS])
def test_no_answer_stands_in_prompt_guard_or_solution(key: dict[str, Any]) -> None:
    entry = TASKS[key["task"]]
    solution = FOLDER / "solutions" / f"{entry.id.replace('-', '_')}.py"
    script = solution.read_text(encoding="utf-8") if solution.exists() else ""
    for check in key["checks"]:
        kind, reference = check["params"].get("type"), check["params"].get("reference")
        if kind in ("integer", "number", "year", "percent") and len(str(reference)) > 1:
            told = str(reference).removesuffix("%")
            assert told not in entry.prompt + entry.guard + script
        if kind in ("list", "ordered_list"):
            assert not any(name in entry.prompt + entry.guard + script for name in reference)


def test_tasks_are_whole_and_of_all_difficulties() -> None:
    for entry in TASKS.values():
        assert taskfiles.sites_of(entry.task()) == ("contagion-ledger",)
        assert entry.guard
    grades = [difficulty(entry.labels) for entry in TASKS.values()]
    assert [grades.count(grade) for grade in ("easy", "medium", "hard")] == [3, 3, 4]
    traps = tomllib.loads((SITE / "site.toml").read_text(encoding="utf-8"))["trap"]
    assert {trap["task"] for trap in traps} <= set(TASKS)
