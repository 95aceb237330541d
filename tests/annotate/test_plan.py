"""The sample: what is drawn, what is labelled twice, and that it is fixed."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.annotate.build_plan import AGENT, MODEL, SITES, make_plan, make_run, prompt
from tests.conftest import ROOT
from tests.report.build_run import Episode, task
from tests.report.build_run import make_run as plain_run
from webds.annotate.book import Book
from webds.annotate.plan import Draft, How, gather
from webds.errors import InputFault


def passes(number: int) -> list[bool | None]:
    return [bool(n % 2) for n in range(number)]


def test_up_to_n_of_each_stratum_and_every_disagreement_and_ungraded(root: Path, tmp_path: Path) -> None:
    words: list[bool | None] = [True] * 30
    words[7] = None
    run = make_run(tmp_path / "run", words, rubric={4: False, 5: True})
    plan = make_plan(root, tmp_path / "plan", run, per_stratum=1).plan
    kinds = {(n % 3, n % 5) for n in range(30)}
    strata = {(s.tier, s.site): s.drawn for s in plan.strata if s.outcome == "pass"}
    assert len(strata) == len(kinds) == 15
    assert sum(strata.values()) == len(plan.items) - 1
    found = {item.episode: item for item in plan.items}
    assert (found["t4~0"].why, found["t4~0"].wanted) == ("disagreement", 2)
    assert (found["t7~0"].why, found["t7~0"].outcome) == ("ungraded", "ungraded")
    # t5 has two words that agree: it is in only where its stratum's draw fell on it.
    assert all(item.why == "sample" for name, item in found.items() if name not in ("t4~0", "t7~0"))


def test_the_same_seed_draws_the_same_and_another_does_not(root: Path, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [True] * 30)
    drawn = [
        [item.episode for item in make_plan(root, tmp_path / name / "plan", run, per_stratum=1, seed=seed).plan.items]
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    ]
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_fifth_is_labelled_twice_and_some_come_again(root: Path, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", passes(21))
    plan = make_plan(root, tmp_path / "plan", run, double=0.2, repeats=0.1).plan
    assert sum(item.wanted == 2 for item in plan.items) == 5
    assert sum(bool(item.repeat) for item in plan.items) == 3
    assert len({item.id for item in plan.items} | {item.repeat for item in plan.items if item.repeat}) == 24


def test_ids_tell_nothing_and_items_hold_what_the_page_needs(root: Path, tmp_path: Path) -> None:
    book = make_plan(root, tmp_path / "plan", make_run(tmp_path / "run", passes(3)))
    item = next(item for item in book.plan.items if item.episode == "t2~0")
    assert item.prompt == prompt(2)
    assert (item.tier, item.site, item.agent) == ("hard", SITES[2], "scripted")
    assert set(item.names) == {"scripted", AGENT, f"org/{MODEL}", MODEL}
    assert "synthesis" in item.criteria
    assert book.try_folder(item) == tmp_path / "run" / "episodes" / "t2~0" / "try-1"
    assert all(len(item.id) == 16 and item.episode[:2] not in item.id for item in book.plan.items)


def test_the_reference_of_a_public_task_comes_from_the_keys(tmp_path: Path) -> None:
    row = task("grid-workbook-texas-july", kind="qa", sites=["grid-workbook"])
    run = plain_run(tmp_path / "run", [row], [Episode(task=row["id"])])
    item = make_plan(ROOT, tmp_path / "plan", run).plan.items[0]
    assert '"type": "' in json.dumps(item.reference)
    assert "oracle" not in json.dumps(item.reference)


def test_a_plan_is_made_once_and_never_changed(root: Path, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", passes(3))
    make_plan(root, tmp_path / "plan", run)
    with pytest.raises(InputFault, match="made once"):
        make_plan(root, tmp_path / "plan", run)
    path = tmp_path / "plan" / "plan.json"
    path.write_text(path.read_text().replace('"wanted": 1', '"wanted": 2'))
    with pytest.raises(InputFault, match="changed since"):
        Book(tmp_path / "plan")


def test_training_items_are_not_in_the_sample(root: Path, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", passes(4))
    file = tmp_path / "training.jsonl"
    file.write_text('{"run": "run", "task": "t1", "label": "pass", "why": "it says so"}\n')
    plan = make_plan(root, tmp_path / "plan", run, training=file).plan
    assert [(item.episode, item.known) for item in plan.items if item.training] == [("t1~0", "pass")]
    assert sorted(item.episode for item in plan.items if not item.training) == ["t0~0", "t2~0", "t3~0"]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('{"run": "run", "task": "t1", "label": "good", "why": ""}', "field label"),
        ('{"run": "run", "task": "t9", "label": "pass", "why": ""}', "t9~0"),
        ('{"run": "gone", "task": "t1", "label": "pass", "why": ""}', "no run here"),
        ('{"task": "t1", "label": "pass", "why": ""}', "field run"),
    ],
)
def test_a_wrong_training_line_is_named(root: Path, tmp_path: Path, line: str, named: str) -> None:
    make_run(tmp_path / "run", passes(2))
    file = tmp_path / "training.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(InputFault, match=named):
        make_plan(root, tmp_path / "plan", tmp_path / "run", training=file)


def test_what_cannot_be_labelled_is_named(root: Path, tmp_path: Path) -> None:
    tasks = [task("a", difficulty="odd"), task("b")]
    run = plain_run(tmp_path / "run", tasks, [Episode(task="a"), Episode(task="b", acts=())])
    draft = Draft(root, tmp_path / "plan", How(per_stratum=1, seed=1))
    assert gather(draft, [run]) == []
    assert len(draft.left_out) == 2
    assert "field difficulty" in draft.left_out[0]
    assert "no step" in draft.left_out[1]
    with pytest.raises(InputFault, match="nothing to label"):
        draft.plan([], [], "")
    with pytest.raises(InputFault, match="given before"):
        gather(Draft(root, tmp_path / "plan", How(per_stratum=1, seed=1)), [make_run(tmp_path / "x", [True])] * 2)


@pytest.mark.parametrize("how", [{"per_stratum": 0}, {"double": 1.1}, {"repeats": -1}, {"lease": 0}, {"gap": -1}])
def test_numbers_out_of_bounds_are_named(root: Path, tmp_path: Path, how: dict[str, Any]) -> None:
    with pytest.raises(InputFault, match=f"--{next(iter(how)).replace('_', '-')}"):
        make_plan(root, tmp_path / "plan", **how)
