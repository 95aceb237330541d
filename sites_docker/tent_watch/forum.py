"""Pages and forms of the forum: boards, threads, posts, accounts. Only these pages differ from reader to reader."""

import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from sites_docker.kit.pages import Pages
from sites_docker.kit.paging import paged
from sites_docker.tent_watch.store import Record, Store

COOKIE = "tent_watch_session"
"""A cookie without an end date: the browser's clock and the site's need not agree."""
NAME = re.compile(r"[A-Za-z0-9_]{3,24}")
MOST_BYTES = 64_000
TITLE_CHARS, BODY_CHARS = 120, 4000
PASSWORD_CHARS = 6

type Fields = dict[str, str]
type Posted = Callable[[Request, Fields], Response]


async def _fields(request: Request) -> Fields:
    """The form's fields. HTTPException 413 for a body that no form of ours sends."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise HTTPException(413)
    read = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
    return {name: values[0].replace("\r\n", "\n").strip() for name, values in read.items()}


class Forum:
    """One method a kind of page; those that change something take the form's fields."""

    def __init__(self, store: Store, pages: Pages) -> None:
        self._store = store
        self._pages = pages

    def routes(self) -> list[BaseRoute]:
        """Addresses of the forum; forms are answered at the address that shows them."""
        asked: dict[str, tuple[Callable[[Request], Response], Posted | None]] = {
            "/forum": (self.boards, None),
            "/forum/latest": (self.latest, None),
            "/forum/members": (self.members, None),
            "/forum/members/{name}": (self.member, None),
            "/forum/login": (self.login, self.logged_in),
            "/forum/register": (self.register, self.registered),
            "/forum/threads/{thread:int}": (self.thread, self.replied),
            "/forum/posts/{post:int}/edit": (self.edit, self.edited),
            "/forum/posts/{post:int}/delete": (self.delete, self.deleted),
            "/forum/boards/{board}": (self.board, None),
            "/forum/boards/{board}/new": (self.new, self.opened),
        }
        found: list[BaseRoute] = [Route("/forum/logout", self._form(self.logged_out), methods=["POST"])]
        for path, (view, posted) in asked.items():
            found.append(Route(path, view))
            if posted is not None:
                found.append(Route(path, self._form(posted), methods=["POST"]))
        return found

    def _form(self, view: Posted) -> Callable[[Request], Awaitable[Response]]:
        """A view of a form; signed-in members' forms must carry their session's mark."""

        async def answer(request: Request) -> Response:
            fields = await _fields(request)
            viewer = self.viewer(request)
            if viewer is not None and fields.get("form") != viewer["form"]:
                raise HTTPException(403)
            return view(request, fields)

        return answer

    def viewer(self, request: Request) -> Record | None:
        """The member who is signed in, if anybody is."""
        return self._store.who(request.cookies.get(COOKIE, ""))

    def _page(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        return self._pages.page(request, template, status, viewer=self.viewer(request), **values)

    def _member(self, request: Request) -> Record:
        """The signed-in member; HTTPException 403 for a guest."""
        viewer = self.viewer(request)
        if viewer is None:
            raise HTTPException(403)
        return viewer

    def _known(self, found: Record | None) -> Record:
        if found is None:
            raise HTTPException(404)
        return found

    # ---- reading

    def boards(self, request: Request) -> Response:
        sql = """SELECT boards.*, (SELECT count(*) FROM threads WHERE board = slug) AS threads,
          (SELECT count(*) FROM posts JOIN threads ON threads.id = thread_id
            WHERE board = slug AND NOT deleted) AS posts FROM boards ORDER BY place"""
        return self._page(request, "forum.html", boards=self._store.rows(sql))

    def board(self, request: Request) -> Response:
        board = self._board(request)
        sql = """SELECT threads.*, users.name AS author, count(posts.id) AS posts, max(posts.at) AS last FROM threads
          JOIN users ON users.id = threads.user_id LEFT JOIN posts ON thread_id = threads.id AND NOT deleted
          WHERE board = ? GROUP BY threads.id ORDER BY last DESC, threads.id DESC"""
        threads = self._store.rows(sql, board["slug"])
        return self._page(request, "board.html", board=board, sheet=paged(request, threads, 20))

    def latest(self, request: Request) -> Response:
        posts = self._store.posts("NOT deleted")[::-1]
        return self._page(request, "latest.html", sheet=paged(request, posts, 15))

    def thread(self, request: Request) -> Response:
        return self._thread(request, self._of_thread(request))

    def _thread(self, request: Request, thread: Record, wrong: str = "", body: str = "", status: int = 200) -> Response:
        posts = self._store.posts("thread_id = ?", thread["id"])
        numbers = {post["id"]: place for place, post in enumerate(posts, start=1)}
        to = next((post for post in posts if str(post["id"]) == request.query_params.get("reply")), None)
        return self._page(
            request, "thread.html", status, thread=thread, posts=posts, numbers=numbers, to=to, wrong=wrong, body=body
        )

    def members(self, request: Request) -> Response:
        sql = """SELECT users.*, (SELECT count(*) FROM posts WHERE user_id = users.id AND NOT deleted) AS posts
          FROM users ORDER BY users.id"""
        return self._page(request, "members.html", members=self._store.rows(sql))

    def member(self, request: Request) -> Response:
        member = self._known(self._store.row("SELECT * FROM users WHERE name = ?", request.path_params["name"]))
        posts = self._store.posts("posts.user_id = ? AND NOT deleted", member["id"])
        return self._page(request, "member.html", member=member, posts=posts)

    def _board(self, request: Request) -> Record:
        return self._known(self._store.row("SELECT * FROM boards WHERE slug = ?", request.path_params["board"]))

    def _of_thread(self, request: Request) -> Record:
        sql = "SELECT threads.*, boards.title AS board_title FROM threads JOIN boards ON slug = board WHERE id = ?"
        return self._known(self._store.row(sql, request.path_params["thread"]))

    # ---- accounts

    def login(self, request: Request) -> Response:
        return self._page(request, "login.html", wrong="", name="")

    def logged_in(self, request: Request, fields: Fields) -> Response:
        name = fields.get("name", "")
        token = self._store.log_in(name, fields.get("password", ""))
        if not token:
            wrong = "User name and password do not fit."
            return self._page(request, "login.html", status=400, wrong=wrong, name=name)
        return self._signed_in(token)

    def _signed_in(self, token: str) -> Response:
        answer = RedirectResponse("/forum", status_code=303)
        answer.set_cookie(COOKIE, token, secure=True, httponly=True, samesite="lax")
        return answer

    def logged_out(self, request: Request, fields: Fields) -> Response:  # noqa: ARG002 - every form's view has fields
        self._store.log_out(request.cookies.get(COOKIE, ""))
        answer = RedirectResponse("/forum", status_code=303)
        answer.set_cookie(COOKIE, "", secure=True, httponly=True, samesite="lax")
        return answer

    def register(self, request: Request) -> Response:
        return self._page(request, "register.html", wrong="", name="")

    def registered(self, request: Request, fields: Fields) -> Response:
        name, password = fields.get("name", ""), fields.get("password", "")
        wrong = ""
        if not NAME.fullmatch(name):
            wrong = "A user name has 3 to 24 letters, digits or _."
        elif len(password) < PASSWORD_CHARS:
            wrong = f"A password has at least {PASSWORD_CHARS} characters."
        elif not self._store.register(name, password):
            wrong = "That user name is taken."
        if wrong:
            return self._page(request, "register.html", status=400, wrong=wrong, name=name)
        return self._signed_in(self._store.log_in(name, password))

    # ---- writing

    def new(self, request: Request) -> Response:
        return self._page(request, "new.html", board=self._board(request), wrong="", title="", body="")

    def opened(self, request: Request, fields: Fields) -> Response:
        board, member = self._board(request), self._member(request)
        title, body = fields.get("title", ""), fields.get("body", "")
        wrong = _title_fault(title) or _body_fault(body)
        if wrong:
            return self._page(request, "new.html", status=400, board=board, wrong=wrong, title=title, body=body)
        thread = self._store.open_thread(board["slug"], title, member["id"], body)
        return RedirectResponse(f"/forum/threads/{thread}", status_code=303)

    def replied(self, request: Request, fields: Fields) -> Response:
        thread, member = self._of_thread(request), self._member(request)
        body = fields.get("body", "")
        wrong = _body_fault(body)
        if wrong:
            return self._thread(request, thread, wrong, body, status=400)
        there = {str(post["id"]): post["id"] for post in self._store.posts("thread_id = ?", thread["id"])}
        post = self._store.reply(thread["id"], member["id"], body, there.get(fields.get("reply_to", "")))
        return RedirectResponse(f"/forum/threads/{thread['id']}#post-{post}", status_code=303)

    def _own(self, request: Request) -> Record:
        """The named post of the signed-in member. 404: not there or deleted; 403: somebody else's."""
        found = self._store.posts("posts.id = ? AND NOT deleted", request.path_params["post"])
        post = self._known(found[0] if found else None)
        if post["user_id"] != self._member(request)["id"]:
            raise HTTPException(403)
        return post

    def edit(self, request: Request) -> Response:
        post = self._own(request)
        return self._page(request, "edit.html", post=post, wrong="", body=post["body"])

    def edited(self, request: Request, fields: Fields) -> Response:
        post, body = self._own(request), fields.get("body", "")
        wrong = _body_fault(body)
        if wrong:
            return self._page(request, "edit.html", status=400, post=post, wrong=wrong, body=body)
        self._store.edit(post["id"], body)
        return RedirectResponse(f"/forum/threads/{post['thread_id']}#post-{post['id']}", status_code=303)

    def delete(self, request: Request) -> Response:
        return self._page(request, "delete.html", post=self._own(request))

    def deleted(self, request: Request, fields: Fields) -> Response:  # noqa: ARG002 - every form's view has fields
        post = self._own(request)
        self._store.delete(post["id"])
        return RedirectResponse(f"/forum/threads/{post['thread_id']}", status_code=303)


def _title_fault(title: str) -> str:
    if not title:
        return "A thread needs a title."
    return f"A title has at most {TITLE_CHARS} characters." if len(title) > TITLE_CHARS else ""


def _body_fault(body: str) -> str:
    if not body:
        return "An empty post says nothing."
    return f"A post has at most {BODY_CHARS} characters." if len(body) > BODY_CHARS else ""
