"""The capturing proxy: `python -m webds_recorder.capture`, commands as JSON lines on stdin, answers on stdout.

    first line in:  {"archive": folder, "terms": {...}, "resume", "address": [a, p], "confdir", "map": {host: origin},
                     "insecure", "cap": bytes, "redact": [text...], "clock": [ms, seed] or null}
    first line out: {"ready": true, "spki"}
    {"do": "status"} -> {"ok": true, "stored", "skipped": [line...]}
    {"do": "close"}  -> the same, when open streams are stored too; then the process ends

`map` sends a host to another origin (a local server). That is done in the `request` hook: rewriting the address in
`server_connect` dead-locks after five plain-http connections of one client (docs/replay.md, N1).
"""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mitmproxy import http
from mitmproxy.addons import core, next_layer, proxyserver, tlsconfig
from mitmproxy.master import Master
from mitmproxy.options import Options
from mitmproxy.proxy.mode_specs import ProxyMode

from webds_recorder.addon import set_clock
from webds_recorder.exchange import Exchange, Frame, Request, events
from webds_recorder.flows import asked
from webds_recorder.match import Rules
from webds_recorder.proxy import commands, say, spki_hash
from webds_recorder.rules import read_rules
from webds_recorder.scrub import Scrubber, holds_secret
from webds_recorder.writer import ArchiveWriter, Terms

CONDITIONAL = ("if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range", "range")
"""Stripped from requests, so that no bare 304 and no part of a file is stored."""
BROWSERS_OWN = re.compile(
    r"(content-autofill|passwordsleakcheck-pa|optimizationguide-pa|safebrowsing|update|clientservices|translate-pa)"
    r"\.googleapis\.com|(clients\d*|accounts|redirector|dl|edgedl)\.(google|gvt1)\.com"
)
"""Hosts that Chromium asks by itself (public bug B45): refused here, for they belong to no page."""
_WORKERS = ("worker", "sharedworker", "serviceworker")


@dataclass(slots=True)
class Tape:
    """What came over one response so far. `full` is False once it grew past the cap."""

    chunks: list[bytes] = field(default_factory=list)
    size: int = 0
    full: bool = True

    def body(self) -> bytes:
        return b"".join(self.chunks)


