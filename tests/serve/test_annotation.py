"""The pages of the pass over a real socket: who enters, what they may see, and that nothing tells what others said."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from PIL import Image

from tests.annotate.build_plan import AGENT, MODEL, SECRET, add_files, by_task, make_plan, make_run
from tests.serve.test_frame import served
from webds.annotate.book import Book
from webds.annotate.people import invite, revoke
from webds.serve.annotation.part import annotation_part
from webds.serve.part import Settings
from webds.serve.rates import Rate

CLOCK = 1_800_000_000.0
FAST = Settings(reads=Rate(burst=9999, second=99), writes=Rate(burst=9999, second=99))
FORM = {"label": "pass", "stars": 4, "criteria": {}, "note": "SAID-BY-ADA", "seconds": 12}
type Sent = list[tuple[str, bytes]]


class Rater:
    """A browser without a screen: cookies, the page's token, and everything that the server ever sent to it."""

    def __init__(self, client: httpx.Client, book: Book, alias: str, role: str = "rater") -> None:
        self.client = client
        self.alias = alias
        self.seen: Sent = []
        self.invite = invite(book, alias, role, 14, CLOCK)

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self._note(self.client.get(path, headers={"Accept": "text/html", **headers}))

    def post(self, path: str, sent: dict[str, object] | None = None) -> httpx.Response:
        headers = {"X-CSRF-Token": self.token, "Accept": "application/json"}
        return self._note(self.client.post(path, json=sent or {}, headers=headers))

    def form(self, path: str, **fields: str) -> httpx.Response:
        return self._note(self.client.post(path, data={"csrf": self.token, **fields}))

    def enter(self) -> None:
        self.token = self._token(self.get("/annotate/enter").text)
        assert self.form("/annotate/enter", token=self.invite).status_code == 303
        self.token = self._token(self.get("/annotate/").text)

    def next(self) -> str:
        """The id of the next item, "" where there is none."""
        found = self.form("/annotate/next").headers["location"]
        return found.rpartition("/items/")[2] if "/items/" in found else ""

    def look(self, name: str) -> str:
        """Everything that the item's page loads."""
        page = self.get(f"/annotate/items/{name}").text
        for path in re.findall('(?:src|href|data-src)="(/[^"#]+)"', page):
            self.get(path)
        self.post(f"/annotate/items/{name}/reference")
        return page

    def _token(self, page: str) -> str:
        found = re.search('name="csrf" content="([0-9a-f]{64})"', page)
        assert found is not None
        return found[1]

    def _note(self, response: httpx.Response) -> httpx.Response:
        self.seen.append(
            (
                f"{response.request.method} {response.request.url.path}",
                bytes(str(response.headers.raw), "utf-8") + response.content,
            )
        )
        return response


@contextmanager
def rating(book: Book, *aliases: str, roles: dict[str, str] | None = None) -> Iterator[list[Rater]]:
    """A server for the plan and people who have entered."""
    with served(annotation_part(book.folder, lambda: CLOCK), settings=FAST) as client:
        raters = []
        for alias in aliases:
            other = httpx.Client(base_url=client.base_url, trust_env=False, timeout=60)
            raters.append(Rater(other, book, alias, (roles or {}).get(alias, "rater")))
            raters[-1].enter()
        try:
            yield raters
        finally:
            for rater in raters:
                rater.client.close()


@pytest.fixture
def book(tmp_path: Path) -> Book:
    run = make_run(tmp_path / "run", [True, False, None, True], rubric={0: False, 1: False})
    return make_plan(tmp_path, tmp_path / "plan", run, double=1)


def test_no_response_to_a_rater_tells_what_is_hidden(book: Book) -> None:
    hidden = [AGENT, MODEL, "scripted", SECRET, "tier1", "run-zebra"]
    words = ["disagreement", "ungraded", "infra", "blocked"]  # the style sheet has classes of these names
    with rating(book, "ada", "ben") as (ada, ben):
        while name := ada.next():
            page = ada.look(name)
            assert "[withheld]" in page
            assert ada.post(f"/annotate/items/{name}/label", FORM).status_code == 200
            ada.get("/annotate/")
        while name := ben.next():
            ben.look(name)
            ben.post(f"/annotate/items/{name}/label", {**FORM, "note": "SAID-BY-BEN", "label": "fail"})
        sent = {"ada": ada.seen, "ben": ben.seen}
    assert min(map(len, sent.values())) > 40
    others = {"ada": ["ben", "SAID-BY-BEN"], "ben": ["ada", "SAID-BY-ADA"]}
    for alias, seen in sent.items():
        for where, body in seen:
            text = body.decode("utf-8", "replace").lower()
            found = [
                word
                for word in (*hidden, *others[alias], *([] if "/static/" in where else words))
                if re.search(rf"(?<![a-z]){re.escape(word.lower())}(?![a-z])", text)
            ]
            assert not found, (alias, where, found)
    names = [item.id for item in book.plan.items]
    assert not any(word in name for name in names for word in ("t0", "t1", "t2", "t3"))


