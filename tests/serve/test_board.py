"""The board through a real socket: upload with resume, the pages, the maintainer's page, filters, export."""

import hashlib
import re
from pathlib import Path

import httpx
import pytest

from tests.serve.board_rows import EVIL, ROWS, filled
from tests.serve.test_frame import served
from tests.submit.made import RUN, Checkout
from tests.submit.test_scoring import bundle_of, scorer
from webds.errors import InputFault
from webds.serve.board.export import export_board
from webds.serve.board.part import board_part
from webds.submit import reserved
from webds.submit.book import Book, add_person
from webds.submit.decide import decide


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Checkout:
    return Checkout(tmp_path_factory.mktemp("checkout"), root)


def test_upload_with_resume_then_queue_then_score(checkout: Checkout, tmp_path: Path) -> None:
    book = Book(tmp_path / "board")
    token = add_person(book, "teams", "team-a")
    path = bundle_of(checkout, tmp_path)
    sha = hashlib.sha256(path.read_bytes()).hexdigest()
    with served(board_part(book.folder, checkout.root)) as http:
        address = str(http.base_url)
        with reserved.client(address, token) as mine:
            assert reserved.reserve(mine, RUN, {"agent": "hand", "model": "a-model"})["state"] == "reserved"
            reserved.asked(mine, "POST", "/board/api/uploads", json={"sha256": sha, "size": path.stat().st_size})
            first = path.read_bytes()[:100]
            headers = {"Upload-Offset": "0"}
            reserved.asked(mine, "PATCH", f"/board/api/uploads/{sha}", content=first, headers=headers)
            with pytest.raises(InputFault, match="the upload is at 100"):
                reserved.asked(mine, "PATCH", f"/board/api/uploads/{sha}", content=first, headers=headers)
            told: list[tuple[int, int]] = []
            answer = reserved.send(mine, path, sha, lambda *now: told.append(now))
            assert (answer["state"], told[0][0], told[-1][0]) == ("queued", 100, path.stat().st_size)
            with pytest.raises(InputFault, match="handed in already"):
                reserved.send(mine, path, sha, lambda *_: None)
        with (
            reserved.client(address, "webds-wrong") as other,
            pytest.raises(InputFault, match="no team has this token"),
        ):
            reserved.reserve(other, RUN, {})
        assert scorer(book, checkout).one() == answer["submission"]
        assert "team-a" not in http.get("/board/").text, "a reported run is not in the default view"
        page = http.get("/board/?level=all").text
        assert "team-a" in page
        assert "734512" not in page + http.get("/board/table.json?level=all").text
        assert RUN in http.get("/board/reservations").text


def test_pages_api_and_filters(checkout: Checkout, tmp_path: Path) -> None:
    book = Book(tmp_path / "board")
    filled(book, ROWS)
    with served(board_part(book.folder, checkout.root)) as http:
        page = http.get("/board/").text
        assert "<script>alert" not in page
        assert "gamma" not in page
        data = http.get("/board/table.json", params={"level": "all"}).json()
        assert [entry["team"] for entry in data["entries"]] == ["gamma", "alpha", "=1+1", "beta"]
        assert [entry["team"] for entry in http.get("/board/table.json?level=re-run").json()["entries"]] == ["=1+1"]
        pair = next(p for p in data["pairs"] if {p["first"], p["second"]} == {1, 2})
        assert (pair["difference"], pair["n"], pair["p"]) == (pytest.approx(-0.6), 10, pytest.approx(2 / 64))
        assert pair["p_holm"] >= pair["p"]
        assert "'=1+1" in http.get("/board/table.csv").text
        assert http.get("/board/entry/1").status_code == 200
        assert http.get("/board/entry/99").status_code == 404
        for query, why in (
            ("colour=red", "filter 'colour'; known: split, track, agent, model, level, denominator"),
            ("level=best", "filter level: 'best'; known: proven, reported, replayed, re-run, all"),
            ("denominator=2", "filter denominator: '2'; known: lenient, strict"),
            ("split=secret", "filter split: 'secret'; known: public, private"),
        ):
            refused = http.get(f"/board/?{query}")
            assert (refused.status_code, refused.text) == (400, f"{why}\n")
        for name, header in (
            ("cells", "entry,label,value,passes,n,share,low,high,few"),
            ("pairs", "first,second,before,after,difference,low,high,n,p,p_holm"),
        ):
            assert http.get(f"/board/{name}.csv?level=all").text.splitlines()[0] == header


