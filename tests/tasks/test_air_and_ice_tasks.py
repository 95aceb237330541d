"""The ten tasks on Air and Ice: oracle, evidence as served and drawn, and each answer once more, beside the hasty one.

The keys' SQL reads the extract. Here the answers are computed again from what an agent can see: the records of the
pictures (which stand for reading them), captions and notes.
"""

import json
import re
import statistics
import tomllib
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

from sites_docker.air_and_ice.app import create_app
from sites_docker.kit.facts import read_facts
from tests.tasks.several import asked
from webds.difficulty import difficulty
from webds.suites import taskfiles
from webds_judge.answers import compare

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tasks_public" / "air_and_ice"
SITE = ROOT / "sites_docker" / "air_and_ice"
FACTS = read_facts(SITE)
HOST = f"https://{FACTS.host}"
KEYS: list[dict[str, Any]] = tomllib.loads((FOLDER / "keys.toml").read_text(encoding="utf-8"))["key"]
TASKS = {entry.id: entry for entry in taskfiles.read(FOLDER / "tasks.toml")}
SPANS = ((1880, 1951), (1952, 2022))


@cache
def page(path: str) -> BeautifulSoup:
    answer = web().get(path)
    assert answer.status_code == 200, path
    return BeautifulSoup(answer.text, "html.parser")


@cache
def web() -> TestClient:
    return TestClient(create_app(SITE, FACTS.clock.instant), base_url=HOST)


def said(path: str, selector: str) -> str:
    found = page(path).select(selector)
    assert len(found) == 1, (path, selector)
    return " ".join(found[0].get_text().split())


@cache
def drawn(slug: str, series: str) -> dict[str, float]:
    record = json.loads((SITE / "drawn" / f"{slug}.json").read_text(encoding="utf-8"))
    return {point["key"]: point["value"] for point in record["points"] if point["series"] == series}


