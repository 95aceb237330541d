"""Plays recorded frames on loopback: event streams and WebSockets, which a proxy cannot answer by itself.

mitmproxy can only relay these, so the addon sends them here with the ticket of one answer. An event stream sends all
that was recorded and then holds the line: one that ends makes the page connect again and read it twice. A WebSocket
answers each message of the page with what followed the same message when it was captured.
"""

import asyncio
import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Message,
    Ping,
    RejectConnection,
    Request,
    TextMessage,
)
from wsproto.utilities import RemoteProtocolError

from webds_recorder.exchange import Frame, Headers
from webds_recorder.exchange import Request as Asked
from webds_recorder.match import Rules, body_digest, canonical_json

_HEAD_CAP = 1 << 16
_OWN = ("content-length", "transfer-encoding", "connection", "content-encoding", "upgrade")
CLOSE_UNKNOWN = 4404
"""Close code for a message that was never captured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reel:
    """What one connection plays."""

    kind: str
    status: int
    headers: Headers
    frames: tuple[Frame, ...]
    rules: Rules
    subprotocol: str = ""


class FrameServer:
    """Listens on a loopback port of its own; plays a reel to whoever shows its ticket."""

    def __init__(self) -> None:
        self.address = ("127.0.0.1", 0)
        self._reels: dict[str, Reel] = {}
        self._server: asyncio.Server | None = None
        self._count = 0

    async def start(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._converse, "127.0.0.1", 0, limit=_HEAD_CAP)
        self.address = ("127.0.0.1", int(self._server.sockets[0].getsockname()[1]))

    def ticket(self, token: str, reel: Reel) -> str:
        """Lay a reel ready; the ticket is good for one connection."""
        self._count += 1
        name = f"{token}-{self._count}"
        self._reels[name] = reel
        return name

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, RemoteProtocolError):
            head = await reader.readuntil(b"\r\n\r\n")
            reel = self._reels.pop(_header(head, b"x-webds-ticket"), None)
            if reel is None:
                writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                await writer.drain()
            elif reel.kind == "sse":
                await _stream(reel, reader, writer)
            else:
                await Socket(reel, writer).play(head, reader)
        writer.close()


def _header(head: bytes, name: bytes) -> str:
    for line in head.split(b"\r\n")[1:]:
        key, _, value = line.partition(b":")
        if key.strip().lower() == name:
            return value.strip().decode("latin-1")
    return ""


async def _stream(reel: Reel, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Every chunk at once and in order, then silence until the page leaves."""
    lines = [f"HTTP/1.1 {reel.status} OK", "Transfer-Encoding: chunked"]
    lines += [f"{name}: {value}" for name, value in reel.headers if name.lower() not in _OWN]
    writer.write("\r\n".join((*lines, "", "")).encode("latin-1"))
    for frame in reel.frames:
        if frame.payload:
            writer.write(b"%x\r\n%s\r\n" % (len(frame.payload), frame.payload))
    await writer.drain()
    await reader.read()


class Socket:
    """One WebSocket that plays a reel."""

    def __init__(self, reel: Reel, writer: asyncio.StreamWriter) -> None:
        self._reel = reel
        self._writer = writer
        self._wire = WSConnection(ConnectionType.SERVER)
        self._used: set[int] = set()
        self._partial: list[str | bytes] = []
        self.over = False

    async def play(self, head: bytes, reader: asyncio.StreamReader) -> None:
        """Accept, send what the server said first, then answer message by message."""
        self._wire.receive_data(head)
        await self._take(self._wire.events())
        while not self.over and (data := await reader.read(_HEAD_CAP)):
            self._wire.receive_data(data)
            await self._take(self._wire.events())

    async def _take(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, Request):
                await self._open()
            elif isinstance(event, Ping):
                self._send(event.response())
            elif isinstance(event, CloseConnection):
                self._send(event.response())
                self.over = True
            elif isinstance(event, Message):
                self._heard(event)
        await self._writer.drain()

    async def _open(self) -> None:
        if self._reel.status != 101:
            self._send(RejectConnection(status_code=self._reel.status))
            self.over = True
            return
        self._send(AcceptConnection(subprotocol=self._reel.subprotocol or None))
        self._follow(0)

    def _heard(self, event: Message[Any]) -> None:
        self._partial.append(bytes(event.data) if isinstance(event, BytesMessage) else event.data)
        if not event.message_finished:
            return
        payload = b"".join(part.encode() if isinstance(part, str) else part for part in self._partial)
        self._partial = []
        place = self._recorded(payload)
        if place is None:
            self._send(CloseConnection(code=CLOSE_UNKNOWN, reason="not in the archive"))
            self.over = True
        else:
            self._used.add(place)
            self._follow(place + 1)

    def _recorded(self, payload: bytes) -> int | None:
        """The first recorded message of the page that is equal and not yet used, else the last equal one."""
        wanted = self._key(payload)
        equal = [n for n, f in enumerate(self._reel.frames) if f.sent and self._key(f.payload) == wanted]
        return next((n for n in equal if n not in self._used), equal[-1] if equal else None)

    def _key(self, payload: bytes) -> str:
        return canonical_json(payload, self._reel.rules) or body_digest(payload)

    def _follow(self, start: int) -> None:
        """What the server said after a place in the recording, up to the page's next message."""
        for frame in self._reel.frames[start:]:
            if frame.sent:
                return
            text = frame.payload.decode("utf-8", "replace")
            self._send(TextMessage(data=text) if frame.text else BytesMessage(data=frame.payload))

    def _send(self, event: Event) -> None:
        self._writer.write(self._wire.send(event))


def subprotocol(asked: Asked, headers: Headers) -> str:
    """The subprotocol that was agreed on when captured, if the page offers it."""
    agreed = next((value for name, value in headers if name.lower() == "sec-websocket-protocol"), "")
    offered = next((value for name, value in asked.headers if name.lower() == "sec-websocket-protocol"), "")
    return agreed if agreed in [part.strip() for part in offered.split(",")] else ""
