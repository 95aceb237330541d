"""Check kind report: numbers with their units in Markdown and HTML; what is missing is named."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.judge.handed import handed
from webds.errors import InputFault
from webds.types import Json
from webds_judge.checks import report

REQUIRED = [
    {"name": "sales", "type": "number", "reference": 1234.5, "unit": {"any_of": ["GWh", "gigawatt hours"]}},
    {"name": "share", "type": "percent", "reference": 12.5},
    {"name": "plants", "type": "integer", "reference": 48, "unit": "plants", "near": ["Texas", "TX"]},
]
PARAMS: dict[str, Any] = {"file": "report.md", "required": REQUIRED}
PROSE = "# Power\n\nSales came to **1,234.5 GWh** in 2021, a share of 12.5 %.\n\nIn Texas there are 48 power plants.\n"
TABLE = """| State | Sales (GWh) | Share | Plants |
|---|---:|---|---|
| Texas | 1,234.5 | 12.5% | 48 |
"""
HTML = """<html><body><h1>Power</h1><table><tr><th>State</th><th>Sales (GWh)</th><th>Plants</th></tr>
<tr><td>Texas</td><td>1234.5</td><td>48</td></tr></table><p>Share: 12.5&nbsp;%</p></body></html>"""


def judged(tmp_path: Path, text: str, **changes: Any) -> tuple[bool, str, Mapping[str, Json]]:
    params = {**PARAMS, **changes}
    return report.check(handed(tmp_path, {params["file"]: text.encode()}), tmp_path, params)


@pytest.mark.parametrize("text", [
    PROSE, TABLE, PROSE.replace("1,234.5 GWh", "1234.5 gigawatt hours"), PROSE.replace("12.5 %", "12.5 percent"),
    PROSE.replace("1,234.5", "1 234.52"),
])  # fmt: skip
def test_a_whole_report_passes(tmp_path, text):
    passed, why, _ = judged(tmp_path, text)
    assert passed, why


def test_html_passes(tmp_path):
    passed, why, _ = judged(tmp_path, HTML, file="report.html")
    assert passed, why
    assert "holds all 3 required numbers" in why


@pytest.mark.parametrize(("old", "new", "missing"), [
    ("1,234.5 GWh", "1,234.5 MWh", "sales in GWh or gigawatt hours"),
    ("1,234.5 GWh", "1,234.6 GWh", "sales"),
    ("1,234.5 GWh", "1,234.5", "sales"),
    ("12.5 %", "12.5", "share"),
    ("12.5 %", "0.125 %", "share"),
    ("In Texas there", "There", "plants in plants"),
    ("48 power plants", "<!-- 48 power plants -->", "plants in plants"),
    ("48 power plants", "~~48 power plants~~ some", "plants in plants"),
    ("48 power plants", "-48 power plants", "plants in plants"),
])  # fmt: skip
def test_what_is_missing_is_named(tmp_path, old, new, missing):
    passed, why, _ = judged(tmp_path, PROSE.replace(old, new))
    assert not passed
    assert f"not found: {missing}" in why


def test_a_dump_of_numbers_is_not_read(tmp_path):
    dump = "Texas " + " ".join(f"{n} plants" for n in range(300)) + " 1234.5 GWh 12.5 %"
    assert not judged(tmp_path, dump)[0]


@pytest.mark.parametrize("lines", [
    [f"In Texas there are {n} plants." for n in range(40, 70)],
    [" ".join(f"Texas {n} plants" for n in range(start, start + 10)) for start in range(0, 100, 10)],
    ["| State | Plants |", "|---|---|", *(f"| Texas | {n} plants |" for n in range(40, 70))],
])  # fmt: skip
def test_many_values_for_one_item_are_a_dump(tmp_path, lines):
    passed, why, _ = judged(tmp_path, PROSE + "\n".join(lines))
    assert (passed, "more than 24 different values are given for plants" in why) == (False, True)


def test_a_table_of_other_rows_is_no_dump(tmp_path):
    rows = [f"| State {n} | {n + 100} plants | {n}.{n % 10} GWh | {n} % |" for n in range(30)]
    passed, why, _ = judged(
        tmp_path, "\n".join((PROSE, "| State | Plants | Sales | Share |", "|---|---|---|---|", *rows))
    )
    assert passed, why


@pytest.mark.parametrize("said", [
    "In Texas there are not 48 plants.", "In Texas there aren't 48 plants.",
    "In Texas 50 plants stand, rather than 48 plants.",
    "The often quoted figure for Texas of 48 plants is wrong.", "It is not true that Texas has 48 plants.",
    "48 plants in Texas was a mistake.",
])  # fmt: skip
def test_a_denied_number_is_not_claimed(tmp_path, said):
    passed, why, _ = judged(tmp_path, PROSE.replace("In Texas there are 48 power plants.", said))
    assert (passed, "not found: plants" in why) == (False, True)


@pytest.mark.parametrize("said", [
    "Texas has not only 48 plants but also mines.", "In Texas 48 plants are not in use.",
    "Texas does not burn coal: 48 plants.",
    "In Texas there are 48 plants, not 50.",
])  # fmt: skip
def test_a_denial_of_something_else_is_none_of_the_number(tmp_path, said):
    passed, why, _ = judged(tmp_path, PROSE.replace("In Texas there are 48 power plants.", said))
    assert passed, why


def test_no_file_and_a_large_file_fail(tmp_path):
    assert "no file named" in report.check(handed(tmp_path, {}), tmp_path, PARAMS)[1]
    assert "more than" in judged(tmp_path, "x" * 500_000)[1]


@pytest.mark.parametrize(("change", "said"), [
    ({"file": "report.txt"}, "known endings"),
    ({"required": []}, "at least one"),
    ({"required": [{"name": "a", "type": "date", "reference": 1}]}, "types: integer, number"),
    ({"required": [{"name": "a", "type": "number", "reference": "x"}]}, "not one number"),
    ({"required": [{"name": "a", "type": "number", "reference": 1, "words": 2}]}, "unknown field words"),
    ({"required": [{"name": "a", "type": "number", "reference": 1}] * 2}, "one name twice"),
])  # fmt: skip
def test_a_wrong_key_is_the_keys_fault(tmp_path, change, said):
    with pytest.raises(InputFault, match=said):
        judged(tmp_path, PROSE, **{"file": "report.md", **change})
