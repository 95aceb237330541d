"""What private runs have shown holds for a team's later ones by a proof that is no weaker, and on their track only."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.serve.board_rows import filled
from tests.submit.made import Checkout, run_of
from tests.submit.test_scoring import NOW, bundle_of, hand_in, scorer
from webds.seal import box
from webds.serve.board.view import view
from webds.submit import intake, ladder
from webds.submit.book import Book, add_person
from webds.submit.decide import decide
from webds.submit.grading import Graded, graded, unsealed
from webds.submit.replay import hindrance
from webds.submit.verify import verified

RIGHT = ladder.step(2)
"""The figure of two private tasks that both passed."""


@pytest.fixture
def book(tmp_path: Path) -> Book:
    made = Book(tmp_path / "board")
    add_person(made, "teams", "team-a")
    return made


def scored(book: Book, checkout: Checkout, folder: Path, number: int, **said: str) -> int:
    """A *reported* run of team-a, handed in three days after the one before it."""
    run = f"20261130T10101{number}Z-hand-ab12"
    intake.reserve(book, "team-a", {"run": run, "agent": "hand", "model": "a-model"}, NOW)
    hand_in(book, checkout, bundle_of(checkout, folder, run, **said), at=NOW + timedelta(days=3 * number))
    return scorer(book, checkout).one()


def shown(book: Book, level: str) -> dict[int, tuple[Any, ...]]:
    lines = [entry.line for entry in view(book, {"level": level}).entries]
    return {line.id: (line.level, line.figure, line.rank) for line in lines}


def judged(checkout: Checkout, folder: Path, **said: str) -> Mapping[str, Graded]:
    return graded(run_of(checkout, folder, **said), unsealed(checkout.root, box.private_key(checkout.key)))


def test_a_proved_run_takes_no_figure_from_a_reported_one(checkout: Checkout, book: Book, tmp_path: Path) -> None:
    first = scored(book, checkout, tmp_path, 1)
    told = scorer(book, checkout)._told
    right, wrong = (judged(checkout, tmp_path / said, said=said) for said in ("734512", "1"))
    team: dict[str, Any] = {"team": "team-a"}
    assert told(team, right, "reported")["figure"] is None, "no more than what the team has"
    assert told(team, right, "replayed")["figure"] == pytest.approx(RIGHT)
    assert told(team, wrong, "replayed")["figure"] == 0
    second = scored(book, checkout, tmp_path, 2, said="1", posted="99")
    assert shown(book, "all")[second] == ("reported", pytest.approx(RIGHT), None), "of one proof: what the team has"
    decide(book, second, "re-run", "we ran it", "mia")
    assert shown(book, "proven") == {second: ("re-run", None, None)}
    decide(book, first, "re-run", "that too", "mia")
    assert shown(book, "proven")[first] == ("re-run", pytest.approx(RIGHT), 1)
    assert told(team, right, "replayed")["figure"] is None
    assert told(team, right, "reported")["figure"] is None, "what is reported is held against what was proved too"


def test_a_hidden_run_holds_none_down(checkout: Checkout, book: Book, tmp_path: Path) -> None:
    filled(book, [{"team": "team-a", "figure": RIGHT}, {"team": "team-a", "figure": None}])
    with book.change() as db:
        db.execute("UPDATE results SET behind = 1 WHERE submission = 1")
    told, right = scorer(book, checkout)._told, judged(checkout, tmp_path / "run")
    assert shown(book, "all")[2] == ("replayed", RIGHT, 1)
    assert told({"team": "team-a"}, right, "replayed")["figure"] is None
    decide(book, 1, "hide", "its times cannot be", "mia")
    assert shown(book, "all") == {2: ("replayed", None, None)}, "nothing was told of it: that is no zero"
    assert told({"team": "team-a"}, right, "replayed")["figure"] == pytest.approx(RIGHT)
    decide(book, 1, "show", "they can", "mia")
    assert told({"team": "team-a"}, right, "replayed")["figure"] is None


def test_tracks_and_proofs_stand_apart_on_the_board(book: Book) -> None:
    row: dict[str, Any] = {"team": "a", "level": "replayed"}
    rows = [
        {**row, "figure": 0.8, "level": "reported"}, {**row, "figure": 0.2}, {**row, "figure": None},
        {**row, "figure": None, "level": "re-run"}, {**row, "figure": None, "level": "reported"},
        {**row, "figure": None, "level": "reported"}, {**row, "figure": None, "team": "b"},
    ]  # fmt: skip
    filled(book, rows)
    with book.change() as db:
        db.execute("UPDATE submissions SET track = 'live' WHERE id = 6")
    figures = {number: figure for number, (_, figure, _) in shown(book, "all").items()}
    assert figures == {1: 0.8, 2: 0.2, 3: 0.2, 4: 0.2, 5: 0.8, 6: None, 7: None}


def test_another_track_begins_no_ladder(checkout: Checkout, book: Book, tmp_path: Path) -> None:
    """On which track a run was made is its own word: each new word would tell a score anew."""
    filled(book, [{"team": "team-a", "figure": RIGHT, "level": "reported"}])
    with book.change() as db:
        db.execute("UPDATE submissions SET track = 'another'")
        db.execute("UPDATE results SET behind = 1")
    told = scorer(book, checkout)._told({"team": "team-a"}, judged(checkout, tmp_path / "run"), "reported")
    assert (told["figure"], told["behind"]) == (None, None)


@pytest.mark.parametrize(("track", "split", "why"), [
    ("live", "private", "track live, private split: not replayed, so it stays reported"),
    ("own", "private", "track own, private split: not replayed, so it stays reported"),
    ("own", "public", "track own: not replayed, so it stays reported"),
    ("dockerized", "private", ""),
])  # fmt: skip
def test_private_tasks_are_replayed_on_our_own_sites_only(
    checkout: Checkout, tmp_path: Path, track: str, split: str, why: str
) -> None:
    """Also where every episode brings a capture: its team wrote that."""
    with verified(bundle_of(checkout, tmp_path), tmp_path / "u", checkout.root) as manifest:
        for folder in (tmp_path / "u" / "episodes").glob("*/try-1"):
            (folder / "archive").mkdir()
            (folder / "archive" / "manifest.json").write_text("{}")
        asked = replace(manifest, split=split, head={**manifest.head, "track": track})
        assert hindrance(tmp_path / "u", asked) == why
