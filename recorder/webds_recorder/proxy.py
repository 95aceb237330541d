"""The proxy process: `python -m webds_recorder.proxy`, commands as JSON lines on stdin, answers on stdout.

    first line in:  {"hosts": [...], "server": [address, port], "token": "...", "confdir": "..."}
    first line out: {"ready": true, "spki": "<base64 sha256 of the CA's public key>"}
    {"do": "open", "address": [a, p], "name": "...", "log": "..."} -> {"ok": true}
    {"do": "close", "address": [a, p]}                            -> {"ok": true}

It ends at end of file. A Master of our own with the few addons that are needed: the CA is made anew in `confdir`.
"""

import asyncio
import base64
import hashlib
import json
import logging
import sys
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from mitmproxy.addons import core, next_layer, proxyserver, tlsconfig
from mitmproxy.master import Master
from mitmproxy.options import Options
from mitmproxy.proxy.mode_specs import ProxyMode

from webds_recorder.addon import FrozenWeb


def spki_hash(certificate: Path) -> str:
    """Base64 sha256 over the SubjectPublicKeyInfo of a PEM certificate: what Chromium's SPKI list takes."""
    cert = x509.load_pem_x509_certificate(certificate.read_bytes())
    key = cert.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(key).digest()).decode()


class Front:
    """mitmproxy's Master with our addon, and the set of open listeners."""

    def __init__(self, config: dict[str, Any]) -> None:
        confdir = Path(config["confdir"])
        self.web = FrozenWeb(frozenset(config["hosts"]), (config["server"][0], config["server"][1]), config["token"])
        self.servers = proxyserver.Proxyserver()
        self.master = Master(Options(mode=[]))
        self.master.addons.add(core.Core(), self.servers, next_layer.NextLayer(), tlsconfig.TlsConfig(), self.web)
        self.master.options.update(connection_strategy="lazy", upstream_cert=False, rawtcp=False)
        # Set last: the TLS addon makes the CA when this option changes, not when it is added.
        self.master.options.update(confdir=str(confdir))
        self.open: set[tuple[str, int]] = set()
        self.spki = spki_hash(confdir / "mitmproxy-ca-cert.pem")

    async def answer(self, command: dict[str, Any]) -> dict[str, Any]:
        """Carry out one command."""
        address = (str(command["address"][0]), int(command["address"][1]))
        if command["do"] == "open":
            self.web.open(address, command["name"], Path(command["log"]))
            return await self._listen(self.open | {address})
        done = await self._listen(self.open - {address})
        self.web.close(address)
        return done

    async def _listen(self, wanted: set[tuple[str, int]]) -> dict[str, Any]:
        modes = [ProxyMode.parse(f"regular@{host}:{port}") for host, port in sorted(wanted)]
        if not await self.servers.servers.update(modes):
            return {"ok": False, "why": "the proxy could not listen there"}
        self.open = wanted
        return {"ok": True}


def _say(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


async def serve() -> None:
    """Run until stdin ends."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    front = Front(json.loads(await reader.readline()))
    running = asyncio.create_task(front.master.run())
    _say({"ready": True, "spki": front.spki})
    while line := await reader.readline():
        _say(await front.answer(json.loads(line)))
    front.master.shutdown()
    await running


if __name__ == "__main__":
    asyncio.run(serve())
