"""The board as a part of the server: pages, the read API, the teams' API, and the maintainer's page.

It takes bundles and queues them; it has no key. `webds board score DB`, another process, scores them.
"""

import shutil
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from webds.serve import session as sessions
from webds.serve.board import table
from webds.serve.board.chart import chart
from webds.serve.board.uploads import Desk
from webds.serve.pages import Pages, form_body
from webds.serve.part import Part, Refusal
from webds.serve.rates import Rate
from webds.submit.book import Book, enter, maintainer_of
from webds.submit.decide import DECISIONS, decide

PATH = "/board"
CHUNK = 2 << 20
_TEMPLATES = Path(__file__).parent / "templates"


def board_part(folder: Path, root: Path) -> Part:
    """The board whose books are in `folder`, for the tasks and sites of the checkout `root`."""
    book = Book(folder)
    shutil.rmtree(book.folder / "scratch", ignore_errors=True)
    board, desk = _Board(book, root), Desk(book, root)
    return Part(
        name="board",
        title="Leaderboard",
        path=PATH,
        routes=[
            Route(f"{PATH}/", board.page),
            Route(f"{PATH}/table.json", board.as_json),
            Route(f"{PATH}/table.csv", board.as_csv),
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
    def __init__(self, book: Book, root: Path) -> None:
        self._book = book
        self._root = root
        self._pages = Pages(_TEMPLATES)

    async def page(self, request: Request) -> Response:
        asked = dict(request.query_params)
        shown = await run_in_threadpool(table.lines, self._book, asked)
        everything = await run_in_threadpool(table.lines, self._book, {"level": "all"})
        words = await run_in_threadpool(table.details, self._book)
        choices = {name: sorted({str(getattr(line, name)) for line in everything}) for name in table.FILTERS}
        return self._pages.page(
            request, "board.html.j2", part="board", shown=shown, chart=chart(shown), asked=asked, choices=choices,
            pairs=table.pairs(shown, words), teams={line.id: line.team for line in shown}, note=table.NOTE,
            query=request.url.query, static=False,
        )  # fmt: skip

    async def as_json(self, request: Request) -> Response:
        shown = await run_in_threadpool(table.lines, self._book, dict(request.query_params))
        words = await run_in_threadpool(table.details, self._book)
        return JSONResponse({"entries": table.as_json(shown), "pairs": table.pairs(shown, words), "note": table.NOTE})

    async def as_csv(self, request: Request) -> Response:
        shown = await run_in_threadpool(table.lines, self._book, dict(request.query_params))
        return PlainTextResponse(table.as_csv(shown), media_type="text/csv")

    async def entry(self, request: Request) -> Response:
        number = int(request.path_params["number"])
        shown = await run_in_threadpool(table.lines, self._book, {"level": "all"})
        found = next((line for line in shown if line.id == number), None)
        if found is None:
            raise Refusal(404, "no such entry")
        words = (await run_in_threadpool(table.details, self._book)).get(number, {})
        parts = await run_in_threadpool(table.cells, self._root, words)
        return self._pages.page(request, "entry.html.j2", part="board", line=found, cells=parts, static=False)

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
        return self._pages.page(
            request, "maintain.html.j2", part="board", who=who, rows=rows, flags=flags, said=said, choices=DECISIONS
        )

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
