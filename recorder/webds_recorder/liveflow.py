"""What the live proxy answers itself, and how it reads a request and a failure. Stateless; used by liveweb.py."""

import errno
import re

from mitmproxy import http

from webds_recorder.blocked import UNREACHABLE
from webds_recorder.standing import OURS

NO_ANSWER = 15.0
"""Seconds after which a document that the browser gave up had got no answer from the site."""
SECRET = frozenset({"cookie", "set-cookie", "authorization", "proxy-authorization", "x-api-key", "x-csrf-token"})
"""Headers whose values are not written down."""
_DOWN = {str(errno.ENETDOWN), str(errno.ENETUNREACH)}
_PAGE = "<!doctype html><html lang=en><meta charset=utf-8><title>No page</title><h1>No page</h1>"
_SAID = {
    "private": "This address is not on the public web. The request was not sent.",
    "browser": "The browser's maker was not asked.",
    "robots": "robots.txt of this site asks robots not to open this page. The request was not sent.",
    "dns": "This name has no address.",
    OURS: "The name server of this machine does not answer.",
}


def is_document(flow: http.HTTPFlow) -> bool:
    """Whether a request is for a whole page. On plain http the browser does not say, but it offers to upgrade."""
    kind = flow.request.headers.get("sec-fetch-dest")
    if kind is not None:
        return bool(kind == "document")
    wants = str(flow.request.headers.get("accept", "")).startswith("text/html")
    return wants and "upgrade-insecure-requests" in flow.request.headers


def plain(headers: http.Headers) -> list[list[str]]:
    """Headers as they may be written down: names in wire order, values of secrets left out."""
    pairs = headers.items(multi=True)
    return [[name, "(not kept)" if name.lower() in SECRET else value] for name, value in pairs]


def refuse(flow: http.HTTPFlow, rule: str, *, sent: bool) -> None:
    """Answer here, with the reason. `sent`: it was tried and failed, rather than held back by us."""
    flow.metadata.update(rule=rule, outcome="error" if sent else "blocked")
    page = f"{_PAGE}<p>{_SAID[rule]}</p>"
    headers = {"content-type": "text/html; charset=utf-8", "cache-control": "no-store", "x-webds": rule}
    flow.response = http.Response.make(502 if sent else 403, page, headers)


def lost(said: str, seconds: float, *, left: bool = False) -> str:
    """The rule for a request that broke off with mitmproxy's words, after so many seconds; empty: nobody's fault.

    `left`: the browser's connection was closed before; then what the words say of the server followed from that.
    """
    if left or "client" in said.lower():
        return "no-answer" if seconds >= NO_ANSWER else ""
    reasons = set(re.findall(r"\[Errno (\d+)\]", said))
    if reasons and reasons <= _DOWN:
        return OURS
    rule = "tls" if "TLS" in said or "certificate" in said.lower() else "unreachable"
    assert rule in UNREACHABLE
    return rule
