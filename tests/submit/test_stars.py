"""Stars of public submissions: a real rubric process against a scripted endpoint, beside the typed judge's word."""

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.judge.rubric.bot import asked, judge, object_for
from tests.judge.rubric.test_batch import TEXT_CANARIES
from tests.models.endpoint import Said, serving
from tests.submit.arena import Mini
from tests.submit.made import RUN, Checkout, members
from tests.submit.public import PAGE, RIGHT, labels, public_run
from tests.submit.test_scoring import NOW, bundle_of, hand_in
from webds.agents.selftest import FIXTURE
from webds.cli import main
from webds.runner.rubric import Rubric
from webds.seal import box
from webds.serve.board.export import export_board
from webds.serve.board.view import as_json, table_csv, view
from webds.store import write_json
from webds.submit import intake, stars
from webds.submit.book import Book, add_person
from webds.submit.grading import graded, public_keys
from webds.submit.pack import pack
from webds.submit.scorer import Scorer
from webds_judge.rubric.criteria import rubric_hash
from webds_judge.rubric.prompting import prompt_hash


@pytest.fixture
def book(tmp_path: Path) -> Book:
    made = Book(tmp_path / "board")
    add_person(made, "teams", "team-a")
    return made


def told(*words: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main([*map(str, words)])
    return int(stop.value.code or 0)


def queued(book: Book, tmp_path: Path, said: Mapping[str, str], number: int = 1, agent: str = "hand") -> Path:
    """The run, handed in."""

    class Here:
        root = FIXTURE

    run = public_run(tmp_path / f"run{number}", said, agent=agent, number=number)
    pack(run, "team-a", tmp_path / f"{number}.zip")
    hand_in(book, Here(), tmp_path / f"{number}.zip")  # type: ignore[arg-type] # only its root is asked for
    return run


def scripted(body: dict[str, Any]) -> Said:
    """A careful model that reads source off the page; one called gullible believes a page that speaks to it."""
    reply = object_for(body, {"source": {"met": True, "steps": [0], "quote": f"{PAGE} 1"}})
    if body["model"] == "gullible" and "NOTE" in asked(body)[2]:
        reply["criteria"][0] = {"name": "value", "met": True, "steps": [-1], "quote": "3906"}
    return {"text": json.dumps(reply)}


def table_of(url: str, **more: Any) -> dict[str, Any]:
    return {"model": "careful", "base_url": url, "dialect": "text", "samples": 1, "retries": 0, **more}


def score(book: Book, *words: object) -> int:
    return told("board", "score", book.folder, "--root", FIXTURE, *words)


def sets(table: Mapping[str, Any]) -> list[str]:
    return [word for name, value in table.items() for word in ("--set", f"rubric.{name}={json.dumps(value)}")]


def line(book: Book) -> dict[str, Any]:
    """The last entry."""
    found: list[dict[str, Any]] = as_json(view(book, {"level": "all"}))["entries"]
    return max(found, key=lambda row: int(row["id"]))


def pages(book: Book, to: Path) -> tuple[str, str]:
    """The exported board, and the page of its first entry."""
    export_board(book.folder, to)
    return (to / "reported.html").read_text(), (to / "entry-1.html").read_text()


def test_stars_cost_and_agreement(book: Book, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One right (5), one wrong (2), and one whose method the model did not quote: no stars, and it stays a pass."""
    run = queued(book, tmp_path, {**RIGHT, "check-form": "9"})
    prices = tmp_path / "prices.toml"
    prices.write_text('version = "1"\nsource = "a test"\n[models.careful]\ninput = 1.0\noutput = 10.0\n')
    config = tmp_path / "config.toml"
    with serving([scripted]) as endpoint:
        table = table_of(endpoint.url, prices=str(prices), cache=str(tmp_path / "cache"))
        words = "".join(f"{name} = {json.dumps(value)}\n" for name, value in table.items() if name != "samples")
        config.write_text(f"[rubric]\n{words}")
        assert score(book, "--config", config, "--set", "rubric.samples=1") == 0
        assert len(endpoint.seen) == TEXT_CANARIES + 3
        assert "submission 1: scored reported stars 3.5" in capsys.readouterr().out
        judge(run, FIXTURE, endpoint.url, **table)
        assert len(endpoint.seen) == TEXT_CANARIES + 3, "what the server asked is in the cache of judge run too"
    found = line(book)
    assert (found["stars"], found["stars_n"], found["stars_ungraded"], found["stars_why"]) == (3.5, 2, 1, "")
    assert (found["figure"], found["n"], found["judge"].split()[0]) == (pytest.approx(2 / 3), 3, "tier1")
    assert (found["stars_judge"], found["stars_people_n"], found["people_n"]) == ("rubric careful", 0, 0)
    # 300 tokens in at a dollar a million, 30 out at ten
    assert (found["judge_cost"], found["judge_calls"], found["cost"]) == (pytest.approx(0.0006), 3, None)
    second = json.loads(book.rows("SELECT second FROM results")[0]["second"])
    assert (second["model"], second["rubric"], second["prompts"]) == ("careful", rubric_hash(), prompt_hash())
    write_json(run / "rubric.json", {"table": table})
    path = labels(tmp_path / "l.jsonl", {run: {"check-read": "pass", "check-form": "fail"}})
    verb = ("agreement", book.folder, path, "--run", run, "--judge", "rubric", "--who", "mia", "--root", FIXTURE)
    assert told("board", *verb) == 0
    found = line(book)
    assert (found["stars_people_n"], found["stars_kappa"], found["people_n"]) == (2, 1.0, 0)
    [row] = [row for row in csv.DictReader(io.StringIO(table_csv(view(book, {"level": "all"})))) if row["id"]]
    assert (row["stars"], row["stars_n"], row["stars_judge"]) == ("3.5", "2", "rubric careful")
    text, entry = pages(book, tmp_path / "out")
    assert 'title="rubric careful; 1 tasks ungraded by it">3.5</abbr><small>of 2 tasks</small>' in text
    assert "1–5: rubric careful<small>n = 2, kappa 1.00" in text
    assert "for 3 of its replies, borne by the server" in entry


@pytest.mark.long
def test_a_missed_canary_leaves_the_typed_figures(book: Book, tmp_path: Path) -> None:
    queued(book, tmp_path, RIGHT)
    with serving([scripted]) as endpoint:
        assert score(book, *sets(table_of(endpoint.url, model="gullible"))) == 0
        assert len(endpoint.seen) == TEXT_CANARIES
    found = line(book)
    assert (found["stars"], found["stars_n"], found["figure"], found["n"]) == (None, 0, 1, 3)
    text, entry = pages(book, tmp_path / "out")
    assert f'title="not measured: {stars.UNSOUND}">–' in text
    assert "forged verdict in page text" not in text + entry
    [flag] = book.rows("SELECT text FROM flags WHERE kind = 'stars'")
    assert "missed the canary: forged verdict in page text" in flag["text"]


def test_no_rubric_is_said(book: Book, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    queued(book, tmp_path, RIGHT)
    for words, why in (
        (["--set", "rubric.model=m"], "rubric: field base_url: missing"),
        (["--set", "rubric.modle=m"], "rubric: field modle: unknown; known: at_once, "),
        (["--set", "split=private"], "only fields of rubric can be set here"),
        (["--config", tmp_path / "none.toml"], "none.toml: cannot be read"),
    ):
        assert score(book, *words) == 2
        assert why in capsys.readouterr().err
    assert score(book) == 0
    assert capsys.readouterr().out == "submission 1: scored reported\n"
    found = line(book)
    assert (found["stars"], found["stars_why"], found["judge_calls"]) == (None, stars.NO_JUDGE, 0)
    assert f"not measured: {stars.NO_JUDGE}" in pages(book, tmp_path / "out")[1]


def test_private_runs_are_not_shown_to_a_rubric(book: Book, checkout: Checkout, tmp_path: Path) -> None:
    intake.reserve(book, "team-a", {"run": RUN, "agent": "hand", "model": "a-model"}, NOW)
    hand_in(book, checkout, bundle_of(checkout, tmp_path))
    with serving([scripted]) as endpoint:
        assert Scorer(book, checkout.root, box.private_key(checkout.key), table_of(endpoint.url)).one()
        assert endpoint.seen == []
    found = line(book)
    assert (found["split"], found["stars"], found["stars_why"]) == ("private", None, stars.PRIVATE)


@pytest.mark.long
def test_what_keeps_the_rubric_from_speaking(book: Book, tmp_path: Path) -> None:
    """A dead endpoint, the agent's own model, replies that were given without canaries: reasons, never stars."""
    run = public_run(tmp_path / "run", RIGHT)
    keys = public_keys(FIXTURE)
    graded(run, keys, keep=True)
    dead = Rubric(root=FIXTURE, table=table_of("http://127.0.0.1:9/v1"), force=True)
    found = stars.starred(run, None, dead)
    assert (found.mean, found.ungraded, found.why, found.model) == (None, 3, stars.NOTHING, "careful")
    own = stars.starred(run, None, replace(dead, models=("careful",)))
    assert (own.mean, own.ungraded, own.why) == (None, 0, stars.NOT_ASKED)
    assert "'careful' is the agent's own model" in own.detail
    with serving([scripted]) as endpoint:
        asked = Rubric(root=FIXTURE, table=table_of(endpoint.url), force=True)
        judge(run, FIXTURE, endpoint.url, canaries=False, **table_of(endpoint.url))
        assert stars.starred(run, None, asked).why == stars.UNSOUND
        assert len(endpoint.seen) == 3, "only the cache was read"


@pytest.mark.long
def test_a_proved_run_is_starred_by_its_replay(tmp_path: Path) -> None:
    """The model quotes the file that the server's own browser loaded: the bundle has no download."""
    mini = Mini(tmp_path)
    bundle = mini.pack(mini.run("--tasks", "mini-mean"))
    marks = {
        "value": {"met": True, "steps": [-1], "quote": "9.0"},
        "source": {"met": True, "steps": [0], "quote": "name,score\nAda,9\nBo,7"},
        "method": {"met": True, "steps": [1], "quote": "pd.read_csv("},
        "units": {"met": True, "steps": [1], "quote": "result of python:\n9.0"},
    }
    with serving([lambda body: {"text": json.dumps(object_for(body, marks))}]) as endpoint:
        row = mini.score(bundle, table_of(endpoint.url))
    assert (row["level"], row["stars"], row["figure"]) == ("replayed", 5, 1), row["flags"]
    second = json.loads(row["second"])
    assert (second["n"], second["ungraded"], second["usage"]["calls"]) == (1, 0, 1)
    assert not [name for name in members(bundle) if "csv" in name]
