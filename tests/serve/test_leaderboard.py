"""What the board shows, worked through by hand: ranks, both denominators, cells, paired differences, links."""

from pathlib import Path
from typing import Any

import pytest

from tests.serve.board_rows import ROWS, TASKS, filled
from webds.serve.board.view import View, as_json, cells_csv, pairs_csv, view
from webds.stats import wilson
from webds.submit.book import Book

WORDS = ["pass"] * 4 + ["fail"] * 2 + ["ungraded"] * 2 + ["not_run"] * 2


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(tmp_path / "board")


def ranks(found: View) -> list[tuple[str, int | None]]:
    return [(entry.line.team, entry.line.rank) for entry in found.entries]


def test_who_is_ranked(book: Book) -> None:
    """Proved and every task tried: the others stand by their figure, unranked. A filter changes no rank."""
    filled(book, [*ROWS, {"team": "delta", "passes": 5}, {"team": "part", "words": WORDS}])
    shown = [("gamma", None), ("alpha", 1), ("=1+1", 2), ("delta", 2), ("beta", 4), ("part", None)]
    assert ranks(view(book, {"level": "all"})) == shown
    assert ranks(view(book, {})) == shown[1:]
    assert ranks(view(book, {"agent": "a", "level": "re-run"})) == [("=1+1", 2)]


def test_both_denominators(book: Book) -> None:
    """Four of six graded; four of all ten. Under the strict one alpha's 5 of 10 is ahead of 4 of 7 graded."""
    mixed = ["pass"] * 4 + ["fail"] * 3 + ["ungraded"] * 3
    filled(book, [{"team": "part", "words": WORDS}, {"team": "mixed", "words": mixed}, {"team": "alpha", "passes": 5}])
    found = view(book, {})
    line = {entry.line.team: entry.line for entry in found.entries}
    part = line["part"]
    assert (part.figure, part.n, part.strict, part.tasks, part.untried) == (4 / 6, 6, 0.4, 10, 2)
    assert (part.strict_low, part.strict_high) == wilson(4, 10)
    assert ranks(found)[:2] == [("mixed", 1), ("alpha", 2)]
    assert ranks(view(book, {"denominator": "strict"}))[:2] == [("alpha", 1), ("mixed", 2)]


def cell(found: dict[str, Any], label: str, value: str) -> tuple[int, int]:
    row = next(row for row in found["cells"] if (row["label"], row["value"]) == (label, value))
    assert (row["low"], row["high"]) == wilson(row["passes"], row["n"])
    assert row["few"] is True
    return row["passes"], row["n"]


def test_cells_of_tier_domain_and_labels(book: Book) -> None:
    filled(book, [{"team": "part", "words": WORDS}])
    # easy: tasks 0, 3, 6, 9; passes 0 and 3; 6 is ungraded, 9 was not run. climate: 0, 2, 4, 6, 8.
    graded, of_all = (as_json(view(book, {"denominator": name})) for name in ("lenient", "strict"))
    assert (cell(graded, "tier", "easy"), cell(of_all, "tier", "easy")) == ((2, 2), (2, 4))
    assert (cell(graded, "domain", "climate"), cell(of_all, "domain", "climate")) == ((2, 3), (2, 5))
    assert (cell(graded, "tools", "yes"), cell(of_all, "sites", "b")) == ((1, 1), (0, 1))
    assert [row["value"] for row in graded["cells"] if row["label"] == "tier"] == ["easy", "medium", "hard"]
    assert cells_csv(view(book, {})).splitlines()[1].startswith("1,tier,easy,2.0,2,1.0,")


