"""A fixture site where everybody is signed in until somebody signs out: on the server for all, and by a cookie."""

from datetime import datetime
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route


class Signed:
    """webds.tracks.states.State."""

    def __init__(self) -> None:
        self.inside = True

    def reset(self) -> None:
        self.inside = True

    def save(self, path: Path) -> None:
        path.write_text(str(self.inside))


def create_app(folder: Path, frozen: datetime) -> Starlette:
    state = Signed()

    async def home(request: Request) -> Response:
        server = "in" if state.inside else "out"
        browser = request.cookies.get("signed", "in")
        return HTMLResponse(
            f"<!doctype html><html lang=en><title>Members</title><h1>server {server}, browser {browser}</h1>"
            "<a href=/out>Sign out</a>"
        )

    async def out(request: Request) -> Response:
        state.inside = False
        answer = RedirectResponse("/", 303)
        answer.set_cookie("signed", "out", max_age=9_999_999)
        return answer

    app = Starlette(routes=[Route("/", home), Route("/out", out)])
    app.state.webds_state = state
    return app
