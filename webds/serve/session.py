"""A browser's session: one random cookie, and the token that its forms carry.

The cookie is HttpOnly and SameSite=Strict, and Secure under the prefix __Host- where people come over TLS. The token is
a one-way function of the cookie, so that it outlives a restart, needs no secret of the server's, and is worth nothing
without the cookie. A part that knows people keeps `key(session)`, never the cookie itself.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.requests import HTTPConnection

_FORM = re.compile("[A-Za-z0-9_-]{43}")
_STATE = "webds_session"


def cookie_name(secure: bool) -> str:
    """The cookie's name; the prefix makes browsers refuse one that another host or plain HTTP has set."""
    return "__Host-webds" if secure else "webds"


def fresh() -> str:
    """A new session: 256 random bits."""
    return secrets.token_urlsafe(32)


def read(header: str, secure: bool) -> str:
    """The session in a Cookie header, or "" where there is none of our form."""
    try:
        jar = SimpleCookie(header)
    except CookieError:
        return ""
    found = jar.get(cookie_name(secure))
    return found.value if found is not None and _FORM.fullmatch(found.value) else ""


def cookie(session: str, secure: bool) -> str:
    """The Set-Cookie header: 30 days, what the part keeps under it expires by itself."""
    ends = "Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000"
    return f"{cookie_name(secure)}={session}; {ends}{'; Secure' if secure else ''}"


def token(session: str) -> str:
    """What forms and scripts of this session's pages send along."""
    return hashlib.sha256(f"webds csrf {session}".encode()).hexdigest()


def is_token(session: str, given: str) -> bool:
    """Whether `given` is the session's token, in constant time."""
    return bool(session) and hmac.compare_digest(token(session).encode(), given.encode("utf-8", "replace"))


def key(session: str) -> str:
    """Under what name a session is stored: sha256, from which the cookie does not follow."""
    return hashlib.sha256(f"webds session {session}".encode()).hexdigest()


def begin(scope: MutableMapping[str, Any], session: str) -> None:
    """For the frame: put the session that the browser sent, or a new one, into the scope."""
    scope[_STATE] = {"id": session or fresh(), "new": not session, "used": False}


def of(request: HTTPConnection) -> str:
    """The session that this request is part of. A browser without one gets its cookie with this response."""
    state = request.scope[_STATE]
    state["used"] = True
    return str(state["id"])


def renew(request: HTTPConnection) -> str:
    """A new session from this response on. Call it where somebody enters, so that a planted cookie gains nothing."""
    request.scope[_STATE].update(id=fresh(), new=True, used=True)
    return of(request)


def to_set(scope: Mapping[str, Any], secure: bool) -> str:
    """For the frame: the Set-Cookie header that this response needs, or ""."""
    state = scope[_STATE]
    return cookie(state["id"], secure) if state["new"] and state["used"] else ""
