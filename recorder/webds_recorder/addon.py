"""The proxy's one decision: a request for a site of this world goes to the site server, anything else is blocked.

Nothing is ever sent upstream: `server_connect` refuses every address but the site server's, so that even a CONNECT
followed by bytes that are not HTTP ends here (public bug B04, docs/replay.md). Every request is one line in the log
of the episode whose listener it came through.
"""

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from mitmproxy import http
from mitmproxy.proxy import server_hooks

BLOCK_PAGE = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>Blocked</title>"
    "<h1>This address is not part of the frozen web</h1>"
    "<p>The request was not sent anywhere. Only the sites of this task can be opened.</p>"
)
_OWN = "x-webds-"


@dataclass(slots=True)
class Listener:
    """One episode's door: its log is open as long as the listener is."""

    name: str
    log: TextIO

    def write(self, row: Mapping[str, Any]) -> None:
        """One line, handed to the kernel before this returns."""
        self.log.write(json.dumps(row, sort_keys=True, ensure_ascii=False) + "\n")
        self.log.flush()


class FrozenWeb:
    """mitmproxy addon. `hosts` are the world's site hosts, `server` the site server's (address, port)."""

    def __init__(self, hosts: frozenset[str], server: tuple[str, int], token: str) -> None:
        self.hosts = hosts
        self.server = server
        self.token = token
        self.listeners: dict[tuple[str, int], Listener] = {}

    def open(self, address: tuple[str, int], name: str, log: Path) -> None:
        """Requests that come in through `address` belong to the episode `name` from now on."""
        self.listeners[address] = Listener(name, log.open("a", encoding="utf-8"))

    def close(self, address: tuple[str, int]) -> None:
        """Forget the episode; its log is closed."""
        self.listeners.pop(address).log.close()

    def request(self, flow: http.HTTPFlow) -> None:
        """Point the request at the site server, or answer it with the block page."""
        flow.metadata["start"] = time.time()
        flow.metadata["host"] = host = flow.request.pretty_host.lower().rstrip(".")
        flow.metadata["url"] = flow.request.pretty_url
        listener = self._listener(flow)
        for name in [n for n in flow.request.headers if n.lower().startswith(_OWN)]:
            del flow.request.headers[name]
        if listener is None or host not in self.hosts or flow.request.method == "CONNECT":
            flow.metadata["outcome"] = "blocked"
            flow.response = _block()
            return
        headers = flow.request.headers
        headers["host"] = host
        headers["x-webds-token"] = self.token
        headers["x-webds-episode"] = listener.name
        headers["x-webds-scheme"] = flow.request.scheme
        flow.metadata["outcome"] = "served"
        flow.request.scheme = "http"
        flow.request.host, flow.request.port = self.server
        headers["host"] = host

    def response(self, flow: http.HTTPFlow) -> None:
        """Log what the browser is about to get."""
        assert flow.response is not None
        for name in [n for n in flow.response.headers if n.lower().startswith(_OWN) and n.lower() != "x-webds"]:
            del flow.response.headers[name]
        body = flow.response.raw_content or b""
        self._write(flow, status=flow.response.status_code, size=len(body), sha256=hashlib.sha256(body).hexdigest())

    def error(self, flow: http.HTTPFlow) -> None:
        """Log a request that got no answer (the browser left, or the site server failed)."""
        if flow.metadata.get("outcome") == "served":
            flow.metadata["outcome"] = "error"
        self._write(flow, status=0, size=0, error=flow.error.msg if flow.error else "")

    def server_connect(self, data: server_hooks.ServerConnectionHookData) -> None:
        """Refuse every upstream connection but the site server's, and say so in the log."""
        address = data.server.address
        if address is None or tuple(address[:2]) != self.server:
            data.server.error = "webds: no connection leaves the frozen web"
            listener = self.listeners.get(_address(data.client.sockname))
            if listener is not None:
                target = f"{address[0]}:{address[1]}" if address else ""
                row = {"at": time.time(), "outcome": "blocked", "method": "CONNECT", "url": target, "status": 0}
                listener.write(row)

    def _listener(self, flow: http.HTTPFlow) -> Listener | None:
        return self.listeners.get(_address(flow.client_conn.sockname))

    def _write(self, flow: http.HTTPFlow, **more: Any) -> None:
        listener = self._listener(flow)
        if listener is None or flow.metadata.get("logged"):
            return
        flow.metadata["logged"] = True
        started = float(flow.metadata.get("start", 0))
        listener.write(
            {
                "at": started,
                "seconds": round(time.time() - started, 4),
                "method": flow.request.method,
                "url": flow.metadata.get("url", ""),
                "outcome": flow.metadata.get("outcome", "error"),
                "kind": flow.request.headers.get("sec-fetch-dest", ""),
                **more,
            }
        )


def _address(sockname: tuple[Any, ...]) -> tuple[str, int]:
    return (str(sockname[0]), int(sockname[1]))


def _block() -> http.Response:
    headers = {"content-type": "text/html; charset=utf-8", "cache-control": "no-store", "x-webds": "blocked"}
    return http.Response.make(403, BLOCK_PAGE, headers)
