"""The bench site as an https origin, with nothing between: `python -m tests.bench.replay_origin PAGES FOLDER PORT`.

FOLDER gets a CA, in mitmproxy's form, and the certificate for the host. uvicorn speaks HTTP/1.1 only.
"""

import asyncio
import sys
from pathlib import Path

import uvicorn
from mitmproxy.certs import CertStore
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.bench import replay_site as site


def app(pages: int) -> ASGIApp:
    """Every answer of the site, held in memory."""
    answers = site.answers(pages)

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        kind, body = answers.get(Request(scope).url.path, ("", b""))
        headers = dict(site.headers(kind))
        await Response(body, 200 if kind else 404, headers)(scope, receive, send)

    return serve


def certificate(folder: Path) -> tuple[Path, Path]:
    """Chain and key of the host, signed by a CA that lies as mitmproxy-ca-cert.pem in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    store = CertStore.from_store(folder, "mitmproxy", 2048)
    entry = store.get_cert(site.HOST, [])
    chain, key = folder / "chain.pem", folder / "key.pem"
    chain.write_bytes(entry.cert.to_pem() + (folder / "mitmproxy-ca-cert.pem").read_bytes())
    key.write_bytes((folder / "mitmproxy-ca.pem").read_bytes())
    return chain, key


async def main(pages: str, folder: str, port: str) -> None:
    """Serve until killed."""
    chain, key = certificate(Path(folder))
    config = uvicorn.Config(
        app(int(pages)), port=int(port), log_level="error", lifespan="off", ssl_certfile=chain, ssl_keyfile=key
    )
    await uvicorn.Server(config).serve()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4]))
