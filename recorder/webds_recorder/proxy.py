"""The proxy process: `python -m webds_recorder.proxy`, commands as JSON lines on stdin, answers on stdout.

    first line in:  {"apps": {host: [frozen ms, seed]}, "archives": [folder...], "server": [address, port], "token",
                     "confdir"}
    first line out: {"ready": true, "spki": "<base64 sha256 of the CA's public key>", "hosts": [...]}
                    or {"ready": false, "why": "<one line>"} where an archive cannot be used
    {"do": "open", "address": [a, p], "name": "...", "log": "..."} -> {"ok": true}
    {"do": "close", "address": [a, p]}                            -> {"ok": true}
    {"do": "reload"}                                              -> {"ok": true}   archives opened anew

It ends at end of file. A Master of our own with the few addons that are needed: the CA is made anew in `confdir`.
"""

import asyncio
import base64
import hashlib
import json
import logging
import socket
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from mitmproxy.addons import core, next_layer, proxyserver, tlsconfig
from mitmproxy.master import Master
from mitmproxy.options import Options
from mitmproxy.proxy.mode_specs import ProxyMode

from webds.errors import InputFault
from webds_recorder.addon import FrozenWeb, Sites
from webds_recorder.archive import ArchiveReader
from webds_recorder.frames import FrameServer
from webds_recorder.replay import Library, Replay


def spki_hash(certificate: Path) -> str:
    """Base64 sha256 over the SubjectPublicKeyInfo of a PEM certificate: what Chromium's SPKI list takes."""
    cert = x509.load_pem_x509_certificate(certificate.read_bytes())
    key = cert.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(key).digest()).decode()


def open_library(folders: list[str]) -> Library:
    """The archives in these folders. InputFault: one cannot be used."""
    return Library(Replay(ArchiveReader(Path(folder))).warm() for folder in folders)


class Doors:
    """The listeners of a Master, added and removed while it runs."""

    def __init__(self, servers: proxyserver.Proxyserver) -> None:
        self._servers = servers
        self.open: set[tuple[str, int]] = set()

    async def listen(self, wanted: set[tuple[str, int]]) -> dict[str, Any]:
        """Listen at these addresses and no others."""
        modes = [ProxyMode.parse(f"regular@{host}:{port}") for host, port in sorted(wanted)]
        if not await self._servers.servers.update(modes):
            return {"ok": False, "why": "the proxy could not listen there"}
        self.open = wanted
        return {"ok": True}


class Front:
    """mitmproxy's Master with our addon, and the set of open listeners."""

    def __init__(self, config: dict[str, Any]) -> None:
        confdir = Path(config["confdir"])
        self.archives = list(config["archives"])
        sites = Sites(
            apps={host: (int(clock[0]), int(clock[1])) for host, clock in config["apps"].items()},
            server=(config["server"][0], config["server"][1]),
            library=open_library(self.archives),
            token=config["token"],
        )
        self.frames = FrameServer()
        self.web = FrozenWeb(sites, self.frames)
        self.servers = proxyserver.Proxyserver()
        self.master = Master(Options(mode=[]))
        self.master.addons.add(core.Core(), self.servers, next_layer.NextLayer(), tlsconfig.TlsConfig(), self.web)
        self.master.options.update(connection_strategy="lazy", upstream_cert=False, rawtcp=False)
        # Set last: the TLS addon makes the CA when this option changes, not when it is added.
        self.master.options.update(confdir=str(confdir))
        self.doors = Doors(self.servers)
        self.spki = spki_hash(confdir / "mitmproxy-ca-cert.pem")

    async def answer(self, command: dict[str, Any]) -> dict[str, Any]:
        """Carry out one command."""
        if command["do"] == "reload":
            return self._reload()
        address = (str(command["address"][0]), int(command["address"][1]))
        if command["do"] == "open":
            self.web.open(address, command["name"], Path(command["log"]))
            return await self.doors.listen(self.doors.open | {address})
        done = await self.doors.listen(self.doors.open - {address})
        self.web.close(address)
        return done

    def _reload(self) -> dict[str, Any]:
        """Archives and their rules as they are on disk now; episodes start anew in them."""
        try:
            library = open_library(self.archives)
        except InputFault as error:
            return {"ok": False, "why": str(error)}
        self.web.sites = replace(self.web.sites, library=library)
        return {"ok": True}


def free_address() -> tuple[str, int]:
    """An address of this machine alone that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return ("127.0.0.1", int(free.getsockname()[1]))


def say(value: dict[str, Any]) -> None:
    """One answer on stdout."""
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


async def commands() -> asyncio.StreamReader:
    """Stdin as a stream of lines."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    reader = asyncio.StreamReader(limit=1 << 22)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


async def serve() -> None:
    """Run until stdin ends."""
    reader = await commands()
    try:
        front = Front(json.loads(await reader.readline()))
    except InputFault as error:
        say({"ready": False, "why": str(error)})
        return
    await front.frames.start()
    running = asyncio.create_task(front.master.run())
    await front.web.up.wait()
    say({"ready": True, "spki": front.spki, "hosts": sorted(front.web.sites.library.by_host)})
    while line := await reader.readline():
        say(await front.answer(json.loads(line)))
    front.master.shutdown()
    await running


if __name__ == "__main__":
    asyncio.run(serve())