def test_repeats_count_by_their_share(book: Book) -> None:
    """Three repeats: two of three passed; one of two graded, so a half leniently and a third strictly."""
    words: list[Any] = [["pass", "pass", "fail"], ["pass", "fail", "ungraded"], *["fail"] * 8]
    filled(book, [{"team": "thrice", "words": words}, {"team": "once", "passes": 1}])
    found = view(book, {"denominator": "strict"})
    line = next(entry.line for entry in found.entries if entry.line.team == "thrice")
    assert line.strict == pytest.approx((2 / 3 + 1 / 3) / 10)
    rows = as_json(view(book, {}))
    easy = next(row for row in rows["cells"] if (row["entry"], row["value"]) == (1, "easy"))
    medium = next(row for row in rows["cells"] if (row["entry"], row["value"]) == (1, "medium"))
    assert (easy["passes"], easy["n"], medium["passes"]) == (pytest.approx(2 / 3), 4, 0.5)
    assert abs(rows["pairs"][0]["difference"]) == pytest.approx((2 / 3 + 1 / 2 - 1) / 10)


def test_tracks_are_ranked_apart(book: Book) -> None:
    """A live run is replayed from its team's own capture: its share stands beside no frozen one."""
    filled(book, ROWS)
    with book.change() as db:
        db.execute("UPDATE submissions SET track = 'live' WHERE id = 2")
    found = view(book, {})
    assert [section.title for section in found.sections] == ["Public split", "Public split, track live"]
    assert ranks(found) == [("alpha", 1), ("=1+1", 2), ("beta", 1)]


def test_private_entries_have_no_cell_and_no_test(book: Book) -> None:
    filled(book, [{"team": "a", "figure": 0.3}, {"team": "b", "figure": 0.6}, {"team": "a", "figure": None}])
    found = as_json(view(book, {}))
    assert (found["cells"], found["pairs"]) == ([], [])
    rows = [(row["team"], row["figure"], row["rank"], row["low"], row["strict"]) for row in found["entries"]]
    assert rows == [("b", 0.6, 1, None, None), ("a", 0.3, 2, None, None), ("a", 0.3, 2, None, None)]


def test_paired_differences_by_hand(book: Book) -> None:
    """Lenient: only what both have graded. Strict: an ungraded task is a fail. Another revision makes no pair."""
    changed = {**TASKS, "t0": {**TASKS["t0"], "revision": 2}}
    other = {"team": "other", "passes": 10, "tasks": changed}
    filled(book, [{"team": "part", "words": WORDS}, {"team": "all", "passes": 10}, other])

    def pair(denominator: str, ends: set[int]) -> tuple[Any, int, float]:
        rows = as_json(view(book, {"denominator": denominator}))["pairs"]
        row = next(row for row in rows if {row["first"], row["second"]} == ends)
        return abs(row["difference"]), row["n"], row["p"]

    assert pair("lenient", {1, 2}) == (pytest.approx(2 / 6), 6, 0.5)
    assert pair("strict", {1, 2}) == (pytest.approx(4 / 8), 8, 0.125)
    assert pair("lenient", {1, 3}) == (pytest.approx(2 / 5), 5, 0.5)
    assert pair("lenient", {2, 3}) == (0, 9, 1)
    held = sorted(as_json(view(book, {"denominator": "strict"}))["pairs"], key=lambda row: row["p"])
    assert [row["p_holm"] for row in held] == [pytest.approx(0.375), pytest.approx(0.375), 1]
    assert len(pairs_csv(view(book, {})).splitlines()) == 4


def test_a_permanent_link_says_everything(book: Book) -> None:
    filled(book, ROWS)
    found = view(book, {"agent": "a"})
    assert found.query == "agent=a&level=proven&denominator=lenient"
    again = view(book, dict(part.split("=") for part in found.query.split("&")))
    assert (again.query, ranks(again)) == (found.query, ranks(found))


def test_books_of_an_earlier_webds_are_read(book: Book) -> None:
    """Their results have neither labels nor a judge's stamp: no cells, no agreement, and nothing else is lost."""
    filled(book, ROWS)
    with book.change() as db:
        for column in ("tasks", "stamp"):
            db.execute(f"ALTER TABLE results DROP COLUMN {column}")
    found = as_json(view(Book(book.folder), {"level": "all"}))
    assert (len(found["entries"]), found["cells"], found["entries"][0]["people_n"]) == (4, [], 0)
    assert len(found["pairs"]) == 6
