"""Labels: nothing is overwritten, undo until export, and what a form may hold."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.annotate.build_plan import NOW, form, make_plan, make_run, person
from tests.conftest import ROOT
from webds.annotate import labels
from webds.annotate.book import Book
from webds.annotate.queue import take
from webds.errors import InputFault


@pytest.fixture
def book(root: Path, tmp_path: Path) -> Book:
    return make_plan(root, tmp_path / "plan", make_run(tmp_path / "run", [True] * 3))


def history(book: Book) -> list[tuple[str, bool]]:
    with book.reading() as db:
        return [(row["label"], row["withdrawn"] is None) for row in db.execute("SELECT * FROM labels ORDER BY seq")]


def test_a_change_keeps_what_was_before(book: Book) -> None:
    ada = person(book, "ada")
    name = take(book, ada, NOW).item
    labels.save_draft(book, ada, name, '{"note": "so far"}', NOW)
    assert labels.filled(book, ada, name) == labels.Filled(body={"note": "so far"}, sent=False)
    labels.submit(book, ada, name, form("pass", seconds=3), NOW)
    labels.submit(book, ada, name, form("pass", seconds=9), NOW)
    assert history(book) == [("pass", True)]
    labels.submit(book, ada, name, form("fail", 1), NOW)
    assert history(book) == [("pass", False), ("fail", True)]
    found = labels.filled(book, ada, name)
    assert (found.body["label"], found.sent) == ("fail", True)


def test_undo_takes_the_newest_back_as_a_draft(book: Book) -> None:
    ada = person(book, "ada")
    assert labels.undo(book, ada, NOW) == ""
    names = []
    for said in ("pass", "fail"):
        names.append(take(book, ada, NOW).item)
        labels.submit(book, ada, names[-1], form(said, note="why"), NOW)
    assert labels.undo(book, ada, NOW) == names[1]
    assert history(book) == [("pass", True), ("fail", False)]
    assert take(book, ada, NOW).item == names[1]
    again = labels.filled(book, ada, names[1])
    assert (again.body["note"], again.sent) == ("why", False)


@pytest.mark.parametrize(
    ("sent", "named"),
    [
        ({}, "field label"),
        ({"label": "maybe"}, "field label"),
        ({"label": "pass", "stars": 6}, "field stars"),
        ({"label": "pass", "stars": 0}, "field stars"),
        ({"label": "pass", "stars": 2.5}, "field stars"),
        ({"label": "pass", "criteria": {"beauty": True}}, "beauty"),
        ({"label": "pass", "failure": "lazy"}, "field failure"),
        ({"label": "pass", "note": "x" * 4001}, "field note"),
        ({"label": "pass", "seconds": -1}, "field seconds"),
        ({"label": "pass", "seconds": float("nan")}, "field seconds"),
        ({"label": "pass", "rater": "human:ben"}, "field rater"),
    ],
)
def test_a_wrong_form_is_named(book: Book, sent: dict[str, object], named: str) -> None:
    with pytest.raises(InputFault, match=named):
        labels.read_form(sent, book.plan.items[0])


WRITER = """
import sys
from pathlib import Path
from tests.conftest import ROOT
from webds.annotate import labels
from webds.annotate.book import Book
from webds.annotate.people import Person
from webds.annotate.records import Form
book, who = Book(Path(sys.argv[1])), Person(alias="ada", role="rater")
name = book.plan.items[0].id
for number in range(100000):
    labels.submit(book, who, name, Form(label="pass", note=str(number)), 1.8e9)
    print(number, flush=True)
"""


@pytest.mark.long
def test_what_was_acknowledged_outlives_a_kill(book: Book) -> None:
    person(book, "ada")
    words = [sys.executable, "-c", WRITER, str(book.folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT) as child:
        assert child.stdout is not None
        for _ in range(20):
            last = child.stdout.readline()
        os.kill(child.pid, signal.SIGKILL)
        last = [last, *child.stdout.readlines()][-1]
    again = Book(book.folder)
    with again.reading() as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        kept = db.execute("SELECT count(*) FROM labels").fetchone()[0]
        standing = db.execute("SELECT count(*) FROM labels WHERE withdrawn IS NULL").fetchone()[0]
    assert kept >= int(last) + 1
    assert standing == 1
