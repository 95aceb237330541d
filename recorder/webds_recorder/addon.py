"""The proxy's one decision: a site's archive answers, or its app does, anything else is blocked.

Nothing is ever sent upstream: `server_connect` refuses every address but the site server's and the frame server's, so
that even a CONNECT followed by bytes that are not HTTP ends here (public bug B04, docs/replay.md). Every request is one
line in the log of the episode whose listener it came through, with `level` (scripted, exact, canonical, rule, derived,
app) and `result` (hit, miss, blocked, error).
"""

import asyncio
import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mitmproxy import connection, http
from mitmproxy.proxy import server_hooks

from webds.errors import InputFault
from webds_recorder.derive import decoded
from webds_recorder.determinism import prelude
from webds_recorder.exchange import Request, bracketed, header
from webds_recorder.flows import asked, host_of, plain, respond
from webds_recorder.frames import FrameServer, Reel, subprotocol
from webds_recorder.replay import Answer, Library, Replay
from webds_recorder.requestlog import Listener, Tunnel, refused_tunnel, target

BLOCK_PAGE = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>Blocked</title>"
    "<h1>This address is not part of the frozen web</h1>"
    "<p>The request was not sent anywhere. Only the sites of this task can be opened.</p>"
)
_OWN = "x-webds-"
_WORKERS = frozenset({"worker", "sharedworker", "serviceworker"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sites:
    """Where answers come from. `apps`: host -> (frozen instant in ms, seed) of sites whose app answers at `server`."""

    apps: Mapping[str, tuple[int, int]]
    server: tuple[str, int]
    library: Library
    token: str


class FrozenWeb:
    """mitmproxy addon."""

    def __init__(self, sites: Sites, frames: FrameServer) -> None:
        self.sites = sites
        self.frames = frames
        self.listeners: dict[tuple[str, int], Listener] = {}
        self.tunnels: dict[str, Tunnel] = {}
        self.up = asyncio.Event()

    def running(self) -> None:
        """The Master runs. Before that it would end the listeners it was given."""
        self.up.set()

    def open(self, address: tuple[str, int], name: str, log: Path) -> None:
        """Requests that come in through `address` belong to the episode `name` from now on."""
        self.listeners[address] = Listener(name, log.open("ab", buffering=0))

    def close(self, address: tuple[str, int]) -> None:
        """Forget the episode; its log is closed."""
        for client in [c for c, tunnel in self.tunnels.items() if tunnel.through == address]:
            self._unused(client)
        listener = self.listeners.pop(address)
        listener.log.close()
        self.sites.library.forget(listener.name)

    def http_connect(self, flow: http.HTTPFlow) -> None:
        """Remember a tunnel until a request comes through it: one that carries none is logged when it closes."""
        where = target(flow.request.host, flow.request.port)
        through = _address(flow.client_conn.sockname)
        self.tunnels[flow.client_conn.id] = Tunnel(at=time.time(), through=through, target=where)

    def client_disconnected(self, client: connection.Client) -> None:
        """Log the tunnel that this connection asked for and never used (preconnect, TURN, bytes that are no HTTP)."""
        self._unused(client.id)

    def _unused(self, client: str) -> None:
        tunnel = self.tunnels.pop(client, None)
        listener = self.listeners.get(tunnel.through) if tunnel else None
        if tunnel is None or listener is None:
            return
        host = tunnel.target.rpartition(":")[0].lower().rstrip(".")
        # Browsers connect to a site ahead of need; that is no try to leave.
        if host in self.sites.apps or self.sites.library.has(host):
            return
        listener.write(refused_tunnel(tunnel.at, tunnel.target))

    def request(self, flow: http.HTTPFlow) -> None:
        """Answer from the archive, point the request at the site server, or answer it with the block page."""
        self.tunnels.pop(flow.client_conn.id, None)
        flow.metadata["start"] = time.time()
        flow.metadata["host"] = host = host_of(flow.request.host_header or flow.request.host)
        listener = self._listener(flow)
        headers = plain(flow.request.headers)
        flow.metadata["kind"] = header(headers, "sec-fetch-dest")
        if any(name.startswith(_OWN) for name, _ in headers):
            forged = [n for n in flow.request.headers if n.lower().startswith(_OWN)]
            flow.metadata["forged"] = sorted(name.lower() for name in forged)
            for name in forged:
                del flow.request.headers[name]
        if listener is None or flow.request.method == "CONNECT":
            _block(flow)
        elif host in self.sites.apps:
            self._to_app(flow, host, listener)
        elif self.sites.library.has(host):
            self._from_archive(flow, host, listener)
        else:
            _block(flow)

    def _to_app(self, flow: http.HTTPFlow, host: str, listener: Listener) -> None:
        flow.metadata["url"] = flow.request.pretty_url
        headers = flow.request.headers
        headers["x-webds-episode"] = listener.name
        headers["x-webds-scheme"] = flow.request.scheme
        flow.metadata.update(outcome="served", level="app", result="hit")
        self._send_to(flow, host, self.sites.server)

    def _from_archive(self, flow: http.HTTPFlow, host: str, listener: Listener) -> None:
        request = asked(flow, host)
        flow.metadata["url"] = request.url
        try:
            replay, answer = self.sites.library.answer(listener.name, request)
        except InputFault as error:
            # The archive lost a file while it was served: a fault of the world, never an answer.
            flow.metadata.update(outcome="error", level="", result="error", error=str(error))
            flow.response = http.Response.make(502, b"", {"x-webds": "error", "cache-control": "no-store"})
            return
        flow.metadata.update(outcome="served", level=answer.level, result=answer.result)
        if answer.stream:
            flow.metadata["stream"] = answer.stream
            flow.request.headers["x-webds-ticket"] = self._ticket(request, replay, answer)
            self._send_to(flow, host, self.frames.address)
        else:
            flow.response = respond(answer)
            if answer.row is not None and answer.row.size == len(answer.body):
                flow.metadata["sha256"] = answer.row.blob  # as stored: no need to work it out again
            manifest = replay.archive.manifest
            flow.metadata["clock"] = (int(replay.archive.frozen.timestamp() * 1000), int(manifest["seed"]))

    def _ticket(self, request: Request, replay: Replay, answer: Answer) -> str:
        assert answer.row is not None
        reel = Reel(
            kind=answer.stream,
            status=answer.status,
            headers=answer.headers,
            frames=tuple(replay.archive.frames(answer.row)),
            rules=replay.archive.rules,
            subprotocol=subprotocol(request, answer.headers),
        )
        return self.frames.ticket(self.sites.token, reel)

    def _send_to(self, flow: http.HTTPFlow, host: str, address: tuple[str, int]) -> None:
        flow.request.headers["x-webds-token"] = self.sites.token
        flow.request.scheme = "http"
        flow.request.host, flow.request.port = address
        flow.request.headers["host"] = host

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """An event stream is handed on as it comes, and logged now: it ends only when the page leaves."""
        assert flow.response is not None
        kind = flow.response.headers.get("content-type", "")
        if flow.metadata.get("stream") == "sse" or kind.startswith("text/event-stream"):
            flow.response.stream = True
            self._write(flow, status=flow.response.status_code, size=0)

    def response(self, flow: http.HTTPFlow) -> None:
        """Set the clock of workers, and log what the browser is about to get."""
        assert flow.response is not None
        if flow.metadata.get("level") == "app":
            for name in [n for n in flow.response.headers if n.lower().startswith(_OWN) and n.lower() != "x-webds"]:
                del flow.response.headers[name]
        clock = flow.metadata.get("clock") or self.sites.apps.get(flow.metadata.get("host", ""))
        if clock and flow.metadata.get("kind") in _WORKERS:
            set_clock(flow.response, *clock)
            flow.metadata.pop("sha256", None)
        body = flow.response.raw_content or b""
        digest = flow.metadata.get("sha256") or hashlib.sha256(body).hexdigest()
        self._write(flow, status=flow.response.status_code, size=len(body), sha256=digest)

    def error(self, flow: http.HTTPFlow) -> None:
        """Log a request that got no answer (the browser left, or the site server failed)."""
        if flow.metadata.get("outcome") == "served":
            flow.metadata.update(outcome="error", result="error")
        self._write(flow, status=0, size=0, error=flow.error.msg if flow.error else "")

    def server_connect(self, data: server_hooks.ServerConnectionHookData) -> None:
        """Refuse every upstream connection but those of our own servers, and say so in the log."""
        address = data.server.address
        if address is None or tuple(address[:2]) not in (self.sites.server, self.frames.address):
            data.server.error = "webds: no connection leaves the frozen web"
            listener = self.listeners.get(_address(data.client.sockname))
            if listener is not None:
                listener.write(refused_tunnel(time.time(), target(address[0], address[1]) if address else ""))

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
                "level": flow.metadata.get("level", ""),
                "result": flow.metadata.get("result", "error"),
                "kind": flow.metadata.get("kind", ""),
                **{name: flow.metadata[name] for name in ("error", "forged") if name in flow.metadata},
                **more,
            }
        )


def set_clock(response: http.Response, frozen: int, seed: int) -> None:
    """Put the determinism script before a worker's own: init scripts do not reach workers (public bug B26)."""
    headers = tuple(response.headers.items(multi=True))
    if response.status_code != 200 or "javascript" not in header(headers, "content-type"):
        return
    plain, body = decoded(headers, response.raw_content or b"")
    if header(plain, "content-encoding"):
        return
    response.headers.pop("content-encoding", None)
    response.raw_content = prelude(frozen, seed).encode() + b"\n" + body
    response.headers["content-length"] = str(len(response.raw_content))


def _address(sockname: tuple[Any, ...]) -> tuple[str, int]:
    return (str(sockname[0]), int(sockname[1]))


def _block(flow: http.HTTPFlow) -> None:
    host = flow.request.pretty_host
    where = flow.request.pretty_url.replace(f"//{host}", f"//{bracketed(host)}", 1)
    flow.metadata.update(outcome="blocked", level="", result="blocked", url=where)
    headers = {"content-type": "text/html; charset=utf-8", "cache-control": "no-store", "x-webds": "blocked"}
    flow.response = http.Response.make(403, BLOCK_PAGE, headers)
