"""`webds tasks import webarena`: what is mapped, what is not, and what the report says of it. The rows are our own."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.runs import webds
from webds.errors import InputFault
from webds.suites import taskfiles
from webds.suites.webarena import convert
from webds_judge.keys import read_keys


def row(number: int, **more: Any) -> dict[str, Any]:
    """One task in the WebArena shape."""
    judged = {
        "eval_types": ["string_match"], "reference_answers": {"exact_match": "Vermont"}, "reference_url": "",
        "program_html": [], "string_note": "", "reference_answer_raw_annotation": "Vermont",
    }  # fmt: skip
    return {
        "sites": ["reddit"], "task_id": number, "require_login": False, "storage_state": None,
        "start_url": "https://data.example/", "geolocation": None, "intent_template": "", "instantiation_dict": {},
        "intent": 'Which state has the "lowest" rate?', "require_reset": False, "intent_template_id": 3,
        "eval": {**judged, **more.pop("judged", {})}, **more,
    }  # fmt: skip


def one(**more: Any):
    return convert([("f", row(1, **more))], {"__REDDIT__": "https://forum.example/"}, "wa-")


def test_what_is_mapped(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "001_fred--1.json").write_text(json.dumps(row(1)))
    (tmp_path / "in" / "002_reddit--2.json").write_text(
        json.dumps([row(2, start_url="__REDDIT__/f/x", require_login=True)])
    )
    words = ["tasks", "import", "webarena", str(tmp_path / "in"), "--map", "__REDDIT__=https://forum.example"]
    done = webds(*words, "--out", str(tmp_path / "out"), "--json", root=None)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["written"], report["keys"], report["skipped"]) == (2, 2, [])
    assert [(item["field"], item["lost"], item["tasks"]) for item in report["unmapped"]] == [
        ("require_login", True, ["webarena-2"])
    ]
    first, second = taskfiles.own([str(tmp_path / "out" / "tasks.toml")])
    assert (first.id, first.prompt, first.budget.steps) == ("webarena-1", 'Which state has the "lowest" rate?', 30)
    assert second.start == {"url": "https://forum.example/f/x"}
    keys = list(read_keys(tmp_path / "out" / "keys.toml"))
    assert [key.checks[0].params for key in keys] == [{"type": "string", "reference": "Vermont"}] * 2
    assert webds(*words, "--out", str(tmp_path / "out"), root=None).returncode == 2  # it is there already
    strict = webds(*words, "--out", str(tmp_path / "out"), "--force", "--strict", root=None)
    assert strict.returncode == 1
    assert "lost require_login: no log-in is made: the task starts signed out (webarena-2)" in strict.stdout


@pytest.mark.parametrize(
    ("answers", "params"),
    [
        ({"exact_match": "144"}, {"type": "integer", "reference": 144}),
        ({"exact_match": "-0.5"}, {"type": "number", "reference": -0.5}),
        ({"exact_match": "$4.20"}, {"type": "string", "reference": "$4.20"}),
        ({"must_include": ["Maine"]}, {"type": "string", "reference": "Maine"}),
        ({"must_include": ["Maine", "Ohio"]}, {"type": "list", "reference": ["Maine", "Ohio"]}),
    ],
)
def test_reference_answers(answers: dict[str, Any], params: dict[str, Any]) -> None:
    made = one(judged={"reference_answers": answers})
    assert made.keys[0]["checks"][0]["params"] == params


@pytest.mark.parametrize(
    ("judged", "field"),
    [
        ({"eval_types": ["url_match"], "reference_answers": None}, "eval.reference_url"),
        ({"eval_types": ["program_html"], "reference_answers": None}, "eval.program_html"),
        ({"eval_types": ["string_match", "url_match"]}, "eval.reference_url"),
        ({"reference_answers": {"fuzzy_match": ["about a third"]}}, "eval.reference_answers.fuzzy_match"),
        ({"reference_answers": {"fuzzy_match": "N/A"}}, "eval.reference_answers.fuzzy_match"),
        ({"reference_answers": {"exact_match": "a", "must_include": ["b"]}}, "eval.reference_answers.must_include"),
        ({"reference_answers": {}}, "eval.reference_answers."),
        ({"eval_types": []}, "eval.eval_types"),
    ],
)
def test_what_no_check_does_leaves_a_task_without_key(judged: dict[str, Any], field: str) -> None:
    made = one(judged=judged)
    assert (len(made.tasks), made.keys) == (1, [])
    assert [lack.field for lack in made.lacks if lack.lost] == [field]


def test_every_field_is_mapped_implied_or_reported() -> None:
    made = one(
        require_login=True, storage_state="x.json", geolocation={"latitude": 1}, require_reset=True,
        start_url="__REDDIT__/a |AND| https://b.example/",
        intent_template="{{x}}", instantiation_dict={"x": 1}, difficulty="hard", judged={"weight": 2},
    )  # fmt: skip
    assert sorted(lack.field for lack in made.lacks if lack.lost) == [
        "difficulty", "eval.weight", "geolocation", "require_login", "require_reset", "start_url", "storage_state",
    ]  # fmt: skip
    assert sorted(lack.field for lack in made.lacks if not lack.lost) == ["instantiation_dict", "intent_template"]
    assert made.tasks[0]["start"] == {"url": "https://forum.example/a"}
    skipped = one(start_url="__MAP__/x")
    assert (skipped.tasks, skipped.skipped[0].field) == ([], "start_url")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("a.json: task number 1", [])], "a.json: task number 1: wanted an object"),
        ([("a", {"task_id": 1})], "field intent: missing or malformed"),
        ([("a", {**row(1), "task_id": "../x"})], "field task_id: '../x'"),
        ([("a", row(1)), ("b", row(1))], "b: field task_id: 1 stands twice"),
    ],
)
def test_another_shape_is_one_line(rows: list[tuple[str, Any]], said: str) -> None:
    with pytest.raises(InputFault, match=said):
        convert(rows, {}, "")


def test_a_file_that_is_no_json_is_exit_2(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{")
    done = webds("tasks", "import", "webarena", str(tmp_path / "x.json"), root=None)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "x.json: not JSON" in done.stderr
