"""The browser's CDP address as an agent may have it. Runs inside the World's network, started by ...browser.cdp.

It listens on a Unix socket and passes on to Chromium's own port what webds.envs.browser.cdprules lets through. What it
refuses is answered with an error and kept as a JSON line. First line on stdin: {"socket", "port", "log"}; first line
on stdout: {"ready": true}; it ends with stdin.
"""

import asyncio
import json
import os
import sys
from http import HTTPStatus
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, unix_serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from webds.envs.browser.cdprules import Rules, shown

_LISTS = ("/json/version", "/json/list", "/json", "/json/")
_UP_SECONDS = 15.0


class Gateway:
    """One episode's way in."""

    def __init__(self, port: int, log: Path) -> None:
        self._port = port
        self._log = log

    async def up(self) -> bool:
        """Wait until Chromium listens; False where it does not."""
        for _ in range(int(_UP_SECONDS / 0.1)):
            try:
                await self._get("/json/version", "127.0.0.1")
                return True
            except (OSError, ValueError):
                await asyncio.sleep(0.1)
        return False

    async def listed(self, connection: ServerConnection, request: Request) -> Response | None:
        """Plain requests: Chromium's lists, as it tells them; everything else but a WebSocket is not found."""
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return None
        if request.path.partition("?")[0] not in _LISTS:
            return connection.respond(HTTPStatus.NOT_FOUND, "only /json/version, /json/list and WebSockets\n")
        try:
            body = await self._get(request.path, request.headers.get("Host", "127.0.0.1"))
        except (OSError, ValueError):
            return connection.respond(HTTPStatus.BAD_GATEWAY, "the browser does not answer\n")
        if "version" not in request.path:
            body = json.dumps(shown(json.loads(body))).encode()
        headers = Headers({"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"})
        return Response(200, "OK", headers, body)

    async def joined(self, outer: ServerConnection) -> None:
        """One WebSocket of the agent, to the same path of Chromium."""
        assert outer.request is not None
        address = f"ws://127.0.0.1:{self._port}{outer.request.path}"
        async with connect(address, max_size=None, compression=None, proxy=None, ping_interval=None) as inner:
            rules = Rules(await self._context())
            tasks = [
                asyncio.create_task(self._inward(outer, inner, rules)),
                asyncio.create_task(_outward(inner, outer, rules)),
            ]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _context(self) -> str:
        """The browser context that the episode's pages are in."""
        version = json.loads(await self._get("/json/version", "127.0.0.1"))
        path = "/" + str(version["webSocketDebuggerUrl"]).split("/", 3)[3]
        async with connect(f"ws://127.0.0.1:{self._port}{path}", max_size=None, proxy=None) as own:
            await own.send(json.dumps({"id": 1, "method": "Target.getTargets"}))
            infos = json.loads(await own.recv())["result"]["targetInfos"]
        return next((str(info["browserContextId"]) for info in shown(infos) if info["type"] == "page"), "")

    async def _inward(self, outer: ServerConnection, inner: ClientConnection, rules: Rules) -> None:
        try:
            async for message in outer:
                verdict = rules.inward(message if isinstance(message, str) else message.decode("utf-8", "replace"))
                if verdict.tried:
                    self._keep(verdict.tried)
                if verdict.answer:
                    await outer.send(verdict.answer)
                if verdict.forward:
                    await inner.send(verdict.forward)
        except ConnectionClosed:
            return

    def _keep(self, tried: str) -> None:
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"tried": tried}) + "\n")

    async def _get(self, path: str, host: str) -> bytes:
        """A body of Chromium's own HTTP server. OSError, ValueError: it does not answer with one."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            host = host if host.partition(":")[0] in ("127.0.0.1", "localhost") else "127.0.0.1"
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode("latin-1"))
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
            return await reader.readexactly(length)
        except (asyncio.IncompleteReadError, StopIteration) as error:
            raise ValueError("no body") from error
        finally:
            writer.close()


async def _outward(inner: ClientConnection, outer: ServerConnection, rules: Rules) -> None:
    try:
        async for message in inner:
            if isinstance(message, str) and (said := rules.outward(message)):
                await outer.send(said)
    except ConnectionClosed:
        return


def _say(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


async def main() -> None:
    """Serve until stdin ends."""
    stdin = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdin), sys.stdin)
    order = json.loads(await stdin.readline())
    gateway = Gateway(order["port"], Path(order["log"]))
    if not await gateway.up():
        _say({"ready": False})
        return
    await unix_serve(
        gateway.joined,
        order["socket"],
        process_request=gateway.listed,
        max_size=None,
        compression=None,
        ping_interval=None,
    )
    os.chmod(order["socket"], 0o666)  # noqa: S103, PTH101 - its folder says who sees it
    _say({"ready": True})
    await stdin.read()
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main())
