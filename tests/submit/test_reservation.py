"""A run counts as reserved where its id was reserved before it, for its agent, its model and its split."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.serve.test_frame import served
from tests.submit.made import Checkout
from tests.submit.public import RIGHT, public_run
from tests.submit.test_scoring import bundle_of, hand_in, left
from webds.agents.selftest import FIXTURE
from webds.errors import InputFault
from webds.runner.plan import run_id
from webds.serve.board.part import board_part
from webds.store import read_json, write_json
from webds.submit import intake, reservation
from webds.submit.book import Book, add_person, stamp
from webds.submit.bundle import Manifest
from webds.submit.pack import pack
from webds.submit.scorer import Scorer

BEGUN = datetime(2026, 11, 30, 10, 10, 10, tzinfo=UTC)
RUN = "20261130T101010Z-hand-ab12"
MINE = {"run": RUN, "agent": "hand", "model": "a-model"}


@pytest.fixture
def book(tmp_path: Path) -> Book:
    made = Book(tmp_path / "board")
    add_person(made, "teams", "team-a")
    return made


def public(folder: Path, **head: Any) -> Path:
    """A public run of the fixture's tasks."""
    run = public_run(folder / "run", RIGHT, agent="hand")
    told = {"id": RUN, "created": BEGUN.isoformat(), "declares": {"model": "a-model"}, **head}
    write_json(run / "run.json", {**read_json(run / "run.json"), **told})
    return run


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    folder = tmp_path_factory.mktemp("public")
    return pack(public(folder), "team-a", folder / "b.zip")


def known(at: datetime = BEGUN, **fields: str) -> Mapping[str, str]:
    """A reservation as the books have it."""
    return {**MINE, "team": "team-a", "split": "public", "at": stamp(at), **fields}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, ""),
        ({"agent": "other-agent"}, "was reserved for agent 'other-agent', and the run has 'hand'"),
        ({"model": "other-model"}, "was reserved for model 'other-model', and the run has 'a-model'"),
        ({"model": ""}, "was reserved for model '', and the run has 'a-model'"),
        ({"split": "private"}, "was reserved for split 'private', and the run has 'public'"),
    ],
)
def test_another_run_s_reservation_is_none(manifest: Manifest, fields: dict[str, str], why: str) -> None:
    assert reservation.fault(known(BEGUN, **fields), manifest) == why


@pytest.mark.parametrize(
    ("at", "created", "why"),
    [
        (timedelta(0), BEGUN + timedelta(days=1), ""),
        (timedelta(minutes=4), BEGUN, ""),
        (timedelta(minutes=6), BEGUN, "was reserved after the run had begun"),
        (timedelta(minutes=6), BEGUN + timedelta(days=1), "was reserved after the run had begun"),
        (timedelta(0), BEGUN - timedelta(minutes=6), "was reserved after the run had begun"),
        (timedelta(0), "once", "was reserved, and the run has no time at which it began"),
    ],
)
def test_reserved_is_before_the_run_as_it_tells_its_time(
    manifest: Manifest, at: timedelta, created: object, why: str
) -> None:
    """By its head and by its id; a team's clock may be five minutes behind the server's, no more."""
    told = replace(manifest, head={**manifest.head, "created": str(created)})
    assert reservation.fault(known(BEGUN + at), told) == why


def test_a_model_in_a_home_folder_is_compared_as_it_is_packed(manifest: Manifest) -> None:
    told = replace(manifest, head={**manifest.head, "declares": {"model": "[scrubbed]/m.gguf"}})
    assert reservation.fault(known(model="/home/" + "somebody/m.gguf"), told) == ""
    assert reservation.fault(known(model="/srv/m.gguf"), told)


def test_a_private_run_of_another_reservation_is_refused(checkout: Checkout, book: Book, tmp_path: Path) -> None:
    intake.reserve(book, "team-a", {**MINE, "model": "other-model"}, BEGUN)
    with pytest.raises(InputFault, match=f"run {RUN}: was reserved for model 'other-model', and the run has 'a-model'"):
        hand_in(book, checkout, bundle_of(checkout, tmp_path, RUN))
    assert left(book) == []


class Fixture:
    """The checkout of `public` runs, as hand_in wants one."""

    root = FIXTURE


def test_a_public_run_of_another_reservation_is_marked_with_the_reason(book: Book, tmp_path: Path) -> None:
    intake.reserve(book, "team-a", {**MINE, "agent": "other-agent", "split": "public"}, BEGUN)
    pack(public(tmp_path), "team-a", tmp_path / "b.zip")
    number = hand_in(book, Fixture, tmp_path / "b.zip")  # type: ignore[arg-type] # of a checkout it wants the root alone
    assert Scorer(book, FIXTURE, None).one() == number
    assert [row["reserved"] for row in book.rows("SELECT reserved FROM submissions")] == [0]
    [told] = book.rows("SELECT text FROM flags WHERE kind = 'reservation'")
    assert told["text"] == "the run's id was reserved for agent 'other-agent', and the run has 'hand'"
    with served(board_part(book.folder, FIXTURE)) as http:
        assert "not reserved for this run before it began" in http.get(f"/board/entry/{number}").text


def test_the_id_of_a_finished_run_cannot_be_reserved(book: Book) -> None:
    """Nor one whose clock is wrong, which a team had better hear of before its run."""
    for run in (RUN, "20261399T101010Z-hand-ab12"):
        with pytest.raises(InputFault, match=f"run {run}: its time is before the server's, 20261224T000000Z"):
            intake.reserve(book, "team-a", {**MINE, "run": run}, datetime(2026, 12, 24, tzinfo=UTC))
    assert intake.reserve(book, "team-a", {**MINE, "run": run_id("My.Agent")})["state"] == "reserved"
