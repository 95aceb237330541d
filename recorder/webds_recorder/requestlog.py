"""The log of requests: one file an episode, one JSON line a request."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from webds_recorder.exchange import bracketed

_JSON = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(slots=True)
class Listener:
    """One episode's door: its log is open as long as the listener is."""

    name: str
    log: BinaryIO
    """Unbuffered: a line is with the kernel when `write` returns."""

    def write(self, row: Mapping[str, Any]) -> None:
        """One line."""
        self.log.write(_JSON(row).encode("utf-8", "replace") + b"\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tunnel:
    """A CONNECT that was granted: when, through which listener, to what host and port."""

    at: float
    through: tuple[str, int]
    target: str


def target(host: str, port: int) -> str:
    """`host:port`, an IPv6 address in brackets."""
    return f"{bracketed(host)}:{port}"


def refused_tunnel(at: float, where: str) -> dict[str, Any]:
    """The row of a connection that led nowhere: a CONNECT without a request, or a try to leave."""
    row = {"at": at, "outcome": "blocked", "method": "CONNECT", "url": where, "status": 0}
    return {**row, "level": "", "result": "blocked"}
