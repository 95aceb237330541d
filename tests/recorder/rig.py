"""What the recorder's tests share: small archives, a proxy child process, and a client that goes through it."""

import asyncio
import json
import ssl
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from webds_recorder.archive import ArchiveReader
from webds_recorder.exchange import Exchange, Headers, Request
from webds_recorder.match import Rules
from webds_recorder.replay import Answer, Replay
from webds_recorder.writer import ArchiveWriter, Terms

FROZEN = datetime(2022, 6, 24, 12, 0, tzinfo=UTC)
SITE = "https://site.test"


def exchange(
    url: str,
    body: bytes = b"",
    status: int = 200,
    headers: Headers = (("Content-Type", "text/plain"),),
    method: str = "GET",
    asked: Headers = (),
    sent: bytes = b"",
    **more: Any,
) -> Exchange:
    """One captured exchange; a path alone is on SITE."""
    url = url if "://" in url else SITE + url
    request = Request.to(url, method, asked, sent)
    return Exchange(request=request, status=status, reason="", headers=headers, body=body, **more)


def freeze(folder: Path, *exchanges: Exchange, rules: Rules | None = None, **terms: Any) -> Path:
    """An archive of these exchanges, in this order."""
    with ArchiveWriter(folder, Terms(site="site", frozen=FROZEN, match=rules or Rules(), **terms)) as writer:
        for item in exchanges:
            writer.add(item)
        writer.finish({"tool": "test"})
    return folder


def engine(folder: Path, *exchanges: Exchange, rules: Rules | None = None) -> Replay:
    """A replay of these exchanges."""
    return Replay(ArchiveReader(freeze(folder, *exchanges, rules=rules)))


def ask(
    replay: Replay, url: str, method: str = "GET", headers: Headers = (), body: bytes = b"", episode: str = "one"
) -> Answer:
    """One request to a replay; a path alone is on SITE."""
    request = Request.to(url if "://" in url else SITE + url, method, headers, body)
    return replay.answer(episode, request)


def value(answer: Answer, name: str) -> str:
    """The first value of an answer's header."""
    return next((text for key, text in answer.headers if key.lower() == name.lower()), "")


class Proxy:
    """A replay proxy in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self.process = process
        self.folder = folder
        self.ready: dict[str, Any] = {}

    async def ask(self, **command: Any) -> dict[str, Any]:
        """One command and its answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        await self.process.stdin.drain()
        answer: dict[str, Any] = json.loads(await self.process.stdout.readline())
        return answer

    @asynccontextmanager
    async def episode(self, name: str, port: int) -> AsyncIterator[httpx.AsyncClient]:
        """A listener, and a client that goes through it."""
        opened = await self.ask(do="open", address=["127.0.0.1", port], name=name, log=str(self.log(name)))
        assert opened["ok"], opened
        async with self.client(port) as client:
            yield client
        assert (await self.ask(do="close", address=["127.0.0.1", port]))["ok"]

    def client(self, port: int, **more: Any) -> httpx.AsyncClient:
        """A client through the listener on `port` that trusts the proxy's CA and nothing else."""
        return httpx.AsyncClient(
            proxy=f"http://127.0.0.1:{port}", verify=trusting(self.folder / "ca"), trust_env=False, timeout=20, **more
        )

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.jsonl"

    def rows(self, name: str) -> list[dict[str, Any]]:
        """The log of an episode."""
        return [json.loads(line) for line in self.log(name).read_text().splitlines()]


class Http2First(ssl.SSLContext):
    """Offers HTTP/2 before HTTP/1.1, as Chromium does; httpx offers it second."""

    def set_alpn_protocols(self, alpn_protocols: Any) -> None:
        super().set_alpn_protocols(sorted(alpn_protocols))


def trusting(ca: Path) -> ssl.SSLContext:
    """A context that trusts one proxy's CA."""
    context = Http2First(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(str(ca / "mitmproxy-ca-cert.pem"))
    return context


@asynccontextmanager
async def proxy(folder: Path, *archives: Path, **config: Any) -> AsyncIterator[Proxy]:
    """A started proxy over these archives."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "webds_recorder.proxy", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    made = Proxy(process, folder)
    first = {
        "apps": {},
        "archives": [str(path) for path in archives],
        "server": ["127.0.0.1", 9],
        "token": "t",
        "confdir": str(folder / "ca"),
        **config,
    }
    (folder / "ca").mkdir(parents=True, exist_ok=True)
    try:
        made.ready = await made.ask(**first)
        yield made
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 5)
        except TimeoutError:
            process.kill()
            await process.wait()


def free_port() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def twice(item: Exchange, **changes: Any) -> Exchange:
    """The same exchange with other fields."""
    return replace(item, **changes)