class Tee:
    """mitmproxy addon: every response goes on to the browser as it comes and into the archive when it is whole."""

    def __init__(self, writer: ArchiveWriter, scrubber: Scrubber, config: dict[str, Any]) -> None:
        self.writer = writer
        self.scrubber = scrubber
        self.origins: dict[str, str] = config["map"]
        self.cap = int(config["cap"])
        clock = config["clock"]
        self.clock = (int(clock[0]), int(clock[1])) if clock else None
        self.skipped: list[str] = []
        self.live: dict[str, http.HTTPFlow] = {}
        self.up = asyncio.Event()

    def running(self) -> None:
        """The Master runs. Before that it would end the listener it was given."""
        self.up.set()

    def request(self, flow: http.HTTPFlow) -> None:
        """Ask for whole answers, and note what was asked before the address changes."""
        for name in CONDITIONAL:
            flow.request.headers.pop(name, None)
        host = flow.request.pretty_host.lower().rstrip(".")
        if BROWSERS_OWN.fullmatch(host):
            flow.response = http.Response.make(403)
            return
        flow.metadata["asked"] = asked(flow, host)
        origin = self.origins.get(host)
        if origin:
            parts = urlsplit(origin)
            named = flow.request.host_header or host
            flow.request.scheme = parts.scheme
            flow.request.host, flow.request.port = parts.hostname or "", parts.port or 80
            flow.request.host_header = named
            flow.request.headers["x-forwarded-proto"] = flow.metadata["asked"].scheme

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Lay a tape under the stream."""
        assert flow.response is not None
        if "asked" not in flow.metadata:
            return
        tape = flow.metadata["tape"] = Tape()
        if flow.request.headers.get("sec-fetch-dest", "") not in _WORKERS and flow.response.status_code != 101:
            flow.response.stream = self._tap(tape)
        if _is_stream(flow):
            self.live[flow.id] = flow

    def _tap(self, tape: Tape) -> Callable[[bytes], bytes]:
        def tap(data: bytes) -> bytes:
            tape.size += len(data)
            tape.full = tape.full and tape.size <= self.cap
            if tape.full:
                tape.chunks.append(data)
            else:
                tape.chunks.clear()
            return data

        return tap

    def response(self, flow: http.HTTPFlow) -> None:
        """A response came to its end."""
        assert flow.response is not None
        if "asked" not in flow.metadata:
            return
        tape: Tape = flow.metadata["tape"]
        if flow.response.raw_content:
            tape.chunks = [flow.response.raw_content]
            tape.full = len(flow.response.raw_content) <= self.cap
        if flow.response.status_code != 101:
            self._store(flow)
        if self.clock is not None and flow.request.headers.get("sec-fetch-dest", "") in _WORKERS:
            set_clock(flow.response, *self.clock)

    def error(self, flow: http.HTTPFlow) -> None:
        """The browser left or the origin failed. A stream without end is stored as far as it came, a file is not."""
        if flow.id in self.live:
            self._store(flow)
        elif "asked" in flow.metadata:
            self._skip(flow, f"not stored: {flow.error.msg if flow.error else 'cut off'}")

    def websocket_start(self, flow: http.HTTPFlow) -> None:
        """A socket may outlive the capture."""
        self.live[flow.id] = flow

    def websocket_end(self, flow: http.HTTPFlow) -> None:
        """A socket was closed."""
        self._store(flow)

    def close(self) -> None:
        """Store what is still open."""
        for flow in list(self.live.values()):
            self._store(flow)

    def _store(self, flow: http.HTTPFlow) -> None:
        self.live.pop(flow.id, None)
        tape: Tape | None = flow.metadata.get("tape")
        if flow.response is None or tape is None or flow.metadata.get("stored"):
            return
        flow.metadata["stored"] = True
        if flow.response.status_code in (206, 304):
            self._skip(flow, f"not stored: the origin sent {flow.response.status_code} to a plain request")
        elif not tape.full:
            self._skip(flow, f"not stored: {tape.size} bytes, over the cap of {self.cap}")
        else:
            before = len(self.scrubber.done), len(self.scrubber.known)
            exchange = self.scrubber.clean(_exchange(flow, tape))
            if before != (len(self.scrubber.done), len(self.scrubber.known)):
                self.writer.remember(self.scrubber.done, self.scrubber.known)
            self.writer.add(exchange, keep_body=not holds_secret(exchange.request))
            for line in self.scrubber.done:
                self.writer.redacted(line)

    def _skip(self, flow: http.HTTPFlow, why: str) -> None:
        request: Request = flow.metadata["asked"]
        self.skipped.append(f"{request.method} {request.url}: {why}")


def _is_stream(flow: http.HTTPFlow) -> bool:
    assert flow.response is not None
    return str(flow.response.headers.get("content-type", "")).lower().startswith("text/event-stream")


def _exchange(flow: http.HTTPFlow, tape: Tape) -> Exchange:
    assert flow.response is not None
    kind, frames = "http", tuple[Frame, ...]()
    if flow.websocket is not None:
        kind = "ws"
        frames = tuple(Frame(sent=m.from_client, text=m.is_text, payload=m.content) for m in flow.websocket.messages)
    elif _is_stream(flow):
        kind = "sse"
        frames = events(tape.body())
    return Exchange(
        request=flow.metadata["asked"],
        status=flow.response.status_code,
        reason=flow.response.reason or "",
        headers=tuple(flow.response.headers.items(multi=True)),
        body=tape.body(),
        kind=kind,
        frames=frames,
    )


def read_terms(value: dict[str, Any]) -> Terms:
    """Terms from JSON values."""
    rules = read_rules(value["match"], "terms") if value.get("match") else Rules()
    frozen = datetime.fromisoformat(value["frozen"])
    viewport = (int(value["viewport"][0]), int(value["viewport"][1]))
    return Terms(**{**value, "frozen": frozen, "viewport": viewport, "match": rules})


def _master(config: dict[str, Any], tee: Tee, servers: proxyserver.Proxyserver) -> Master:
    master = Master(Options(mode=[]))
    master.addons.add(core.Core(), servers, next_layer.NextLayer(), tlsconfig.TlsConfig(), tee)
    master.options.update(connection_strategy="lazy", upstream_cert=False, ssl_insecure=bool(config["insecure"]))
    master.options.update(confdir=config["confdir"])
    return master


async def serve() -> None:
    """Run until told to close, or until stdin ends."""
    reader = await commands()
    config = json.loads(await reader.readline())
    writer = ArchiveWriter(Path(config["archive"]), read_terms(config["terms"]), config["resume"], force=True)
    kept = writer.remembered()
    tee = Tee(writer, Scrubber(texts=tuple(config["redact"]), done=set(kept["done"]), known=kept["known"]), config)
    servers = proxyserver.Proxyserver()
    master = _master(config, tee, servers)
    running = asyncio.create_task(master.run())
    await tee.up.wait()
    address, port = config["address"]
    # Not by the option `mode`: that returns before anything listens.
    await servers.servers.update([ProxyMode.parse(f"regular@{address}:{port}")])
    say({"ready": True, "spki": spki_hash(Path(config["confdir"]) / "mitmproxy-ca-cert.pem")})
    while line := await reader.readline():
        over = json.loads(line)["do"] == "close"
        if over:
            tee.close()
        say({"ok": True, "stored": writer.count(), "skipped": tee.skipped, "redacted": sorted(tee.scrubber.done)})
        if over:
            break
    writer.close()
    master.shutdown()
    await running


if __name__ == "__main__":
    asyncio.run(serve())
