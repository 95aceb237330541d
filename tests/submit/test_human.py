"""A person's run on the board: registered by maintainers, shown apart from the agents, in every form of the board."""

import asyncio
import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from tests.agents.test_human import episode as attended
from tests.agents.test_human import press, read
from tests.submit.made import Checkout, run_of
from tests.submit.public import RIGHT, begun, public_run
from tests.submit.test_scoring import hand_in, left, scorer
from webds import scratch
from webds.agents.selftest import FIXTURE
from webds.cli import main
from webds.errors import InputFault
from webds.serve.board.export import export_board
from webds.serve.board.view import NO_HUMAN, as_json, table_csv, view
from webds.store import commit, read_json, read_lines, write_json
from webds.submit import intake, ladder
from webds.submit.book import Book, add_person, now
from webds.submit.decide import decide
from webds.submit.human import register
from webds.submit.pack import pack
from webds.submit.scorer import Scorer


@pytest.fixture
def book(tmp_path: Path) -> Book:
    made = Book(tmp_path / "board")
    add_person(made, "teams", "team-a")
    return made


def said(book: Book, *words: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stop:
        main(["board", str(words[0]), str(book.folder), *map(str, words[1:]), "--root", str(FIXTURE)])
    return int(stop.value.code or 0), ""


def registered(book: Book, run: Path, alias: str = "ada") -> None:
    words = ("human", run, "--person", alias, "--who", "mia", "--reason", "under the tasks' budgets, at one sitting")
    assert said(book, *words)[0] == 0
    assert Scorer(book, FIXTURE, None).one()


def test_none_measured_is_said_and_nothing_invented(book: Book, tmp_path: Path) -> None:
    found = view(book, {"split": "public"})
    assert as_json(found)["human"] == {"measured": False, "entries": [], "notes": {"public-dockerized": NO_HUMAN}}
    [row] = csv.DictReader(io.StringIO(table_csv(found)))
    assert {name for name, value in row.items() if value} == {"kind", "agent", "split", "track", "note"}
    assert row["note"] == NO_HUMAN
    export_board(book.folder, tmp_path / "out")
    assert "none measured: no person&#39;s run" in (tmp_path / "out" / "index.html").read_text()


def test_a_registered_run_is_the_human_row(book: Book, tmp_path: Path) -> None:
    """Two of three tasks tried, one of them right: 1 of 2 graded, 1 of 3 in all; no rank, no cost, no proof needed."""
    registered(book, public_run(tmp_path / "run", {"check-read": "233", "check-form": "9"}))
    found = as_json(view(book, {}))
    assert found["entries"] == []
    [row] = found["human"]["entries"]
    assert (row["kind"], row["team"], row["level"], row["rank"], row["cost"]) == (
        "human", "human:ada", "reported", None, None,
    )  # fmt: skip
    assert (row["figure"], row["n"], row["strict"], row["tasks"], row["untried"]) == (
        0.5, 2, pytest.approx(1 / 3), 3, 1,
    )  # fmt: skip
    assert (row["low"], row["high"]) == (pytest.approx(0.0945, abs=1e-4), pytest.approx(0.9055, abs=1e-4))
    assert row["steps"] == 3
    [line] = csv.DictReader(io.StringIO(table_csv(view(book, {"agent": "llm", "track": "live"}))))
    assert (line["team"], line["registered"], line["note"]) == ("human:ada", "True", "")
    export_board(book.folder, tmp_path / "out")
    page = (tmp_path / "out" / "index.html").read_text()
    assert "registered by maintainers" in page
    assert 'class="person"' in page
    assert "none measured" not in page
    assert json.loads((tmp_path / "out" / "board.json").read_text())["human"]["measured"] is True
    kept = book.rows("SELECT decision, who, reason FROM decisions")
    assert kept == [{"decision": "register", "who": "mia", "reason": "under the tasks' budgets, at one sitting"}]
    decide(book, row["id"], "hide", "she knew the site", "mia")
    assert as_json(view(book, {}))["human"]["measured"] is False


def test_what_a_killed_registration_left_goes_with_the_next(book: Book, tmp_path: Path) -> None:
    left = book.folder / f"{scratch.PREFIX}1-dead"
    left.mkdir()
    for name in ("owner", "run.zip"):
        (left / name).touch()
    before = {path.name for path in book.folder.iterdir()} - {left.name}
    registered(book, public_run(tmp_path / "run", RIGHT))
    assert {path.name for path in book.folder.iterdir()} == before


def test_people_have_no_rank_and_agents_keep_theirs(book: Book, tmp_path: Path) -> None:
    registered(book, public_run(tmp_path / "ada", RIGHT))
    for number, wrong in enumerate(({"check-file": "1"}, {"check-file": "2"}), start=1):
        run = public_run(tmp_path / f"run{number}", {**RIGHT, **wrong}, agent="hand", number=number)
        pack(run, "team-a", tmp_path / f"{number}.zip")
        hand_in_public(book, tmp_path / f"{number}.zip")
        decide(book, number + 1, "re-run", "we ran it", "mia")
    found = as_json(view(book, {}))
    assert [(row["rank"], row["figure"]) for row in found["entries"]] == [(1, 2 / 3), (1, 2 / 3)]
    assert [row["rank"] for row in found["human"]["entries"]] == [None]
    against = next(pair for pair in found["pairs"] if {pair["first"], pair["second"]} == {1, 3})
    assert (against["difference"], against["n"], against["p"]) == (pytest.approx(1 / 3), 3, 1)


def hand_in_public(book: Book, path: Path) -> None:
    class Here:
        root = FIXTURE

    hand_in(book, Here(), path)  # type: ignore[arg-type] # only its root is asked for
    assert Scorer(book, FIXTURE, None).one()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"agent": "llm"}, "field agent: 'llm'; the human row takes runs of agent human"),
        ({"key_given": True}, "the key was given to this run"),
        ({"shard": "1/2"}, "one shard of a run"),
    ],
)
def test_what_is_no_persons_run(
    book: Book, tmp_path: Path, change: dict[str, Any], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = public_run(tmp_path / "run", RIGHT)
    write_json(run / "run.json", {**read_json(run / "run.json"), **change})
    assert said(book, "human", run, "--person", "ada", "--who", "mia", "--reason", "r")[0] == 2
    assert why in capsys.readouterr().err
    assert left(book) == []
    assert book.rows("SELECT * FROM submissions") == []


def test_names_and_reasons(book: Book, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = public_run(tmp_path / "run", RIGHT)
    for alias, who, reason, why in (
        ("A B", "mia", "r", "alias 'A B'"), ("ada", " ", "r", "wanted who registers"), ("ada", "mia", "", "--reason"),
    ):  # fmt: skip
        assert said(book, "human", run, "--person", alias, "--who", who, "--reason", reason)[0] == 2
        assert why in capsys.readouterr().err
    registered(book, run)
    assert said(book, "human", run, "--person", "ben", "--who", "mia", "--reason", "r")[0] == 2
    assert "this run was handed in already" in capsys.readouterr().err
    with pytest.raises(InputFault, match="such a name is a person's"):
        add_person(book, "teams", "human:ben")


def test_a_team_cannot_call_a_private_run_a_persons(book: Book, tmp_path: Path) -> None:
    """Its figure would be another ladder of the same team."""
    run = public_run(tmp_path / "run", RIGHT)
    write_json(run / "run.json", {**read_json(run / "run.json"), "config": {"split": "private"}})
    manifest = pack(run, "team-a", tmp_path / "b.zip")
    with pytest.raises(InputFault, match="maintainers register such runs"):
        intake._queued(book, "team-a", "0" * 64, tmp_path / "b.zip", manifest, now())


def test_a_persons_private_run_has_a_ladder_of_its_own(book: Book, checkout: Checkout, tmp_path: Path) -> None:
    """No reservation, no interval, no rank; and no word on a task, as of any private run."""
    run = run_of(checkout, tmp_path / "run")
    write_json(run / "run.json", {**read_json(run / "run.json"), "agent": "human", "track": "live"})
    number = register(book, checkout.root, run, alias="ada", who="mia", reason="r")
    assert scorer(book, checkout).one() == number
    found = as_json(view(book, {}))
    [row] = found["human"]["entries"]
    assert (row["split"], row["rank"], row["low"], row["strict"], row["n"]) == ("private", None, None, None, 2)
    assert row["figure"] == ladder.figure(None, 1.0, 2)
    assert (found["cells"], found["pairs"]) == ([], [])


@pytest.mark.long
async def test_what_a_person_did_in_the_browser_is_replayed(
    book: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trusted mouse events in a real Chromium at a person's pace: each is seen before the next one comes."""
    run = begun(tmp_path / "run", ["check-read"], track="dockerized")
    folder = run.new_try("check-read", 0)
    told = folder / "timings.jsonl"

    async def slowly(page: Page, panel: Page) -> None:
        for number, link in enumerate(("Rivers", "Search", "Rivers"), start=1):
            await press(page, f"a:text('{link}')")
            while number > len(list(read_lines(told)) if told.exists() else ()):
                await asyncio.sleep(0.1)
        await read(page, panel)

    evidence = await attended("check-read", slowly, folder, ("person",), monkeypatch)
    shutil.copytree(folder / "blobs", run.path / "blobs", dirs_exist_ok=True)
    commit(folder, evidence)
    run.release()
    words = ("human", run.path, "--person", "ada", "--who", "mia", "--reason", "a test's person")
    assert (await asyncio.to_thread(said, book, *words))[0] == 0
    assert await asyncio.to_thread(Scorer(book, FIXTURE, None).one)
    [row] = as_json(view(book, {}))["human"]["entries"]
    assert (row["level"], row["figure"], row["cost"]) == ("replayed", 1, None), book.rows("SELECT * FROM flags")
