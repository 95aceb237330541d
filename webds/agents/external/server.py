"""Serves one episode's ASGI app on a Unix socket that is mounted into the sandbox."""

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from webds.errors import InfraFault

_START_SECONDS = 20
_STOP_SECONDS = 5


@asynccontextmanager
async def listening(app: Starlette, path: Path) -> AsyncIterator[None]:
    """`path` answers inside the block. Whoever sees the socket may connect: its folder says who that is."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    os.chmod(path, 0o666)  # noqa: S103, PTH101 - another uid connects, through a mount of the folder
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="error", lifespan="on", server_header=False, timeout_graceful_shutdown=1)
    )
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment] # the worker's own stay
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        async with asyncio.timeout(_START_SECONDS):
            while not server.started:
                if serving.done():
                    raise InfraFault("the session's server ended before it was ready", "start agent")
                await asyncio.sleep(0.01)
        yield
    finally:
        server.should_exit = True
        await asyncio.wait({serving}, timeout=_STOP_SECONDS)
        serving.cancel()
        listener.close()