def test_the_verdicts_change_no_byte_of_what_a_rater_gets(tmp_path: Path) -> None:
    """Two runs that differ in nothing but what the judges said: the same pages, in the same order."""
    words: list[tuple[list[bool | None], dict[int, bool]]] = [
        ([True] * 5, {}),
        ([False, True, None, False, True], {1: False, 3: True}),
    ]
    told = []
    for number, (passed, rubric) in enumerate(words):
        run = make_run(tmp_path / str(number) / "run", passed, rubric)
        book = make_plan(tmp_path, tmp_path / str(number) / "plan", run)
        with rating(book, "ada") as (ada,):
            pages = []
            while name := ada.next():
                pages.append(ada.look(name).replace(ada.token, ""))
                ada.post(f"/annotate/items/{name}/label", FORM)
        told.append(pages)
    assert len(told[0]) == 5
    assert told[0] == told[1]


def test_only_who_was_given_an_item_sees_it(book: Book) -> None:
    with rating(book, "ada", "ben") as (ada, ben):
        name = ada.next()
        blob = re.findall(r'src="(/annotate/items/[^"]+/blob/[0-9a-f]{64})"', ada.look(name))[0]
        assert ada.get(blob).headers["content-type"] == "image/png"
        for path in (f"/annotate/items/{name}", blob, f"/annotate/items/{name}/files/0"):
            assert ben.get(path).status_code == 404
        for verb in ("draft", "label", "skip", "reference"):
            assert ben.post(f"/annotate/items/{name}/{verb}", FORM).status_code == 404
        other = next(item for item in book.plan.items if item.id != name)
        assert ada.get(f"/annotate/items/{other.id}").status_code == 404
        assert ada.get("/annotate/items/nothing").status_code == 404
        for odd in ("0" * 64, "x", "..%2f..%2frun.json"):
            assert ada.get(f"/annotate/items/{name}/blob/{odd}").status_code == 404


def test_strangers_and_the_revoked_are_sent_to_the_entrance(book: Book) -> None:
    with rating(book, "ada") as (ada,):
        name = ada.next()
        stranger = httpx.Client(base_url=ada.client.base_url, trust_env=False)
        assert stranger.get("/annotate/", headers={"Accept": "text/html"}).headers["location"] == "/annotate/enter"
        assert stranger.get(f"/annotate/items/{name}").status_code == 401
        stranger.close()
        revoke(book, "ada", CLOCK)
        assert ada.post(f"/annotate/items/{name}/label", FORM).status_code == 401
        assert ada.form("/annotate/enter", token=ada.invite).status_code == 403
        assert "revoked" in ada.seen[-1][1].decode()


def test_leaving_ends_the_session(book: Book) -> None:
    with rating(book, "ada") as (ada,):
        cookie = dict(ada.client.cookies)
        assert ada.form("/annotate/leave").headers["location"] == "/annotate/enter"
        ada.client.cookies.clear()
        old = "; ".join(f"{name}={value}" for name, value in cookie.items())
        assert ada.client.get("/annotate/", headers={"Cookie": old}).status_code == 401


def test_label_draft_undo_and_wrong_forms(book: Book) -> None:
    with rating(book, "ada") as (ada,):
        first = ada.next()
        at = f"/annotate/items/{first}"
        assert ada.post(f"{at}/draft", {"label": "fail", "note": "half a thought"}).status_code == 200
        assert "half a thought" in ada.get(at).text
        assert ada.post("/annotate/undo").json() == {"error": "there is no label to undo"}
        wrongs: list[tuple[dict[str, object], str]] = [
            ({}, "field label"),
            ({"label": "pass"}, "field stars"),
            ({**FORM, "x": 1}, "field x"),
        ]
        for wrong, named in wrongs:
            refused = ada.post(f"{at}/label", wrong)
            assert (refused.status_code, named in refused.json()["error"]) == (400, True)
        assert ada.post(f"{at}/label", FORM).json()["next"] != at
        assert ada.post("/annotate/undo").json() == {"next": at}
        assert "SAID-BY-ADA" in ada.get(at).text
        with book.reading() as db:
            said = [row["what"] for row in db.execute("SELECT what FROM events")]
        assert said == ["undo"]