def csrf(text: str) -> str:
    found = re.search(r'name="csrf" value="([0-9a-f]+)"', text)
    assert found is not None
    return found[1]


def test_a_maintainer_enters_and_decides(checkout: Checkout, tmp_path: Path) -> None:
    book = Book(tmp_path / "board")
    token = add_person(book, "maintainers", "mia")
    filled(book, ROWS)
    with book.change() as db:
        db.execute("INSERT INTO flags (submission, kind, text, at) VALUES (1, 'times', ?, '')", (EVIL,))
    with served(board_part(book.folder, checkout.root)) as http:
        entry = http.get("/board/maintain/")
        assert "alpha" not in entry.text
        form = {"csrf": csrf(entry.text), "submission": "1", "decision": "hide", "reason": "its times cannot be"}
        assert http.post("/board/maintain/decide", data=form).status_code == 403
        assert http.post("/board/maintain/enter", data={"csrf": form["csrf"], "token": "no"}).status_code == 403
        page = _entered(http, token)
        assert EVIL not in page
        assert "&lt;script&gt;" in page
        assert http.post("/board/maintain/decide", data={**form, "csrf": "0" * 64}).status_code == 403
        form["csrf"] = csrf(page)
        assert http.post("/board/maintain/decide", data=form).status_code == 303
        assert "its times cannot be" in http.get("/board/maintain/").text
        assert "alpha" not in http.get("/board/").text
        http.post("/board/maintain/decide", data={**form, "decision": "show", "reason": "they can"})
        assert "alpha" in http.get("/board/").text


def _entered(http: httpx.Client, token: str) -> str:
    form = {"csrf": csrf(http.get("/board/maintain/").text), "token": token}
    assert http.post("/board/maintain/enter", data=form).status_code == 303
    return http.get("/board/maintain/").text


def test_the_static_export(tmp_path: Path) -> None:
    book = Book(tmp_path / "board")
    filled(book, ROWS)
    assert export_board(book.folder, tmp_path / "out") == 4
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"index.html", "board.json", "board.csv", "cells.csv", "pairs.csv", "board.css", "frame.css"} <= names
    pages = {path.name: path.read_text() for path in (tmp_path / "out").glob("*.html")}
    views = {"index.html", "index-strict.html", "reported.html", "reported-strict.html"}
    assert set(pages) == views | {f"entry-{n}.html" for n in range(1, 5)}
    assert "gamma" not in pages["index.html"]
    assert "gamma" in pages["reported.html"]
    for page in pages.values():
        assert "<form" not in page
        assert "<script>alert" not in page
        linked = set(re.findall('(?:href|src)="([^"#]*)', page)) - {""}
        assert linked <= names
    with pytest.raises(InputFault, match="no board's books"):
        export_board(tmp_path / "none", tmp_path / "out")


def test_an_export_removes_the_page_of_an_entry_that_was_hidden(tmp_path: Path) -> None:
    book, out = Book(tmp_path / "board"), tmp_path / "out"
    filled(book, ROWS)
    export_board(book.folder, out)
    own = {"entry-2024.html": "a page of mine", "entry-plan.html": '<a href="entry-1.html" rel="bookmark">', "x.md": ""}
    for name, text in own.items():
        (out / name).write_text(text)
    before = {path.name for path in out.iterdir()}
    decide(book, 1, "hide", "its times cannot be", "mia")
    export_board(book.folder, out)
    assert {path.name for path in out.iterdir()} == before - {"entry-1.html"}
    assert {name: (out / name).read_text() for name in own} == own
    decide(book, 1, "show", "they can", "mia")
    export_board(book.folder, out)
    assert {path.name for path in out.iterdir()} == before