def number(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    assert found, (pattern, text)
    return float(found[1].replace("−", "-").replace(",", ""))


def offset(slug: str) -> float:
    return number(r"(.*) °C", said("/methodology/baselines", f"#mean-{slug}"))


def texas() -> tuple[object, object]:
    value = drawn("giss-2010s-months", "edition 2022")["2019-08"]
    return value - offset("giss-2022-1880-1900"), value


def revised() -> tuple[object, object]:
    moved = [drawn(f"giss-revisions-{first}-{last}", "revised") for first, last in SPANS]
    right = [year for part in moved for year, value in part.items() if value > 0]
    assert right == by_rule(ROUND_HALF_UP)
    return ", ".join(right), ", ".join(by_rule(ROUND_HALF_EVEN))


def by_rule(rounding: str) -> list[str]:
    """Years that went up, from the months as drawn and the later edition's years."""
    months = {key: v for d in range(1880, 2030, 10) for key, v in drawn(f"giss-{d}s-months", "edition 2022").items()}
    out = []
    for decade in range(1880, 2030, 10):
        for year, later in drawn(f"giss-{decade}s-years", "edition 2023").items():
            held = [Decimal(str(value)) for key, value in months.items() if key.startswith(year)]
            if held and Decimal(str(later)) > (sum(held, Decimal(0)) / 12).quantize(Decimal("0.01"), rounding):
                out.append(year)
    return out


def speeds() -> tuple[object, object]:
    rises: list[float] = []
    falls: list[float] = []
    for first in range(0, 800, 100):
        text = said(f"/ice/dome-c-{first}-{first + 100}", "#caption-1")
        high, low = (number(rf"{word} (?:sample )?([\d.]+) ppm", text) for word in ("Highest", "lowest"))
        young, old = (int(age.replace(",", "")) for age in re.findall(r"age of ([\d,]+) years", text))
        (rises if old > young else falls).append(1000 * (high - low) / abs(old - young))
    assert len(rises) > len(falls) > 0
    return f"{statistics.mean(rises):.2f}", f"{statistics.mean(falls):.2f}"


def methane() -> tuple[object, object]:
    caption = said("/ice/three-gases", "#caption-1")
    carbon = number(r"carbon dioxide [\d.]+ and ([\d.]+) ppm", caption)
    gas = number(r"methane [\d.]+ and ([\d.]+) ppb", caption)
    return f"{10_000 * gas / 1000 / carbon:.1f}", f"{10_000 * gas / carbon:.1f}"


def lowest() -> tuple[object, object]:
    lows = [said(f"/ice/dome-c-{k}-{k + 100}", "#caption-1") for k in range(0, 800, 100)]
    low = min(lows, key=lambda text: number(r"lowest ([\d.]+) ppm", text))
    age = number(r"lowest [\d.]+ ppm at an age of ([\d,]+)", low)
    year = number(r"in the year (−[\d,]+);", said("/ice/eight-hundred-thousand-years", "#caption-1"))
    return abs(round(1950 - age - year)), abs(round(age + year))


def lines_meet() -> tuple[object, object]:
    land, ocean = (drawn("long-1850-1899", series) for series in ("land", "ocean"))
    return min(land, key=lambda year: ocean[year] - land[year]), max(land, key=lambda year: land[year])


def pole_2017() -> tuple[object, object]:
    assert not any(
        "2017" in key for slug in ("south-pole-2008-2016", "south-pole-around-400") for key in drawn(slug, "CO2")
    )
    end = said("/carbon/south-pole-noaa-2008-2016", "#note-3")[-14:-1]
    return f"The portal holds no monthly mean for the South Pole after {end}.", "4.7"


ANSWERS: dict[str, Callable[[], tuple[object, object]] | None] = {
    "texas-record-month": texas,
    "goals-when-it-cools": None,
    "revised-upwards": revised,
    "low-before-high": speeds,
    "lines-meet": lines_meet,
    "methane-molecules": methane,
    "lowest-sample-age": lowest,
    "arizona-julys": None,
    "heat-and-travellers": None,
    "pole-in-2017": pole_2017,
}
"""None: over several sites, computed in test_several_sites.py."""


def test_ten_tasks_each_with_one_key_of_the_same_revision() -> None:
    assert [key["task"] for key in KEYS] == list(TASKS) == [f"air-and-ice-{name}" for name in ANSWERS]
    assert all(key["revision"] == TASKS[key["task"]].revision for key in KEYS)


@pytest.mark.parametrize(("name", "compute"), [(name, compute) for name, compute in ANSWERS.items() if compute])
def test_what_is_seen_gives_the_reference_and_haste_does_not(
    name: str, compute: Callable[[], tuple[object, object]]
) -> None:
    params = next(key for key in KEYS if key["task"] == f"air-and-ice-{name}")["checks"][0]["params"]
    careful, hasty = (f"{v:.2f}" if isinstance(v, float) else str(v) for v in compute())
    assert compare(params["type"], params["reference"], careful).passed
    assert not compare(params["type"], params["reference"], hasty).passed


@pytest.mark.parametrize("key", KEYS, ids=[key["task"] for key in KEYS])
def test_the_oracle_gives_the_reference(key: dict[str, Any]) -> None:
    for check in key["checks"]:
        params = check["params"]
        if "oracle" not in params:
            assert check["kind"] == "picture" or params["type"] == "unachievable"
            continue
        rows = asked(taskfiles.sites_of(TASKS[key["task"]].task()), params["oracle"]["sql"])
        if check["kind"] == "csv_file":
            lines = [",".join(map(str, row)) for row in rows]
            assert lines == params["reference"].split("\n")[1:-1]
        elif params["type"] == "list":
            assert [row[0] for row in rows] == params["reference"]
        else:
            reference = params["reference"]
            assert rows == [(reference["value"] if isinstance(reference, dict) else reference,)]


@pytest.mark.parametrize("key", KEYS, ids=[key["task"] for key in KEYS])
def test_the_evidence_is_what_the_site_serves(key: dict[str, Any]) -> None:
    served = [item for check in key["checks"] for item in check["params"].get("evidence", ())]
    for item in [item for item in served if item["url"].startswith(HOST)]:  # others: test_several_sites.py
        path = item["url"].removeprefix(HOST)
        if item["kind"] == "text":
            assert said(path, item["selector"]) == item["value"]
        elif item["kind"] == "drawn":
            assert item["image"] in [str(image["src"]) for image in page(path).select("img")]
            slug = Path(item["image"]).stem
            assert drawn(slug, item["series"])[item["key"]] == pytest.approx(float(item["value"]))


@pytest.mark.parametrize("key", KEYS, ids=[key["task"] for key in KEYS])
def test_no_answer_stands_in_prompt_guard_or_solution(key: dict[str, Any]) -> None:
    entry = TASKS[key["task"]]
    solution = FOLDER / "solutions" / f"{entry.id.replace('-', '_')}.py"
    texts = [entry.prompt, entry.guard, solution.read_text(encoding="utf-8") if solution.exists() else ""]
    params = key["checks"][0]["params"]
    reference = params["reference"]
    if params.get("type") == "unachievable":
        return  # the prompt must name what is asked for
    told = (
        reference if isinstance(reference, list) else [reference["value"] if isinstance(reference, dict) else reference]
    )
    for part in told:
        assert not any(str(part).lower() in text.lower() for text in texts), part


def test_values_read_off_pictures_are_not_written_on_pages() -> None:
    pages = ("/temperature/2010s", "/temperature/2020s", "/temperature/land-and-ocean-1850-1899")
    for path, value in zip(pages, ("0.95", "1.17", "1894"), strict=True):
        assert value not in page(path).get_text()
    assert not any(year in page("/features/two-editions").get_text() for year in ("1883", "1887", "1891", "1919"))


def test_gold_is_the_reference() -> None:
    key = next(key for key in KEYS if key["gold"])
    assert (FOLDER / key["gold"]).read_text(encoding="utf-8") == key["checks"][0]["params"]["reference"]


def test_labels_and_difficulties() -> None:
    for entry in TASKS.values():
        assert "air-and-ice" in taskfiles.sites_of(entry.task())
        assert entry.guard
    grades = [difficulty(entry.labels) for entry in TASKS.values()]
    assert (grades.count("easy"), grades.count("medium"), grades.count("hard")) == (2, 4, 4)
    assert sum(entry.labels["media"] == "non_text" for entry in TASKS.values()) == 6
