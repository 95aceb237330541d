"""The app: guards around the parts' routes, a first page, static files, and faults as plain lines."""

import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from webds.errors import InputFault, one_line
from webds.serve.guards import LOG, Answered, Bounded, Known, Meant
from webds.serve.pages import REPORT, STATIC, Pages
from webds.serve.part import Part, Refusal, Settings


def make_app(parts: Sequence[Part], settings: Settings, clock: Callable[[], float] = time.monotonic) -> ASGIApp:
    """The server's app. `clock` is what the rates are measured by."""
    own = tuple(parts)
    pages = Pages()

    async def first(request: Request) -> Response:
        if len(own) == 1:
            return RedirectResponse(f"{own[0].path}/")
        return pages.page(request, "first.html.j2", parts=own, part="")

    async def alive(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def refused(request: Request, error: Exception) -> Response:
        return _line(request, *_said(error))

    async def style(_: Request) -> Response:
        return FileResponse(REPORT / "style.css", headers={"Cache-Control": "no-cache"})

    routes = [
        Route("/", first),
        Route("/alive", alive),
        Route("/static/report.css", style),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    app = Starlette(
        routes=[*routes, *(route for part in own for route in part.routes)],
        exception_handlers={Refusal: refused, InputFault: refused, HTTPException: refused, Exception: refused},
        lifespan=_running(own),
    )
    # Around Starlette, not in its list of middleware: what it answers to a broken handler needs our headers too.
    return Answered(Known(Bounded(Meant(app, settings), own), settings, own, clock), settings)


def _running(parts: Sequence[Part]) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for part in parts:
                if part.running is not None:
                    await stack.enter_async_context(part.running())
            yield

    return lifespan


def _said(error: Exception) -> tuple[int, str]:
    """Status and line of an error; what we did not mean to say to a stranger stays in the log."""
    match error:
        case Refusal():
            return error.status, error.why
        case HTTPException():
            return error.status_code, str(error.detail)
        case InputFault():
            return 400, str(error)
    LOG.error("a request broke: %s", one_line(error))
    return 500, "something broke; the server's log says what"


def _line(request: Request, status: int, why: str) -> Response:
    # uvicorn hangs up after a broken handler: the client must not send its next request there.
    more = {"Connection": "close"} if status == 500 else {}
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"error": why}, status, more)
    return PlainTextResponse(f"{why}\n", status, more)


def log_to_stderr() -> None:
    """One line a request on stderr, with the time in UTC."""
    handler = logging.StreamHandler()
    form = logging.Formatter("%(asctime)sZ %(message)s", "%Y-%m-%dT%H:%M:%S")
    form.converter = time.gmtime
    handler.setFormatter(form)
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
