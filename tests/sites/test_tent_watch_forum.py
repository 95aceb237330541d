"""Tent Watch's forum: accounts, posts, whose posts are whose, and a state that belongs to one application only."""

import re
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from sites_docker.tent_watch.app import create_app
from sites_docker.tent_watch.store import template

FOLDER = Path(__file__).parents[2] / "sites_docker" / "tent_watch"
FROZEN = datetime(2020, 5, 2, 10, tzinfo=UTC)
THREAD = "/forum/threads/2"


class Reader:
    """A browser with cookies, as far as forms need one."""

    def __init__(self, app: Any) -> None:
        transport = httpx.ASGITransport(app=app)
        self.web = httpx.AsyncClient(transport=transport, base_url="https://tent-watch.test", follow_redirects=True)

    async def get(self, path: str) -> httpx.Response:
        return await self.web.get(path)

    async def send(self, path: str, shown: str = "", **fields: str) -> httpx.Response:
        """Fill in the form of `path` with the mark that the page `shown` (the path itself) carries."""
        page = (await self.web.get(shown or path)).text
        mark = re.search(r'name="form" value="(\w+)"', page)
        return await self.web.post(path, data={**({"form": mark[1]} if mark else {}), **fields})

    async def log_in(self, name: str = "gasmark_six", password: str = "lemon-curd-47") -> httpx.Response:
        return await self.send("/forum/login", name=name, password=password)


@pytest.fixture
def app() -> Any:
    return create_app(FOLDER, FROZEN)


@pytest.fixture
def reader(app: Any) -> Callable[[], Reader]:
    return lambda: Reader(app)


def saved(app: Any, folder: Path) -> sqlite3.Connection:
    path = folder / "forum.sqlite"
    app.state.webds_state.save(path)
    return sqlite3.connect(path)


async def test_log_in_outlives_any_clock_and_ends_with_log_out(reader: Callable[[], Reader]) -> None:
    tess = reader()
    answer = await tess.log_in()
    assert "Logged in as <b>gasmark_six</b>" in answer.text
    cookie = answer.history[0].headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "expires" not in cookie
    assert "max-age" not in cookie
    assert "Logged in" not in (await tess.send("/forum/logout", shown="/forum")).text


@pytest.mark.parametrize(
    ("name", "password"), [("gasmark_six", "wrong"), ("nobody", "x"), ("teatowel_tess", ""), ("", "")]
)
async def test_a_wrong_password_does_not_log_in(reader: Callable[[], Reader], name: str, password: str) -> None:
    guest = reader()
    answer = await guest.log_in(name, password)
    assert answer.status_code == 400
    assert "do not fit" in answer.text
    assert "Logged in" not in (await guest.get("/forum")).text


async def test_register(reader: Callable[[], Reader]) -> None:
    new = reader()
    for name, password, said in (("a", "long-enough", "3 to 24"), ("fine_name", "short", "at least 6")):
        assert said in (await new.send("/forum/register", name=name, password=password)).text
    assert "is taken" in (await new.send("/forum/register", name="Gasmark_Six", password="long-enough")).text
    done = await new.send("/forum/register", name="oven_glove", password="long-enough")
    assert "Logged in as <b>oven_glove</b>" in done.text
    assert "Written since the start" in (await new.get("/forum/members/oven_glove")).text


async def test_post_reply_edit_delete(app: Any, reader: Callable[[], Reader], tmp_path: Path) -> None:
    member = reader()
    await member.log_in()
    opened = await member.send("/forum/boards/house-rules/new", title="A <b>test</b>", body="One & two\n\nthree")
    assert "A &lt;b&gt;test&lt;/b&gt;" in opened.text
    assert "2 May 2020, 10:00" in opened.text
    reply = await member.send(THREAD, reply_to="5", body="No, 12.3")
    assert "In reply to <a" in reply.text
    assert ">post 3</a>" in reply.text
    post = int(re.findall(r"/forum/posts/(\d+)/edit", reply.text)[-1])
    assert "12.4 now" in (await member.send(f"/forum/posts/{post}/edit", body="12.4 now")).text
    gone = await member.send(f"/forum/posts/{post}/delete")
    assert "Post 8 was deleted by its author" in gone.text
    with saved(app, tmp_path) as base:
        row = base.execute("SELECT body, reply_to, edits, deleted, seed FROM posts WHERE id = ?", (post,)).fetchone()
        sessions = base.execute("SELECT count(*) FROM sessions").fetchone()
    assert row == ("12.4 now", 5, 1, 1, 0)
    assert sessions == (0,)


async def test_nobody_changes_what_is_not_theirs(app: Any, reader: Callable[[], Reader], tmp_path: Path) -> None:
    guest, member = reader(), reader()
    await member.log_in()
    for who in (guest, member):
        for act in ("edit", "delete"):
            assert (await who.send(f"/forum/posts/5/{act}", body="mine now")).status_code == 403
    assert (await guest.send(THREAD, body="hello")).status_code == 403
    assert (await member.web.post(THREAD, data={"body": "forged"})).status_code == 403
    assert (await member.send(THREAD, body=" ")).status_code == 400
    assert (await member.send(THREAD, body="x" * 70_000)).status_code == 413
    with saved(app, tmp_path) as base:
        assert base.execute("SELECT count(*) FROM posts WHERE NOT seed OR edits OR deleted").fetchone() == (0,)


async def test_two_worlds_share_nothing_and_reset_brings_the_template_back(tmp_path: Path) -> None:
    ours, theirs = create_app(FOLDER, FROZEN), create_app(FOLDER, FROZEN)
    here, there = Reader(ours), Reader(theirs)
    for who, text in ((here, "ours only"), (there, "theirs only")):
        await who.log_in()
        await who.send(THREAD, body=text)
    for who, mine, other in ((here, "ours only", "theirs only"), (there, "theirs only", "ours only")):
        page = (await who.get(THREAD)).text
        assert mine in page
        assert other not in page
    ours.state.webds_state.reset()
    after = (await here.get(THREAD)).text
    assert "ours only" not in after
    assert "Log in to reply" in after
    ours.state.webds_state.save(tmp_path / "one")
    create_app(FOLDER, FROZEN).state.webds_state.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_seed_posts_say_so_and_no_truth_is_in_the_folder() -> None:
    base = sqlite3.connect(":memory:")
    base.deserialize(template(FOLDER / "seed.toml"))
    assert base.execute("SELECT count(*) FROM posts WHERE NOT seed").fetchone() == (0,)
    columns = {row[1] for table in ("posts", "threads", "users") for row in base.execute(f"PRAGMA table_info({table})")}
    assert not columns & {"truth", "true", "correct", "holds", "claim", "wrong"}
