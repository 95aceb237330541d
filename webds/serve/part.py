"""What a part of the server gives to its frame, and what the frame is told.

    part = Part(name="board", title="Leaderboard", path="/board", routes=[Route("/board/", page)])
    app = make_app([part], Settings())

Every route's path begins with the part's `path`. A page is made by `webds.serve.pages.Pages`, which knows the session's
token; whatever a browser sends with a method other than GET carries that token, as header `X-CSRF-Token` or as field
`csrf` of a form. A request with `Authorization: Bearer` and no cookie needs none: no browser sends that unasked.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from starlette.routing import BaseRoute

from webds.serve.rates import Rate

READS = Rate(burst=600, second=50)
WRITES = Rate(burst=120, second=10)
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
BODY = 64 * 1024
"""Bytes of a request's body where the part says nothing else; a form's always."""


class Refusal(Exception):
    """A request that is refused: `status` is the HTTP status, the text one line for a person."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the server."""

    name: str
    title: str
    path: str
    """`/board`: no slash at its end. The part's first page is `path` + "/"."""
    routes: Sequence[BaseRoute]
    bodies: Mapping[str, int] = field(default_factory=dict)
    """Path prefix -> most bytes of a body, where it is not BODY. The handler reads it from `request.stream()`."""
    rates: Mapping[str, Rate] = field(default_factory=dict)
    """Path prefix -> rate of requests other than GET, counted apart: entering by a token, uploading."""
    running: Callable[[], AbstractAsyncContextManager[None]] | None = None
    """Entered when the server starts, left when it stops: a queue's worker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the frame guards its parts."""

    names: tuple[str, ...] = LOOPBACK
    """Host names under which it answers (a name of another page's making is refused: DNS rebinding)."""
    secure: bool = False
    """Whether people come over TLS, the server's own or a proxy's: cookies are Secure then."""
    reads: Rate = READS
    writes: Rate = WRITES
    """Of one client, GET and HEAD against everything else."""
