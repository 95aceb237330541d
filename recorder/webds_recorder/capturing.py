"""Starts the capturing proxy as a child process and talks to it."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from webds.codec import canonical
from webds.errors import InfraFault
from webds.interpreter import module
from webds.signals import tell
from webds_recorder import talk
from webds_recorder.rules import plain_rules
from webds_recorder.writer import Terms

CAP = 64 << 20
"""Largest body that is stored, in bytes: what is larger is named in the report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How to capture. `origins` sends a host to another address, as {"site.test": "http://127.0.0.1:8000"}."""

    origins: Mapping[str, str]
    insecure: bool = False
    cap: int = CAP
    redact: tuple[str, ...] = ()


class Capture:
    """A running capturing proxy."""

    def __init__(self, process: asyncio.subprocess.Process, port: int) -> None:
        self._process = process
        self.address = f"http://127.0.0.1:{port}"
        self.spki = ""

    async def ask(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """One command and its answer."""
        try:
            return await talk.ask(self._process, command)
        except ConnectionError as error:
            raise InfraFault("the capturing proxy has ended", "capture") from error

    async def status(self) -> dict[str, Any]:
        """stored: exchanges so far; skipped and redacted: lines for the report."""
        return await self.ask({"do": "status"})

    async def close(self) -> dict[str, Any]:
        """Store what is still open and end; the last status."""
        done = await self.ask({"do": "close"})
        await self._process.wait()
        return done


@asynccontextmanager
async def capturing(folder: Path, terms: Terms, wanted: Wanted, scratch: Path, resume: bool) -> AsyncIterator[Capture]:
    """A capturing proxy that writes `<folder>.part`. `scratch` holds its CA."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *module("webds_recorder.capture"), stdin=pipe, stdout=pipe, limit=1 << 26
    )
    capture = Capture(process, port)
    confdir = scratch / "ca"
    confdir.mkdir(parents=True, exist_ok=True)
    first = {
        "archive": str(folder.resolve()),
        "terms": plain_terms(terms),
        "resume": resume,
        "address": ["127.0.0.1", port],
        "confdir": str(confdir),
        "map": dict(wanted.origins),
        "insecure": wanted.insecure,
        "cap": wanted.cap,
        "redact": list(wanted.redact),
        "clock": [int(terms.frozen.timestamp() * 1000), terms.seed],
    }
    try:
        capture.spki = str((await capture.ask(first))["spki"])
        yield capture
    finally:
        tell(process)
        await process.wait()


def plain_terms(terms: Terms) -> dict[str, Any]:
    """Terms as JSON values."""
    values = {**asdict(terms), "frozen": terms.frozen.isoformat(), "match": plain_rules(terms.match)}
    plain: dict[str, Any] = json.loads(canonical(values))
    return plain
