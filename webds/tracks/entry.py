"""The one entry point of a World: site server and proxy in whatever namespace this process was started in.

`python -m webds.tracks.entry`: the config is one JSON line on stdin, the answer one JSON line on stdout, and from
then on commands come over a Unix socket (JSON lines), which reaches into a network namespace as well as into a
container. The process ends when stdin does, and takes both servers with it.

    in:  {"root", "sites": [{name, folder, frozen, archive}], "scratch", "namespace": bool}; archive: a folder, or empty
         where the site's app answers
    out: {"ready": true, "pid", "spki", "control"} or {"ready": false, "why"} where an archive cannot be used
    open {name, log} -> {ok, address, port, following}, where following is the next episode's address or null
    close {name} -> {ok}    ping {} -> {ok}
    reset {} -> {ok}: every stateful site as at the start, which `open` does too    save {site} -> {ok, path}
"""

import asyncio
import fcntl
import json
import os
import secrets
import signal
import socket
import struct
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import uvicorn

from webds.interpreter import module
from webds.signals import tell
from webds.tracks.sites import load_app
from webds.tracks.siteserver import SiteServer
from webds.tracks.states import States
from webds_recorder import talk

_UP = 0x1
_SIOCGIFFLAGS, _SIOCSIFFLAGS = 0x8913, 0x8914
_PORT = 8443
SEED = 1
"""Of the random numbers of workers on a site that its app serves; an archive has its own in the manifest."""


class Unusable(Exception):
    """An archive cannot be served; the reason in one line."""


def loopback_up() -> None:
    """Bring `lo` up in a fresh network namespace (what `ip link set lo up` does, without needing iproute2)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(handle, _SIOCGIFFLAGS, request))[1]
        if not flags & _UP:  # in a container it is up, and nobody may touch it
            fcntl.ioctl(handle, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _UP))


def load_sites(root: str, sites: list[dict[str, str]]) -> dict[str, Any]:
    """Host -> (ASGI app, frozen instant) of sites without archive, made by each site's `create_app(folder, frozen)`."""
    table: dict[str, Any] = {}
    for site in (site for site in sites if not site.get("archive")):
        folder, frozen = Path(site["folder"]), datetime.fromisoformat(site["frozen"])
        table[f"{site['name']}.test"] = (load_app(Path(root), folder, frozen), frozen)
    return table


class Entry:
    """Holds the two servers and answers the control socket."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.token = secrets.token_hex(16)
        self.scratch = Path(config["scratch"])
        self.proxy: asyncio.subprocess.Process | None = None
        self.lock = asyncio.Lock()
        self.count = 0
        self.open: dict[str, tuple[str, int]] = {}

    async def start(self) -> str:
        """Start both servers; returns the CA's SPKI hash. Unusable: an archive cannot be served."""
        table = load_sites(self.config["root"], self.config["sites"])
        self.states = States({host: app for host, (app, _) in table.items()}, self.scratch / "states")
        listener = socket.create_server(("127.0.0.1", 0))
        site_port = listener.getsockname()[1]
        server = uvicorn.Server(
            uvicorn.Config(
                SiteServer(table, self.token),
                log_level="warning",
                date_header=False,
                server_header=False,
                lifespan="on",
            )
        )
        server.install_signal_handlers = lambda: None  # type: ignore[attr-defined] # the entry point ends with stdin
        self.serving = asyncio.create_task(server.serve(sockets=[listener]))
        self.proxy = await asyncio.create_subprocess_exec(
            *module("webds_recorder.proxy"), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        confdir = self.scratch / "ca"
        confdir.mkdir(parents=True, exist_ok=True)
        first = {
            "apps": {host: [int(frozen.timestamp() * 1000), SEED] for host, (_, frozen) in table.items()},
            "archives": [site["archive"] for site in self.config["sites"] if site.get("archive")],
            "server": ["127.0.0.1", site_port],
            "token": self.token,
            "confdir": str(confdir),
        }
        ready = await self.ask(first)
        if not ready["ready"]:
            raise Unusable(ready["why"])
        return str(ready["spki"])

    async def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        """One command to the proxy and its answer."""
        async with self.lock:
            return await talk.ask(self.proxy, command)

    async def answer(self, command: dict[str, Any]) -> dict[str, Any]:
        """One command of the control socket."""
        if command["do"] in ("open", "reset"):
            self.states.reset()
        if command["do"] == "save":
            return {"ok": True, "path": str(self.states.save(command["site"]))}
        if command["do"] == "open":
            address = self._address()
            self.open[command["name"]] = address
            following = self._nth(self.count + 1) if self.config["namespace"] else None
            done = await self.ask({"do": "open", "address": address, "name": command["name"], "log": command["log"]})
            return {**done, "address": address[0], "port": address[1], "following": following}
        if command["do"] == "close":
            return await self.ask({"do": "close", "address": self.open.pop(command["name"])})
        alive = self.proxy is not None and self.proxy.returncode is None and not self.serving.done()
        return {"ok": alive}

    def _address(self) -> tuple[str, int]:
        """A listener address that this world has not used before: 127.64.0.0/10 holds four million."""
        if not self.config["namespace"]:
            with socket.create_server(("127.0.0.1", 0)) as free:
                return ("127.0.0.1", int(free.getsockname()[1]))
        self.count += 1
        return self._nth(self.count)

    @staticmethod
    def _nth(count: int) -> tuple[str, int]:
        high, low = divmod(count, 250)
        return (f"127.{64 + high // 250}.{high % 250}.{low + 1}", _PORT)

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one control connection."""
        while line := await reader.readline():
            try:
                answer = await self.answer(json.loads(line))
            except (OSError, KeyError, ValueError) as error:
                answer = {"ok": False, "why": f"{type(error).__name__}: {error}"}
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
        writer.close()


def _say(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


async def main() -> None:
    """Start, say so, and serve until stdin ends."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, lambda: os._exit(0))
    stdin = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdin), sys.stdin)
    config = json.loads(await stdin.readline())
    if config["namespace"]:
        loopback_up()
    entry = Entry(config)
    try:
        spki = await entry.start()
    except Unusable as error:
        _say({"ready": False, "why": str(error)})
        os._exit(0)
    control = str(entry.scratch / "control")
    server = await asyncio.start_unix_server(entry.converse, path=control)
    _say({"ready": True, "pid": os.getpid(), "spki": spki, "control": control})
    async with server:
        await stdin.read()
    if entry.proxy is not None:
        tell(entry.proxy)
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main())
