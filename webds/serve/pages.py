"""Pages: Jinja2 with everything escaped, no script but our own files, and the session's token at hand.

A part's templates lie in a folder of its own and extend "frame.html.j2" (blocks title, head, body; the value `part` is
the part's name, or ""). Static files lie in webds/serve/static and are served below /static/.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from webds.codec import loads
from webds.errors import InputFault
from webds.html import engine
from webds.report.render import duration
from webds.report.text import cut, finalize, listed, shown
from webds.serve import session as sessions
from webds.serve.part import BODY, Refusal

_HERE = Path(__file__).parent
STATIC = _HERE / "static"
REPORT = _HERE.parent / "report" / "templates"
"""The report's style sheet and its rendering of steps (steps.html.j2), which these pages use too."""


class Pages:
    """The templates of one part."""

    def __init__(self, *folders: Path, filters: Mapping[str, Callable[..., Any]] | None = None) -> None:
        ours = {"cut": cut, "shown": shown, "listed": listed, "duration": duration, **(filters or {})}
        self._env = engine(*folders, _HERE / "templates", REPORT, filters=ours, finalize=finalize)

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """The page as a response; templates have `csrf` for their forms and scripts."""
        text = self.text(template, csrf=sessions.token(sessions.of(request)), **values)
        return HTMLResponse(text.encode("utf-8", "replace"), status)

    def text(self, template: str, **values: Any) -> str:
        """The page as text, for files."""
        return self._env.get_template(template).render(**values)


async def json_body(request: Request) -> dict[str, Any]:
    """The JSON object that was sent. Refusal 400 or 415 where it is none; the frame has bounded its size."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refusal(415, "wanted a body of type application/json")
    try:
        value = loads(await request.body(), "body")
    except InputFault as error:
        raise Refusal(400, str(error)) from error
    if not isinstance(value, dict):
        raise Refusal(400, "body: wanted a JSON object")
    return value


async def form_body(request: Request) -> dict[str, str]:
    """The fields of a plain form, the first of each name. Refusal 400: too many of them."""
    async with request.form(max_files=0, max_fields=100, max_part_size=BODY) as form:
        return {name: value for name, value in form.items() if isinstance(value, str)}
