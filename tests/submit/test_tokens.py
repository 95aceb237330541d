"""What is left lying does not shut a team out, and a token that leaked can be ended."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.serve.test_board import csrf
from tests.serve.test_frame import served
from tests.submit.test_scoring import NOW
from webds.cli import main
from webds.errors import InputFault
from webds.serve.board.part import board_part
from webds.submit import intake
from webds.submit.book import Book, add_person, team_of


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(tmp_path / "board")


def test_uploads_that_nobody_goes_on_with_are_dropped(book: Book) -> None:
    def begin(number: int, days: float, team: str = "team-a") -> int:
        return intake.begin(book, team, f"{number:064x}", 1000, NOW + timedelta(days=days))

    for number in range(intake.OPEN_UPLOADS):
        begin(number, 0)
        intake.part(book, "team-a", f"{number:064x}")[0].write_bytes(b"12345")
    begin(1, 0, "team-b")
    with pytest.raises(InputFault, match="5 uploads are unfinished"):
        begin(9, 6.9)
    assert begin(0, 6.9) == 5
    assert begin(9, 7.1) == 0
    kept = {(row["team"], int(row["sha"], 16)) for row in book.rows("SELECT team, sha FROM uploads")}
    assert (kept, len(list(book.uploads.iterdir()))) == ({("team-a", 0), ("team-a", 9)}, 1)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[Any, str]:
    with pytest.raises(SystemExit) as stop:
        main(["board", *words])
    out = capsys.readouterr()
    return stop.value.code, out.out + out.err


def test_a_leaked_token_is_ended_with_a_reason(book: Book, capsys: pytest.CaptureFixture[str]) -> None:
    token, why = add_person(book, "teams", "team-a"), ("--reason", "it stood in a log", "--who", "mia")
    intake.begin(book, "team-a", "0" * 64, 1000)
    at = str(book.folder)
    assert said(capsys, "revoke", at, "team-a", *why) == (0, "team-a: revoked\n")
    assert (team_of(book, token), book.rows("SELECT * FROM uploads")) == ("", [])
    [kept] = book.rows("SELECT kind, name, reason, who FROM revocations")
    assert kept == {"kind": "teams", "name": "team-a", "reason": "it stood in a log", "who": "mia"}
    for words, line in (
        (("team-a", *why), "not there, or revoked already"),
        (("team-z", *why), "not there, or revoked already"),
        (("team-a", "--reason", " ", "--who", "mia"), "needs a reason"),
    ):
        code, text = said(capsys, "revoke", at, *words)
        assert (code, line in text) == (2, True), text
    new = said(capsys, "team", at, "team-a")[1].strip()
    assert (team_of(book, new), team_of(book, token)) == ("team-a", "")
    assert said(capsys, "team", at, "team-a")[0] == 2


def test_a_maintainer_s_sessions_end_with_the_token(
    book: Book, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    with book.change() as db:
        db.execute("ALTER TABLE maintainers DROP COLUMN revoked")  # books of an earlier webds
    book = Book(book.folder)
    token = add_person(book, "maintainers", "mia")
    words = ("revoke", str(book.folder), "mia", "--maintainer", "--reason", "she has left", "--who", "eve")
    with served(board_part(book.folder, root)) as http:
        form = {"csrf": csrf(http.get("/board/maintain/").text), "token": token}
        assert http.post("/board/maintain/enter", data=form).status_code == 303
        assert "You are mia" in http.get("/board/maintain/").text
        assert said(capsys, *words)[0] == 0
        page = http.get("/board/maintain/").text
        assert "You are mia" not in page
        assert http.post("/board/maintain/enter", data={**form, "csrf": csrf(page)}).status_code == 403
        token = add_person(book, "maintainers", "mia")
        assert "You are mia" not in http.get("/board/maintain/").text, "an old session stays ended"
        form = {"csrf": csrf(http.get("/board/maintain/").text), "token": token}
        assert http.post("/board/maintain/enter", data=form).status_code == 303
        assert "she has left" in http.get("/board/maintain/").text
