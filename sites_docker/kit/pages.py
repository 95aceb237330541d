"""Templates of a site over those of the kit, and the application around them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from sites_docker.kit.facts import Facts
from sites_docker.kit.noise import Noise
from sites_docker.kit.search import Index

KIT = Path(__file__).parent

type View = Callable[[Request], Response]
type Links = Sequence[tuple[str, str]]
"""(path, words) of a navigation, in order."""


class Pages:
    """Renders templates: the site's folder `templates` first, then the kit's, whose names begin with `kit/`."""

    def __init__(self, facts: Facts, nav: Links, noise: Noise | None = None, **names: Any) -> None:
        """`names` are known to every template, as are facts, clock, nav and noise."""
        self.facts = facts
        loader = ChoiceLoader([FileSystemLoader(facts.folder / "templates"), FileSystemLoader(KIT / "templates")])
        self.templates = Environment(
            loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        self.templates.globals.update(facts=facts, clock=facts.clock, nav=tuple(nav), noise=noise or Noise(), **names)

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """One page. A template knows its `path`; it must not know cookies, so that every reader gets the same."""
        shown = self.templates.get_template(template).render(path=request.url.path, **values)
        return HTMLResponse(shown, status_code=status)

    def simple(self, template: str, **values: Any) -> View:
        """A view of a template that needs nothing of the request."""
        return lambda request: self.page(request, template, **values)

    def missing(self, request: Request, _error: Exception) -> Response:
        """The site's own 404: `404.html` of the site, else of the kit."""
        return self.page(request, self._own("404.html"), status=404)

    def broken(self, request: Request, _error: Exception) -> Response:
        """The site's own 500."""
        return self.page(request, self._own("500.html"), status=500)

    def _own(self, name: str) -> str:
        return name if (self.facts.folder / "templates" / name).is_file() else f"kit/{name}"


def make_app(
    pages: Pages, routes: Sequence[BaseRoute], index: Index | None = None, middleware: Sequence[Middleware] = ()
) -> Starlette:
    """The application: the site's routes, its `static` at /static, the kit's at /kit, search, robots and both errors.

    Search is /search (the site's `search.html`, else the kit's; the same page for every query) and /search/index.json.
    """
    own: list[BaseRoute] = [
        *routes,
        Route("/robots.txt", lambda _request: Response("User-agent: *\nDisallow:\n", media_type="text/plain")),
        Mount("/static", StaticFiles(directory=pages.facts.folder / "static")),
        Mount("/kit", StaticFiles(directory=KIT / "static")),
    ]
    if index is not None:
        body = index.json()
        own[:0] = [
            Route("/search", pages.simple(pages._own("search.html"))),
            Route("/search/index.json", lambda _request: Response(body, media_type="application/json")),
        ]
    handlers: dict[Any, Any] = {404: pages.missing, 500: pages.broken}
    return Starlette(routes=own, exception_handlers=handlers, middleware=list(middleware))
