"""The live proxy's decisions (mitmproxy addon): what may be asked, when, and what came of it. Process: live.py.

A request goes out when its host is on the public web, robots.txt allows the page (or the policy only records it), and
the host's schedule has a place for it. Every request is one line in the log of the episode, with both sides' headers;
every document is kept, judged by blocked.py and noted in the episode's standing.
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from mitmproxy import http
from mitmproxy.proxy import server_hooks

from webds_recorder.blocked import Page, rule_of
from webds_recorder.capture import BROWSERS_OWN, Tee
from webds_recorder.liveflow import NO_ANSWER, is_document, lost, plain, refuse
from webds_recorder.manners import Manners
from webds_recorder.publicnet import NoResolver, NoSuchName, NotPublic, Resolver
from webds_recorder.standing import OURS, Standing

PAGE_CAP, PAGES = 5 << 20, 400
"""Bytes of a document, and documents of an episode, that are kept."""
KNOWN_SECONDS = 60.0


@dataclass(slots=True)
class Door:
    """One episode's listener. `standing` is None for the harness's own requests (robots.txt, the second question)."""

    name: str
    log: BinaryIO
    standing: Standing | None = None
    pages: Path | None = None
    tee: Tee | None = None
    headers: dict[str, str] = field(default_factory=dict)
    """Of the newest document request: the harness asks once more as the browser did."""
    kept: int = 0
    waiting: dict[str, tuple[str, float]] = field(default_factory=dict)
    """Documents that are asked for: flow -> (address, since when)."""

    def give_up(self) -> None:
        """The episode ends: a document that waited long had no answer."""
        for url, since in self.waiting.values():
            if self.standing is not None and time.time() - since >= NO_ANSWER:
                self.standing.note(url, "no-answer")

    def write(self, row: dict[str, Any]) -> None:
        """One line."""
        self.log.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n")


@dataclass(slots=True)
class Meter:
    """Size and sha256 of what passes."""

    made: Any = field(default_factory=hashlib.sha256)
    size: int = 0

    def over(self, inner: Callable[[bytes], Any] | None) -> Callable[[bytes], Any]:
        """A stream function that counts, then does what `inner` does."""

        def tap(data: bytes) -> Any:
            self.made.update(data)
            self.size += len(data)
            return inner(data) if inner is not None else data

        return tap


class LiveWeb:
    """mitmproxy addon. `doors`: listening address -> whose it is."""

    def __init__(self, resolver: Resolver, manners: Manners) -> None:
        self.resolver = resolver
        self.manners = manners
        self.doors: dict[tuple[str, int], Door] = {}
        self.up = asyncio.Event()
        self._known: dict[str, float] = {}

    def running(self) -> None:
        """The Master runs. Before that it would end the listeners it was given."""
        self.up.set()

    async def reach(self, host: str, port: int) -> None:
        """Raises NotPublic, NoSuchName or NoResolver where a host cannot be asked."""
        self.resolver.literal(host)
        if self._known.get(host, 0.0) < time.monotonic():
            await asyncio.get_running_loop().getaddrinfo(host, port)
            self._known[host] = time.monotonic() + KNOWN_SECONDS

    async def request(self, flow: http.HTTPFlow) -> None:
        """Let the request out in its turn, or answer it here with the reason."""
        door = self._door(flow)
        host = flow.request.pretty_host.lower().rstrip(".")
        flow.metadata.update(start=time.time(), url=flow.request.pretty_url, page=is_document(flow))
        if door is None or flow.request.method == "CONNECT" or BROWSERS_OWN.fullmatch(host):
            refuse(flow, "browser", sent=False)
            return
        try:
            await self.reach(host, flow.request.port)
        except (NotPublic, NoSuchName, NoResolver) as error:
            rule = {NotPublic: "private", NoSuchName: "dns", NoResolver: OURS}[type(error)]
            refuse(flow, rule, sent=rule != "private")
            return
        if flow.metadata["page"] and door.standing is not None:
            door.headers = {name: value for name, value in flow.request.headers.items() if name[:1] != ":"}
            if not await self._may(flow):
                refuse(flow, "robots", sent=False)
                return
        await self._wait(flow, door)
        if door.tee is not None:
            door.tee.request(flow)
        if flow.metadata["page"]:
            door.waiting[flow.id] = (flow.metadata["url"], time.time())

    async def _may(self, flow: http.HTTPFlow) -> bool:
        said = await self.manners.asked(flow.metadata["url"])
        flow.metadata["robots"] = "allowed" if said.allowed else said.policy.robots
        return said.allowed or said.policy.robots == "record"

    async def _wait(self, flow: http.HTTPFlow, door: Door) -> None:
        page = bool(flow.metadata["page"]) and door.standing is not None
        seconds = self.manners.take(flow.metadata["url"], page)
        if seconds > 0.001:
            flow.metadata["waited"] = round(seconds, 3)
            await asyncio.sleep(seconds)

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Documents are held until they are whole, everything else goes on as it comes."""
        assert flow.response is not None
        door = self._door(flow)
        if door is None or "rule" in flow.metadata:
            return
        if door.tee is not None:
            door.tee.responseheaders(flow)
        if flow.response.status_code == 101:
            return
        if flow.metadata["page"] and "html" in flow.response.headers.get("content-type", "text/html"):
            flow.response.stream = False
            return
        inner = flow.response.stream if callable(flow.response.stream) else None
        meter = flow.metadata["meter"] = Meter()
        flow.response.stream = meter.over(inner)
        if flow.response.headers.get("content-type", "").startswith("text/event-stream"):
            self._write(flow, door, status=flow.response.status_code, size=0)

    def response(self, flow: http.HTTPFlow) -> None:
        """Log what the browser got, judge and keep a document."""
        assert flow.response is not None
        door = self._door(flow)
        if door is None:
            return
        rule = str(flow.metadata.get("rule", ""))
        if "rule" not in flow.metadata:
            if flow.metadata["page"]:
                rule = self._judge(flow, door)
            if door.tee is not None:
                door.tee.response(flow)
        self._note(flow, door, rule)
        meter: Meter | None = flow.metadata.get("meter")
        body = flow.response.raw_content or b""
        size = meter.size if meter else len(body)
        digest = meter.made.hexdigest() if meter else hashlib.sha256(body).hexdigest()
        self._write(flow, door, status=flow.response.status_code, size=size, sha256=digest)

    def _judge(self, flow: http.HTTPFlow, door: Door) -> str:
        assert flow.response is not None
        headers = {name.lower(): value for name, value in flow.response.headers.items()}
        held = "meter" not in flow.metadata
        html = (flow.response.get_text(strict=False) or "") if held else ""
        if held and door.pages is not None and door.kept < PAGES and len(html) <= PAGE_CAP and html:
            data = html.encode("utf-8", "replace")
            name = flow.metadata["kept"] = f"{hashlib.sha256(data).hexdigest()}.html"
            (door.pages / name).write_bytes(data)
            door.kept += 1
        return rule_of(Page(flow.response.status_code, flow.metadata["url"], headers, html))

    def _note(self, flow: http.HTTPFlow, door: Door, rule: str) -> None:
        """Into the episode's standing: documents, but neither redirects nor what we ourselves would not ask for."""
        status = flow.response.status_code if flow.response is not None else 0
        if rule and rule not in ("private", "browser") and flow.metadata["page"]:
            flow.metadata["block"] = rule
        own = rule in ("private", "browser") or (not rule and 300 <= status < 400)
        if door.standing is not None and flow.metadata["page"] and not own:
            door.standing.note(flow.metadata["url"], rule)

    def error(self, flow: http.HTTPFlow) -> None:
        """No answer, or not all of it: the site's fault, this machine's, or the browser left."""
        door = self._door(flow)
        if door is None:
            return
        if door.tee is not None and "rule" not in flow.metadata:
            door.tee.error(flow)
        said = flow.error.msg if flow.error else ""
        seconds = time.time() - float(flow.metadata.get("start", time.time()))
        rule = lost(said, seconds, left=not flow.client_conn.connected)
        if rule:
            self._note(flow, door, rule)
        self._write(flow, door, status=0, size=0, error=said)

    def websocket_start(self, flow: http.HTTPFlow) -> None:
        """A socket may outlive the episode."""
        self._tee(flow, "websocket_start")

    def websocket_end(self, flow: http.HTTPFlow) -> None:
        """A socket was closed."""
        self._tee(flow, "websocket_end")

    def server_connect(self, data: server_hooks.ServerConnectionHookData) -> None:
        """The last gate: whatever the way (a CONNECT with bytes that are no HTTP too), no private address is opened."""
        try:
            self.resolver.literal(str(data.server.address[0]) if data.server.address else "0.0.0.0")  # noqa: S104 - refused
        except NotPublic as error:
            data.server.error = f"webds: {error}"

    def _tee(self, flow: http.HTTPFlow, hook: str) -> None:
        door = self._door(flow)
        if door is not None and door.tee is not None:
            getattr(door.tee, hook)(flow)

    def _door(self, flow: http.HTTPFlow) -> Door | None:
        name = flow.client_conn.sockname
        return self.doors.get((str(name[0]), int(name[1])))

    def _write(self, flow: http.HTTPFlow, door: Door, **more: Any) -> None:
        if flow.metadata.get("logged"):
            return
        flow.metadata["logged"] = True
        door.waiting.pop(flow.id, None)
        meta, peer = flow.metadata, flow.server_conn.peername
        sent = not more.get("error") and meta.get("outcome", "served")
        started = float(meta.get("start", 0))
        told: dict[str, Any] = {name: meta[name] for name in ("block", "robots", "waited", "kept") if name in meta}
        row = {
            "at": started, "seconds": round(time.time() - started, 4), "method": flow.request.method,
            "url": meta.get("url", ""), "outcome": sent or "error", "level": "live",
            "result": meta.get("rule") or ("error" if more.get("error") else "hit"),
            "kind": flow.request.headers.get("sec-fetch-dest", "document" if meta.get("page") else ""),
            **told,
            "peer": str(peer[0]) if peer else "", "asked": plain(flow.request.headers),
            "answered": plain(flow.response.headers) if flow.response is not None else [], **more,
        }  # fmt: skip
        door.write(row)


def log_at(file: Path) -> BinaryIO:
    """A log: unbuffered, a line is with the kernel when `write` returns."""
    return file.open("ab", buffering=0)
