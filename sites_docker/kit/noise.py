"""What real portals put between a reader and a figure. All of it is the same for every reader: no server state."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route


@dataclass(frozen=True, slots=True, kw_only=True)
class Sponsor:
    """A box that looks like an advertisement; it is for something invented and leads to a page of this site."""

    title: str
    text: str
    url: str
    label: str = "Sponsored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Options of a site. Everything shows and goes by script in the browser, so that pages can be archived."""

    cookies: Literal["", "bar", "box", "wall"] = "bar"
    """bar: along the foot; box: in a corner; wall: over the page until a button is pressed."""
    cookie_text: str = "This portal keeps one cookie: that you have read this notice. Nothing is measured."
    cookie_button: str = "Close cookie notice"
    cookie_refuse: str = ""
    """A second button, which closes too."""
    newsletter_after: int = 0
    """The newsletter pop-up opens on this page view of a browser session; 0 is never."""
    newsletter_title: str = "A letter once a month"
    newsletter_text: str = "New figures and corrections. This demonstration sends nothing."
    newsletter_close: str = "No, thank you"
    interstitial: tuple[str, ...] = ()
    """Paths that are first covered by a notice with a button, once a session."""
    interstitial_title: str = "Before you go on"
    interstitial_text: str = "Figures on this page are revised from time to time. Read the methodology before quoting."
    interstitial_button: str = "Continue to the page"
    sponsors: tuple[Sponsor, ...] = ()


def missing_mirror(path: str, name: str = "Mirror 2") -> Route:
    """A mirror that is down: answers 503 with a line of text. Name its address to `crawl` as known to be missing."""

    def gone(_request: Request) -> Response:
        return PlainTextResponse(f"{name} is being moved. Use the main server.\n", status_code=503)

    return Route(path, gone)


def slow(view: Callable[[Request], Response], seconds: float) -> Callable[[Request], Awaitable[Response]]:
    """The view, answering after a pause of `seconds`; keep it under 3."""

    async def later(request: Request) -> Response:
        await asyncio.sleep(seconds)
        return view(request)

    return later
