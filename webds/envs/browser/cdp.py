"""Starts the gateway of one episode (webds.envs.browser.gateway), and tells what it refused."""

import asyncio
import json
import secrets
import socket
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from webds import jail
from webds.errors import InfraFault
from webds.interpreter import module
from webds.store import read_lines
from webds.types import Params

_PORTS = range(20000, 60000)
_START_SECONDS = 25


def choose_port(access: Params) -> int:
    """A port for Chromium to listen on: free on this host, or of a namespace in which hardly anything listens."""
    if access.get("enter"):
        return secrets.choice(_PORTS)
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@asynccontextmanager
async def gateway(access: Params, port: int) -> AsyncIterator[tuple[str, Callable[[], list[str]]]]:
    """(endpoint, what was refused so far). The endpoint is `unix:` and the path of a socket that speaks HTTP.

    InfraFault where the browser does not listen.
    """
    enter = access.get("enter") or ()
    assert isinstance(enter, list | tuple)
    with tempfile.TemporaryDirectory(prefix="webds-cdp-") as folder:
        place = Path(folder) / "cdp"
        place.mkdir(mode=0o755)
        log = Path(folder) / "refused.jsonl"
        process = await asyncio.create_subprocess_exec(
            *map(str, enter), *module("webds.envs.browser.gateway"),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, preexec_fn=jail.die_with_parent,
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            order = {"socket": str(place / "socket"), "port": port, "log": str(log)}
            process.stdin.write(json.dumps(order).encode() + b"\n")
            async with asyncio.timeout(_START_SECONDS):
                line = await process.stdout.readline()
            if not line or not json.loads(line)["ready"]:
                raise InfraFault("the browser opened no CDP port", "open environment")
            yield f"unix:{place / 'socket'}", lambda: [str(row["tried"]) for row in read_lines(log)]
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()
