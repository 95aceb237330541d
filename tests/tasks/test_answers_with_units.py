"""A right answer that repeats the unit of its prompt is right: units as people write them, for tasks that name one."""

import tomllib
from typing import Any

import pytest

from webds_judge.answers.registry import compare

FORMS = {
    "air-and-ice-texas-record-month": (["1.17 °C", "1.17 degrees Celsius"], ["1.30 °C"]),
    "air-and-ice-low-before-high": (["3.10 ppm per 1,000 years", "3.10 ppm/1,000 years"], ["3.01 ppm/1,000 years"]),
    "air-and-ice-methane-molecules": (["46.4 per 10,000", "46.4 for every 10,000"], ["10,000 for every 46.4"]),
    "air-and-ice-lowest-sample-age": (["846 years"], ["864 years"]),
    "air-and-ice-heat-and-travellers": (["74.1 cases", "74.1 imported cases"], ["74.6 cases"]),
    "contagion-ledger-alaska-hepatitis": (["200.8 per 100,000 people", "200.8/100,000"], ["20.8/100,000"]),
    "contagion-ledger-mississippi-silence": (["21 years"], ["12 years"]),
    "fever-line-list-reporting-delay": (["4.12 days"], ["4.16 days"]),
    "fever-line-list-missing-travellers": (["396 cases", "396 fewer cases", "396 cases fewer"], ["395 fewer cases"]),
    "fever-line-list-bursts": (["1.31 times as large"], ["1.54 times as large"]),
    "grid-workbook-texas-july": (
        ["34.769", "34.769 million megawatthours", "34.769 million MWh", "34,769 thousand MWh", "34.769 TWh"],
        ["34.769 thousand MWh", "34.770 million megawatthours"],
    ),
    "grid-workbook-kentucky-trend": (
        ["-1430", "-1,430 thousand megawatthours a year", "-1430 thousand MWh per year", "-1430 thousand MWh/year",
         "It falls by 1,430 thousand megawatthours each year.", "-1,430 GWh per year"],
        ["1430", "1430 thousand MWh", "-1430 MWh", "-1431", "It rises by 1430 thousand megawatthours a year"],
    ),
    "matchday-archive-winless-1978": (["11 matches"], ["12 matches"]),
    "tent-watch-us-lag": (["289 days"], ["298 days"]),
}  # fmt: skip


def check_of(root: Any, task: str) -> Any:
    for file in root.glob("tasks_public/*/keys.toml"):
        for key in tomllib.loads(file.read_text(encoding="utf-8"))["key"]:
            if key["task"] == task:
                return next(c["params"] for c in key["checks"] if c["kind"] == "answer")
    raise AssertionError(f"no key of {task}")


@pytest.mark.parametrize("task", FORMS)
def test_the_unit_of_the_prompt_may_be_said(root, task):
    params = check_of(root, task)
    right, wrong = FORMS[task]
    assert [c for c in right if not compare(params["type"], params["reference"], c).passed] == []
    assert [c for c in wrong if compare(params["type"], params["reference"], c).passed] == []
