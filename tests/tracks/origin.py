"""A site of this machine as a live origin: `python -m tests.tracks.origin CONFIG`, TLS and all, until it is killed.

CONFIG is JSON: {"root", "site", "address", "port", "ca": folder, "ways": {...}, "asked": file}. `asked` gets a line for
each request. `ways` is what is wrong with it:

    {"drift": {"old", "new", "from"}}      a text changes from the n-th document on
    {"block": {"from", "only": path, "status", "page", "headers"}}      documents are refused from the n-th on
    {"slow": seconds}      before each document
    {"vanish": n}          the process ends when the n-th document has been sent
    {"robots": text}       its robots.txt
"""

import asyncio
import datetime as dt
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from webds.tracks.sites import load_app, pick


def authority(folder: Path) -> Path:
    """A CA of the test's own; ca.pem."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "webds test authority")])
    made = _certificate(name, name, key.public_key(), ca=True).sign(key, hashes.SHA256())
    _write(folder / "ca.key", key)
    (folder / "ca.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    return folder / "ca.pem"


def leaf(folder: Path, host: str) -> tuple[str, str]:
    """Key and certificate of a host, signed by the CA in `folder`."""
    signer = serialization.load_pem_private_key((folder / "ca.key").read_bytes(), None)
    issuer = x509.load_pem_x509_certificate((folder / "ca.pem").read_bytes())
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    builder = _certificate(name, issuer.subject, key.public_key(), ca=False)
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
    made = builder.sign(signer, hashes.SHA256())  # type: ignore[arg-type] # it is the EC key written above
    _write(folder / f"{host}.key", key)
    (folder / f"{host}.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    return str(folder / f"{host}.key"), str(folder / f"{host}.pem")


def _certificate(name: x509.Name, issuer: x509.Name, public: Any, *, ca: bool) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(issuer).public_key(public)
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now - dt.timedelta(days=1))
    builder = builder.not_valid_after(now + dt.timedelta(days=2))
    return builder.add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)


def _write(file: Path, key: Any) -> None:
    form, none = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    file.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, none))


class Ways:
    """ASGI app around a site's app, with what is wrong with the origin."""

    def __init__(self, app: Any, ways: dict[str, Any], asked: Path) -> None:
        self.app = app
        self.ways = ways
        self.asked = asked
        self.documents = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        page = headers.get(b"sec-fetch-dest") == b"document"
        row = {"at": time.time(), "path": scope["path"], "page": page}
        with self.asked.open("a") as file:
            file.write(json.dumps(row) + "\n")
        if scope["path"] == "/robots.txt":
            await _answer(send, 200, str(self.ways.get("robots", "")), {"content-type": "text/plain"})
            return
        self.documents += page
        if page:
            await asyncio.sleep(float(self.ways.get("slow", 0)))
        block = self.ways.get("block")
        asks_again = headers.get(b"accept", b"").startswith(b"text/html")
        wanted = not block or block.get("only", scope["path"]) == scope["path"]
        if block and wanted and asks_again and self.documents >= block.get("from", 1):
            headers = {"content-type": "text/html", **block.get("headers", {})}
            await _answer(send, block["status"], block.get("page", ""), headers)
            return
        await self.app(scope, receive, self._drifting(send) if page else send)
        if page and self.documents == self.ways.get("vanish"):
            asyncio.get_running_loop().call_later(0.3, os._exit, 0)

    def _drifting(self, send: Any) -> Any:
        drift = self.ways.get("drift")
        if not drift or self.documents < drift.get("from", 1):
            return send

        async def changed(message: Any) -> None:
            if message["type"] == "http.response.start":
                kept = [(name, value) for name, value in message["headers"] if name != b"content-length"]
                message = {**message, "headers": kept}
            elif message["type"] == "http.response.body":
                message = {
                    **message,
                    "body": message.get("body", b"").replace(drift["old"].encode(), drift["new"].encode()),
                }
            await send(message)

        return changed


async def _answer(send: Any, status: int, text: str, headers: dict[str, str]) -> None:
    rows = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": rows})
    await send({"type": "http.response.body", "body": text.encode()})


def main(config: dict[str, Any]) -> None:
    """Serve until killed."""
    root = Path(config["root"])
    (site,) = pick(root, [config["site"]])
    key, certificate = leaf(Path(config["ca"]), site.host)
    app = Ways(load_app(root, site.folder, site.frozen), config["ways"], Path(config["asked"]))
    uvicorn.run(app, host=config["address"], port=config["port"], ssl_keyfile=key, ssl_certfile=certificate,
                log_level="error", lifespan="off")  # fmt: skip


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
