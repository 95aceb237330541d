"""The board as a part of the server: pages, the read API, the teams' API, and the maintainer's page.

It takes bundles and queues them; it has no key. `webds board score DB`, another process, scores them.
"""

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from webds.serve import session as sessions
from webds.serve.board.pages import board_values, entry_values, templates
from webds.serve.board.table import check
from webds.serve.board.uploads import Desk
from webds.serve.board.view import View, as_json, cells_csv, pairs_csv, table_csv, view
from webds.serve.pages import form_body
from webds.serve.part import Part, Refusal
from webds.serve.rates import Rate
from webds.submit.agreed import registered
from webds.submit.book import Book, enter, maintainer_of
from webds.submit.decide import DECISIONS, decide

PATH = "/board"
CHUNK = 2 << 20
_KEPT = 32
"""Views of the board that are kept made."""


def board_part(folder: Path, root: Path) -> Part:
    """The board whose books are in `folder`, for the tasks and sites of the checkout `root`."""
    book = Book(folder)
    shutil.rmtree(book.folder / "scratch", ignore_errors=True)
    board, desk = _Board(book), Desk(book, root)
    return Part(
        name="board",
        title="Leaderboard",
        path=PATH,
        routes=[
            Route(f"{PATH}/", board.page),
            Route(f"{PATH}/table.json", board.as_json),
            Route(f"{PATH}/table.csv", board.csv(table_csv)),
            Route(f"{PATH}/cells.csv", board.csv(cells_csv)),
            Route(f"{PATH}/pairs.csv", board.csv(pairs_csv)),
            Route(f"{PATH}/entry/{{number:int}}", board.entry),
            Route(f"{PATH}/reservations", board.reservations),
            Route(f"{PATH}/maintain/", board.maintain),
            Route(f"{PATH}/maintain/enter", board.enter, methods=["POST"]),
            Route(f"{PATH}/maintain/decide", board.decide, methods=["POST"]),
            Route(f"{PATH}/api/reservations", desk.reserve, methods=["POST"]),
            Route(f"{PATH}/api/uploads", desk.begin, methods=["POST"]),
            Route(f"{PATH}/api/uploads/{{sha}}", desk.append, methods=["PATCH"]),
            Route(f"{PATH}/api/uploads/{{sha}}/done", desk.done, methods=["POST"]),
        ],
        bodies={f"{PATH}/api/uploads/": CHUNK},
        rates={f"{PATH}/api/": Rate(burst=2000, second=100), f"{PATH}/maintain/enter": Rate(burst=10, second=0.1)},
    )


class _Board:
    def __init__(self, book: Book) -> None:
        self._book = book
        self._pages = templates()
        self._made: dict[tuple[Any, ...], dict[str, Any]] = {}

    async def page(self, request: Request) -> Response:
        values = await run_in_threadpool(self._values, dict(request.query_params))
        return self._pages.page(request, "board.html.j2", **values)

    def _values(self, asked: dict[str, str]) -> dict[str, Any]:
        """What the page shows, made once for all who ask while the books do not change."""
        key = (self._book.mark(), tuple(sorted(check(asked).items())))
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = board_values(view(self._book, asked))
            for old in list(self._made)[:-_KEPT]:
                self._made.pop(old, None)
        return made

    async def as_json(self, request: Request) -> Response:
        return JSONResponse(as_json(await self._view(dict(request.query_params))))

    def csv(self, made: Callable[[View], str]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            text = made(await self._view(dict(request.query_params)))
            return PlainTextResponse(text, media_type="text/csv")

        return answer

    async def entry(self, request: Request) -> Response:
        number = int(request.path_params["number"])
        shown = await self._view(dict(request.query_params))
        found = next((entry for entry in shown.every if entry.line.id == number), None)
        if found is None:
            raise Refusal(404, "no such entry")
        return self._pages.page(request, "entry.html.j2", **entry_values(found, shown.denominator))

    async def _view(self, asked: dict[str, str]) -> View:
        found: View = (await run_in_threadpool(self._values, asked))["view"]
        return found

    async def reservations(self, request: Request) -> Response:
        rows = await run_in_threadpool(
            self._book.rows,
            "SELECT r.run, r.team, r.agent, r.model, r.split, r.at, coalesce(s.state, 'not handed in') AS state"
            " FROM reservations AS r LEFT JOIN submissions AS s ON s.run = r.run ORDER BY r.team, r.at",
        )
        return self._pages.page(request, "reservations.html.j2", part="board", rows=rows)

    async def maintain(self, request: Request) -> Response:
        who = await self._who(request)
        if not who:
            return self._pages.page(request, "enter.html.j2", part="board")
        rows = await run_in_threadpool(self._book.rows, "SELECT * FROM submissions ORDER BY id DESC")
        flags = await run_in_threadpool(self._book.rows, "SELECT submission, kind, text FROM flags ORDER BY id")
        said = await run_in_threadpool(self._book.rows, "SELECT * FROM decisions ORDER BY id")
        ended = await run_in_threadpool(self._book.rows, "SELECT * FROM revocations ORDER BY id DESC")
        judges = await run_in_threadpool(registered, self._book)
        open_ = {flag["submission"] for flag in flags} | {row["id"] for row in rows if row["state"] == "broken"}
        open_ -= {item["submission"] for item in said}
        waiting, others = ([row for row in rows if (row["id"] in open_) is wanted] for wanted in (True, False))
        return self._pages.page(
            request, "maintain.html.j2", part="board", who=who, waiting=waiting, others=others, flags=flags, said=said,
            choices=DECISIONS, judges=judges, ended=ended,
        )  # fmt: skip

    async def enter(self, request: Request) -> Response:
        token = (await form_body(request)).get("token", "")
        key = sessions.key(sessions.renew(request))
        if not await run_in_threadpool(enter, self._book, token.strip(), key):
            raise Refusal(403, "that is no maintainer's token")
        return RedirectResponse(f"{PATH}/maintain/", 303)

    async def decide(self, request: Request) -> Response:
        who = await self._who(request)
        if not who:
            raise Refusal(403, "enter with your token first")
        form = await form_body(request)
        number = form.get("submission", "")
        if not number.isdigit():
            raise Refusal(400, "field submission: wanted a number")
        given = (form.get("decision", ""), form.get("reason", ""), who)
        await run_in_threadpool(decide, self._book, int(number), *given)
        return RedirectResponse(f"{PATH}/maintain/", 303)

    async def _who(self, request: Request) -> str:
        return await run_in_threadpool(maintainer_of, self._book, sessions.key(sessions.of(request)))
