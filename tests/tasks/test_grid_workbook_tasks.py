"""The ten tasks on Grid Workbook: oracle, evidence as served, gold, and prompts without answers."""

import csv
import io
import tomllib
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from bs4 import BeautifulSoup

from sites_docker.grid_workbook.app import create_app
from tests.tasks.several import asked
from webds.cells import read_cell
from webds.codec import load
from webds.difficulty import difficulty
from webds.suites import taskfiles
from webds.types import AnswerKey
from webds_judge.answers.registry import compare

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tasks_public" / "grid_workbook"
SITE = ROOT / "sites_docker" / "grid_workbook"
KEYS: list[dict[str, Any]] = tomllib.loads((FOLDER / "keys.toml").read_text(encoding="utf-8"))["key"]
TASKS = {entry.id: entry for entry in taskfiles.read(FOLDER / "tasks.toml")}
TYPES = {"number", "integer", "percent", "string", "list", "date", "boolean", "quantity"}


def named(keys: list[dict[str, Any]]) -> dict[str, Any]:
    return {"argvalues": keys, "ids": [key["task"] for key in keys]}


def plain(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_ten_tasks_each_with_one_key_of_the_same_revision() -> None:
    assert len(TASKS) == 10
    assert [key["task"] for key in KEYS] == list(TASKS)
    assert all(key["revision"] == TASKS[key["task"]].revision for key in KEYS)


@pytest.mark.parametrize("key", **named(KEYS))
def test_the_oracle_gives_the_reference(key: dict[str, Any]) -> None:
    for check in key["checks"]:
        params = check["params"]
        rows = asked(taskfiles.sites_of(TASKS[key["task"]].task()), params["oracle"]["sql"])
        if check["kind"] == "csv_file":
            cells = [["" if value is None else str(value) for value in row] for row in rows]
            assert cells == plain(params["reference"])[1:]
        elif params["type"] == "list":
            assert [row[0] for row in rows] == params["reference"]
        else:
            assert params["type"] in TYPES
            assert len(rows) == 1
            if params["type"] == "quantity":
                assert compare("quantity", params["reference"], str(rows[0][0])).passed
            else:
                assert rows[0][0] == params["reference"]
            assert isinstance(rows[0][0], bool) == (params["type"] == "boolean")


def test_the_gold_file_is_the_reference() -> None:
    gold = [(key, check) for key in KEYS for check in key["checks"] if key["gold"]]
    assert len(gold) == 1
    for key, check in gold:
        assert (FOLDER / key["gold"]).read_text(encoding="utf-8") == check["params"]["reference"]
        assert Path(key["gold"]).name == check["params"]["file"]


@pytest.mark.parametrize("key", **named(KEYS))
async def test_the_evidence_is_what_the_site_serves(key: dict[str, Any]) -> None:
    app = create_app(SITE, datetime.fromisoformat("2022-06-24T12:00:00Z"))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app)) as web:
        for check in key["checks"]:
            assert check["params"]["evidence"]
            for item in [item for item in check["params"]["evidence"] if "grid-workbook.test" in item["url"]]:
                assert await served(web, item) == item["value"], item


async def served(web: httpx.AsyncClient, item: dict[str, Any]) -> str:
    answer = await web.get(item["url"])
    assert answer.status_code == 200, item["url"]
    if item["kind"] == "cell":
        return read_cell(answer.content, item["url"].rpartition("/")[2], item)
    found = BeautifulSoup(answer.text, "lxml").select(item["selector"])
    assert len(found) == 1, item["selector"]
    return " ".join(found[0].get_text(" ").split())


@pytest.mark.parametrize("key", **named(KEYS))
def test_no_answer_stands_in_prompt_guard_or_solution(key: dict[str, Any]) -> None:
    entry = TASKS[key["task"]]
    solution = FOLDER / "solutions" / f"{entry.id.replace('-', '_')}.py"
    texts = [entry.prompt, entry.guard, solution.read_text(encoding="utf-8") if solution.exists() else ""]
    for check in key["checks"]:
        reference = check["params"]["reference"]
        told = reference if isinstance(reference, list) else [str(reference)]
        for part in [] if isinstance(reference, bool) else told:
            assert not any(part.lower() in text.lower() for text in texts), part


@pytest.mark.parametrize("key", **named(KEYS))
def test_a_key_loads_as_the_judge_loads_it(key: dict[str, Any]) -> None:
    assert load(AnswerKey, key, "keys.toml").task == key["task"]


def test_tasks_are_whole_and_of_all_difficulties() -> None:
    for entry in TASKS.values():
        assert entry.prompt
        assert entry.guard
        assert taskfiles.sites_of(entry.task())[0] == "grid-workbook"
        assert 20 <= entry.budget.steps <= 60
    grades = [difficulty(entry.labels) for entry in TASKS.values()]
    assert grades.count("easy") >= 3
    assert {"easy", "medium", "hard"} == set(grades)
    assert sum(bool(entry.labels["tools"]) for entry in TASKS.values()) >= 3
