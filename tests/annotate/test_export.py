"""Labels out, back in as verdicts, and every row that does not match refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.annotate.build_plan import NOW, by_task, form, make_plan, make_run, person
from webds.annotate import labels
from webds.annotate.book import Book
from webds.annotate.export import bring_in, export
from webds.annotate.queue import take
from webds.cli import main
from webds.errors import InputFault
from webds.store import RunFolder
from webds.types import Verdict
from webds_judge.agreement.labels import read as read_labels


def labelled(root: Path, tmp_path: Path) -> tuple[Book, Path, Path]:
    """Three items, two people on each, one settled; with the run and the exported rows."""
    run = make_run(tmp_path / "run", [True, True, False])
    book = make_plan(root, tmp_path / "plan", run, double=1)
    ada, ben, eve = person(book, "ada"), person(book, "ben"), person(book, "eve", "adjudicator")
    ids = by_task(book)
    for task, first, second in (("t0", "pass", "pass"), ("t1", "pass", "fail"), ("t2", "fail", "fail")):
        take(book, ada, NOW)
        labels.submit(book, ada, ids[task], form(first, 4, note="as read", criteria={"value": True}), NOW)
        labels.submit(book, ben, ids[task], form(second, 2, failure="format"), NOW)
    labels.opened_reference(book, ada, ids["t0"], NOW - 1)
    labels.submit(book, eve, ids["t1"], form("fail", 2, reason="the year is wrong"), NOW)
    file = tmp_path / "labels.jsonl"
    assert export(book, file, NOW) == 7
    return book, run, file


def test_rows_are_those_of_the_page_and_close_the_labels(root: Path, tmp_path: Path) -> None:
    book, _, file = labelled(root, tmp_path)
    rows = read_labels([file])
    assert [row.rater for row in rows].count("human:ada") == 3
    settled = next(row for row in rows if row.role == "adjudication")
    assert (settled.rater, settled.label, settled.reason) == ("human:eve", "fail", "the year is wrong")
    assert [row.reference_opened for row in rows if row.rater == "human:ada"] == [True, False, False]
    assert all(row.rubric == book.plan.rubric and row.at.endswith("Z") and row.tier and row.site for row in rows)
    ada = person(book, "ada")
    labels.submit(book, ada, by_task(book)["t0"], form("pass", 4, note="as read", criteria={"value": True}), NOW)
    with pytest.raises(labels.TooLate, match="exported"):
        labels.submit(book, ada, by_task(book)["t0"], form("fail", 1), NOW)
    with pytest.raises(labels.TooLate, match="exported"):
        labels.undo(book, ada, NOW)


def test_an_export_that_cannot_be_written_closes_no_label(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book = make_plan(root, tmp_path / "plan", make_run(tmp_path / "run", [True]), double=0)
    ada = person(book, "ada")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("no folder")
    for to, why in (("folder", "is a folder; wanted a file's name"), ("file/labels", "cannot be written: File exists")):
        item = take(book, ada, NOW)
        assert item is not None
        labels.submit(book, ada, item.item, form(), NOW)
        with pytest.raises(SystemExit) as stop:
            main(["annotate", "export", str(tmp_path / "plan"), "--to", str(tmp_path / to)])
        assert (stop.value.code, why in " ".join(capsys.readouterr().err.split())) == (2, True)
        assert labels.undo(book, ada, NOW) == item.item
    assert list(tmp_path.glob(".*.part")) == []


def test_labels_become_verdicts_of_people(root: Path, tmp_path: Path) -> None:
    _, run, file = labelled(root, tmp_path)
    done = bring_in([file], [run])
    assert (done.verdicts, done.other) == (7, 0)
    found = {item.evidence.task: item.verdicts for item in RunFolder.view(run).committed()}
    assert set(found["t0"]) == {"tier1", "human:ada", "human:ben"}
    word = found["t1"]["human:eve"]
    assert isinstance(word, Verdict)
    assert (word.passed, word.stars, word.why) == (False, 2, "the year is wrong")
    first = found["t0"]["human:ada"]
    assert isinstance(first, Verdict)
    assert [(part.name, part.passed) for part in first.parts] == [("value", True)]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"run": "another"}, "field run"),
        ({"episode": "t9~0"}, "field run"),
        ({"trajectory": "0" * 64}, "field trajectory"),
        ({"evidence": "0" * 64}, "field evidence"),
        ({"rubric": "0" * 64}, "rubric"),
        ({"rater": "human:../../x"}, "alias"),
        ({"stars": 9}, "field stars"),
    ],
)
def test_a_row_that_does_not_match_refuses_all(root: Path, tmp_path: Path, change: dict[str, Any], named: str) -> None:
    _, run, file = labelled(root, tmp_path)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    rows[-2].update(change)
    if "rubric" in change:
        for row in rows:
            row.update(change)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputFault, match=named):
        bring_in([file], [run])
    assert list(run.glob("episodes/*/*/verdicts/human*")) == []


def test_steps_that_were_changed_refuse_the_label(root: Path, tmp_path: Path) -> None:
    _, run, file = labelled(root, tmp_path)
    steps = run / "episodes" / "t1~0" / "try-1" / "trajectory.jsonl"
    steps.write_bytes(steps.read_bytes().replace(b"page 1", b"page 2"))
    with pytest.raises(InputFault, match="not those that were recorded"):
        bring_in([file], [run])