def test_an_adjudicator_sees_what_was_said_but_not_who_said_it(book: Book) -> None:
    with rating(book, "ada", "ben", "eve", roles={"eve": "adjudicator"}) as (ada, ben, eve):
        assert eve.next() == ""
        for who, label in ((ada, "pass"), (ben, "fail")):
            while name := who.next():
                who.post(f"/annotate/items/{name}/label", {**FORM, "label": label, "note": f"{label} it is"})
        name = eve.next()
        page = eve.look(name)
        assert "pass it is" in page
        assert "fail it is" in page
        assert not re.search(r"\b(ada|ben)\b", " ".join(body.decode("utf-8", "replace") for _, body in eve.seen))
        settled = eve.post(f"/annotate/items/{name}/label", {**FORM, "label": "fail", "reason": "the year is wrong"})
        assert settled.status_code == 200
        late = ada.post(f"/annotate/items/{name}/label", {**FORM, "label": "unsure"})
        assert (late.status_code, "settled" in late.json()["error"]) == (409, True)


def test_training_tells_the_known_label_only_after_saving(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [True, True])
    file = tmp_path / "training.jsonl"
    file.write_text('{"run": "run", "task": "t0", "label": "fail", "why": "WRONG-YEAR"}\n')
    book = make_plan(tmp_path, tmp_path / "plan", run, training=file)
    with rating(book, "ada") as (ada,):
        name = ada.next()
        assert name == by_task(book)["t0"]
        assert "WRONG-YEAR" not in ada.look(name)
        said = ada.post(f"/annotate/items/{name}/label", FORM).json()
        assert said["feedback"] == {"known": "fail", "why": "WRONG-YEAR", "said": "pass", "right": False}


def test_files_are_drawn_in_the_sandbox(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [True])
    Image.new("RGB", (60, 40), "red").save(tmp_path / "chart.png")
    Image.new("RGB", (60, 40), "red").save(tmp_path / "paper.pdf")
    table = "year,twh\n" + "".join(f"{1990 + n},<b>{n}</b>\n" for n in range(150))
    files = {name: (tmp_path / name).read_bytes() for name in ("chart.png", "paper.pdf")}
    add_files(run, 0, {**files, "data.csv": table.encode(), "evil.xlsx": b"PK\x03\x04 not a workbook"})
    book = make_plan(tmp_path, tmp_path / "plan", run)
    with rating(book, "ada") as (ada,):
        name = ada.next()
        at = f"/annotate/items/{name}/files"
        assert re.findall(r'<summary class="data">(\S+)', ada.look(name)) == [
            "chart.png",
            "data.csv",
            "evil.xlsx",
            "paper.pdf",
        ]
        rows = ada.get(f"{at}/1").text
        assert rows.count("<tr>") == 100
        assert "&lt;b&gt;7&lt;/b&gt;" in rows
        assert ada.get(f"{at}/1?part=2").text.count("<tr>") == 51
        assert "not shown" in ada.get(f"{at}/2").text
        for number in (0, 3):
            assert "/picture" in ada.get(f"{at}/{number}").text
            picture = ada.get(f"{at}/{number}/picture")
            assert (picture.headers["content-type"], picture.content[:4]) == ("image/png", b"\x89PNG")
        for path in (f"{at}/9", f"{at}/0?part=0", f"{at}/0?part=x", f"{at}/1/picture"):
            assert ada.get(path).status_code == 404


def test_a_recording_that_changed_is_not_shown(book: Book, tmp_path: Path) -> None:
    with rating(book, "ada") as (ada,):
        name = ada.next()
        path = book.try_folder(book.items[name]) / "evidence.json"
        path.write_bytes(path.read_bytes().replace(b"TWh", b"MWh"))
        gone = ada.get(f"/annotate/items/{name}")
        assert (gone.status_code, "changed since the plan" in gone.text) == (400, True)
