"""An upload that is handed in more than once, at the same time or after an answer that was lost, is taken once."""

import hashlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.test_frame import served
from tests.submit.made import RUN, Checkout
from tests.submit.test_scoring import NOW, bundle_of, left
from webds.errors import InputFault
from webds.files import held
from webds.serve.board.part import board_part
from webds.submit import intake, reserved
from webds.submit.book import Book, add_person

CALLS = 4


def at_once(call: Callable[[], Any], *others: Callable[[], Any]) -> list[Any]:
    """What each of several calls gave or raised that were begun at the same instant: `CALLS` of the first."""
    calls = [*[call] * CALLS, *others]
    ready = threading.Barrier(len(calls))

    def one(asked: Callable[[], Any]) -> Any:
        ready.wait(30)
        return asked()

    with ThreadPoolExecutor(len(calls)) as pool:
        jobs = [pool.submit(one, asked) for asked in calls]
        return [job.exception() or job.result() for job in jobs]


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(tmp_path / "board")


def uploaded(book: Book, path: Path, team: str) -> str:
    data = path.read_bytes()
    sha = hashlib.sha256(data).hexdigest()
    intake.begin(book, team, sha, len(data))
    intake.part(book, team, sha)[0].write_bytes(data)
    return sha


def test_one_of_many_calls_takes_it_and_all_have_its_number(checkout: Checkout, book: Book, tmp_path: Path) -> None:
    """Beside them another team hands in the same bytes."""
    intake.reserve(book, "team-a", {"run": RUN, "agent": "hand", "model": "a-model"}, NOW)
    path = bundle_of(checkout, tmp_path)
    sha, scratch = uploaded(book, path, "team-a"), book.folder / "scratch"
    uploaded(book, path, "team-b")

    def take(team: str) -> Callable[[], int]:
        return lambda: intake.take(book, checkout.root, team, sha, scratch, NOW)

    *mine, other = at_once(take("team-a"), take("team-b"))
    [row] = book.rows("SELECT id, team FROM submissions")
    assert (mine, row["team"]) == ([row["id"]] * CALLS, "team-a")
    assert isinstance(other, InputFault)
    assert "belongs to another team" in str(other)
    assert (left(book), book.rows("SELECT * FROM uploads"), list(scratch.iterdir())) == ([f"{sha}.zip"], [], [])
    assert intake.take(book, checkout.root, "team-a", sha, scratch, NOW) == row["id"]


def test_what_breaks_here_loses_no_upload(checkout: Checkout, book: Book, tmp_path: Path) -> None:
    intake.reserve(book, "team-a", {"run": RUN, "agent": "hand", "model": "a-model"}, NOW)
    sha = uploaded(book, bundle_of(checkout, tmp_path), "team-a")
    (tmp_path / "a file").write_text("")
    with pytest.raises(OSError, match="a file"):
        intake.take(book, checkout.root, "team-a", sha, tmp_path / "a file", NOW)
    assert intake.take(book, checkout.root, "team-a", sha, book.folder / "scratch", NOW)


def test_the_client_waits_for_a_server_that_is_late(checkout: Checkout, book: Book, tmp_path: Path) -> None:
    """Its answers come too late while another call holds the upload: it asks again, and so does a second client."""
    token, path = add_person(book, "teams", "team-a"), bundle_of(checkout, tmp_path)
    sha = hashlib.sha256(path.read_bytes()).hexdigest()
    asked = [threading.Semaphore(0), threading.Semaphore(0)]
    with served(board_part(book.folder, checkout.root)) as http:

        def client(count: threading.Semaphore) -> httpx.Client:
            made = reserved.client(str(http.base_url), token)
            made.event_hooks = {"request": [lambda request: count.release() if "done" in request.url.path else None]}
            return made

        with client(asked[0]) as one, client(asked[1]) as two, ThreadPoolExecutor(2) as pool:
            reserved.reserve(one, RUN, {"agent": "hand", "model": "a-model"})
            reserved.asked(one, "POST", "/board/api/uploads", json={"sha256": sha, "size": path.stat().st_size})
            headers = {"Upload-Offset": "0"}
            reserved.asked(one, "PATCH", f"/board/api/uploads/{sha}", content=path.read_bytes(), headers=headers)
            one.timeout = httpx.Timeout(30, read=0.2)
            with held(intake.lock(book, "team-a", sha)):
                first = pool.submit(reserved.hand_in, one, sha)
                second = pool.submit(reserved.send, two, path, sha, lambda *_: None)
                assert all(asked[number].acquire(timeout=30) for number in (0, 0, 0, 1))
            answers = [first.result(60), second.result(60)]
        assert answers[0] == answers[1]
        assert [answers[0]["submission"]] == [row["id"] for row in book.rows("SELECT id FROM submissions")]


def test_the_reason_of_a_refusal_reaches_all_who_asked(checkout: Checkout, book: Book, tmp_path: Path) -> None:
    """Also who asks again after it was said; a new upload begins anew."""
    token, path = add_person(book, "teams", "team-a"), bundle_of(checkout, tmp_path)
    sha = hashlib.sha256(path.read_bytes()).hexdigest()
    with served(board_part(book.folder, checkout.root)) as http, reserved.client(str(http.base_url), token) as mine:
        begun = {"sha256": sha, "size": path.stat().st_size}
        reserved.asked(mine, "POST", "/board/api/uploads", json=begun)
        headers = {"Upload-Offset": "0"}
        reserved.asked(mine, "PATCH", f"/board/api/uploads/{sha}", content=path.read_bytes(), headers=headers)
        found = at_once(lambda: reserved.hand_in(mine, sha))
        with pytest.raises(InputFault, match="was not reserved"):
            reserved.hand_in(mine, sha)
        assert {type(one) for one in found} == {InputFault}
        assert {"was not reserved" in str(one) for one in found} == {True}
        reserved.reserve(mine, RUN, {"agent": "hand", "model": "a-model"})
        assert reserved.send(mine, path, sha, lambda *_: None)["state"] == "queued"
