"""Who gets which item: places, leases, training, hidden repeats, adjudication."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.annotate.build_plan import NOW, by_task, form, make_plan, make_run, person
from webds.annotate import labels, people
from webds.annotate.book import Book
from webds.annotate.people import Person
from webds.annotate.queue import order, progress, skip, take, was_given
from webds.errors import InputFault


def label(book: Book, who: Person, said: str = "pass", now: float = NOW) -> str:
    """Take the next item and label it; its id."""
    name = take(book, who, now).item
    assert name
    labels.submit(book, who, name, form(said), now)
    return name


def test_a_place_goes_to_one_person_only(root: Path, tmp_path: Path) -> None:
    book = make_plan(root, tmp_path / "plan", make_run(tmp_path / "run", [True] * 8))
    crowd = [person(book, f"p{n}") for n in range(12)]
    with ThreadPoolExecutor(12) as pool:
        given = list(pool.map(lambda who: take(book, who, NOW), crowd))
    names = [one.item for one in given if one.item]
    assert len(names) == len(set(names)) == 8
    assert [one.wait for one in given if not one.item] == [True] * 4
    assert take(book, crowd[0], NOW + 1).item == given[0].item


def test_two_places_go_to_two_people(root: Path, tmp_path: Path) -> None:
    book = make_plan(root, tmp_path / "plan", make_run(tmp_path / "run", [True]), double=1)
    ada, ben, cyd = (person(book, name) for name in ("ada", "ben", "cyd"))
    names = {take(book, who, NOW).item for who in (ada, ben)}
    assert len(names) == 1
    assert take(book, cyd, NOW).wait
    label(book, ada)
    assert not take(book, ada, NOW).item
    assert take(book, cyd, NOW).wait
    label(book, ben)
    assert take(book, cyd, NOW) == take(book, ada, NOW)
    assert not take(book, cyd, NOW).wait


def test_a_lease_runs_out_and_a_late_label_still_counts(root: Path, tmp_path: Path) -> None:
    book = make_plan(root, tmp_path / "plan", make_run(tmp_path / "run", [True]), lease=60)
    ada, ben = person(book, "ada"), person(book, "ben")
    name = take(book, ada, NOW).item
    assert take(book, ben, NOW + 59).wait
    labels.save_draft(book, ada, name, '{"label": "fail"}', NOW + 50)
    assert take(book, ben, NOW + 109).wait
    assert label(book, ben, "pass", NOW + 111) == name
    labels.submit(book, ada, name, form("fail"), NOW + 200)
    with book.reading() as db:
        kept = [tuple(row) for row in db.execute("SELECT alias, label FROM labels WHERE withdrawn IS NULL")]
    assert sorted(kept) == [("ada", "fail"), ("ben", "pass")]


def test_each_person_has_an_order_that_does_not_change(root: Path, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [True] * 12)
    book = make_plan(root, tmp_path / "plan", run)
    orders = {alias: [item.id for item in order(book, alias)] for alias in ("ada", "ben")}
    assert orders["ada"] != orders["ben"]
    assert sorted(orders["ada"]) == sorted(orders["ben"])
    again = Book(tmp_path / "plan")
    assert [item.id for item in order(again, "ada")] == orders["ada"]


def test_the_order_tells_nothing_of_what_the_judges_said(root: Path, tmp_path: Path) -> None:
    words = ([True] * 5, [False] * 5, [bool(n % 2) for n in range(5)])
    orders = []
    for number, passed in enumerate(words):
        run = make_run(tmp_path / str(number) / "run", list(passed))
        book = make_plan(root, tmp_path / str(number) / "plan", run)
        orders.append([item.episode for item in order(book, "ada")])
    assert orders[0] == orders[1] == orders[2]


def test_a_label_against_the_automatic_outcome_asks_for_a_second(root: Path, tmp_path: Path) -> None:
    book = make_plan(root, tmp_path / "plan", make_run(tmp_path / "run", [True, False, True]))
    ada, ben = person(book, "ada"), person(book, "ben")
    said = {by_task(book)["t0"]: "pass", by_task(book)["t1"]: "pass", by_task(book)["t2"]: "unsure"}
    for _ in range(3):
        name = take(book, ada, NOW).item
        labels.submit(book, ada, name, form(said[name]), NOW)
    assert {label(book, ben), label(book, ben)} == {by_task(book)["t1"], by_task(book)["t2"]}
    assert not take(book, ben, NOW).item


def test_skipped_items_come_last_and_free_their_place(root: Path, tmp_path: Path) -> None:
    book = make_plan(root, tmp_path / "plan", make_run(tmp_path / "run", [True] * 3))
    ada, ben = person(book, "ada"), person(book, "ben")
    first = take(book, ada, NOW).item
    skip(book, ada, first, NOW)
    assert label(book, ada) != first
    assert label(book, ada) != first
    assert label(book, ben) == first
    assert not take(book, ada, NOW).item


def test_training_first_and_hidden_repeats_after_a_gap(root: Path, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [True] * 8)
    file = tmp_path / "training.jsonl"
    file.write_text('{"run": "run", "task": "t0", "label": "fail", "why": ""}\n')
    book = make_plan(root, tmp_path / "plan", run, training=file, repeats=0.2, gap=3)
    ada = person(book, "ada")
    seen = []
    while name := take(book, ada, NOW).item:
        seen.append(name)
        labels.submit(book, ada, name, form(), NOW)
    assert seen[0] == by_task(book)["t0"]
    assert len(seen) == len(set(seen)) == 8 + 2
    assert {labels.role_of(book, ada, name) for name in seen} == {"training", "label", "repeat"}
    for again, item in book.repeats.items():
        assert seen.index(again) > seen.index(item.id)
    ben = person(book, "ben")
    assert label(book, ben) == seen[0]
    assert not take(book, ben, NOW).item
    assert progress(book, ada, NOW).open == 0
    assert len(progress(book, ada, NOW).done) == 10


def test_a_third_person_settles_what_differs(root: Path, tmp_path: Path) -> None:
    book = make_plan(root, tmp_path / "plan", make_run(tmp_path / "run", [True] * 3), double=1)
    ada, ben, eve = person(book, "ada"), person(book, "ben"), person(book, "eve", "adjudicator")
    words = {"t0": ("pass", "pass"), "t1": ("pass", "fail"), "t2": ("unsure", "unsure")}
    assert take(book, eve, NOW).wait
    for task, (first, second) in words.items():
        for who, said in ((ada, first), (ben, second)):
            labels.submit(book, who, by_task(book)[task], form(said, note=f"{who.alias} thinks"), NOW)
    name = label(book, eve, "fail")
    assert {name, label(book, eve, "fail")} == {by_task(book)["t1"], by_task(book)["t2"]}
    assert take(book, eve, NOW) == take(book, ada, NOW)
    with pytest.raises(labels.TooLate, match="settled"):
        labels.submit(book, ada, name, form("unsure", 1), NOW)
    with pytest.raises(labels.TooLate, match="no settling"):
        labels.submit(book, eve, by_task(book)["t0"], form("fail"), NOW)
    told = labels.words(book, book.items[by_task(book)["t1"]])
    assert sorted(one.label for one in told) == ["fail", "pass"]


def test_nobody_is_given_what_they_did_not_hold(root: Path, tmp_path: Path) -> None:
    book = make_plan(root, tmp_path / "plan", make_run(tmp_path / "run", [True] * 2))
    ada, ben = person(book, "ada"), person(book, "ben")
    name = take(book, ada, NOW).item
    assert was_given(book, ada, name)
    assert not was_given(book, ben, name)


def test_invites_expire_and_can_be_revoked(root: Path, tmp_path: Path) -> None:
    book = make_plan(root, tmp_path / "plan", make_run(tmp_path / "run", [True]))
    token = people.invite(book, "ada", "rater", 1, NOW)
    assert people.enter(book, "x" * 43, "s", NOW) is None
    assert people.enter(book, token, "s", NOW + 86_401) is None
    assert people.enter(book, token, "s", NOW) == Person(alias="ada", role="rater")
    assert people.person(book, "s", NOW + 86_401) is None
    name = take(book, Person(alias="ada", role="rater"), NOW).item
    people.revoke(book, "ada", NOW)
    assert people.person(book, "s", NOW) is None
    assert people.enter(book, token, "s", NOW) is None
    assert take(book, person(book, "ben"), NOW).item == name
    again = people.invite(book, "ada", "rater", 1, NOW)
    assert people.enter(book, token, "s", NOW) is None
    assert people.enter(book, again, "s", NOW) is not None
    data = b"".join(path.read_bytes() for path in (tmp_path / "plan").glob("labels.db*"))
    assert token.encode() not in data
    assert again.encode() not in data
    with pytest.raises(InputFault, match="is a rater already"):
        people.invite(book, "ada", "adjudicator", 1, NOW)
    with pytest.raises(InputFault, match="known: ada, ben"):
        people.revoke(book, "eve", NOW)
    for alias in ("", "Ada", "../ada", "a" * 33, "a.b"):
        with pytest.raises(InputFault, match="alias"):
            people.invite(book, alias, "rater", 1, NOW)
