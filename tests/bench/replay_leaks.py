"""B01 and B04, asked of the proxies: with the one captured answer used up, does anything reach a living origin?"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx

from tests.bench import replay_fronts as fronts
from tests.bench.replay_pywb import ca, pywb
from tests.recorder.rig import SITE, exchange, freeze, trusting

LEAKS = {
    "B01": "captures used up, then an address of a living origin: it hears nothing",
    "B04": "CONNECT to a living origin, then garbage: no connection is made",
}
_QUIET = 1.0
"""Seconds in which a connection that a proxy makes would have come."""


class Origin:
    """Counts the connections that reach it."""

    def __init__(self) -> None:
        self.met = 0
        self.port = 0

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.met += 1
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlive")
        with suppress(OSError):
            await writer.drain()
        writer.close()

    @asynccontextmanager
    async def up(self) -> AsyncIterator["Origin"]:
        server = await asyncio.start_server(self._meet, "127.0.0.1", 0)
        self.port = int(server.sockets[0].getsockname()[1])
        async with server:
            yield self


async def _used_up(front: fronts.Front, port: int) -> None:
    async with httpx.AsyncClient(proxy=front.proxy, verify=trusting(front.ca), trust_env=False, timeout=20) as client:
        assert (await client.get(SITE + "/once")).text == "once"
        for url in (f"http://127.0.0.1:{port}/once", f"http://127.0.0.1:{port}/other"):
            with suppress(httpx.HTTPError):
                await client.get(url)


async def _garbage(front: fronts.Front, port: int) -> None:
    host, _, own = front.proxy.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(own))
    writer.write(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    with suppress(TimeoutError, OSError):
        async with asyncio.timeout(_QUIET):
            await reader.readline()
        writer.write(b"\x00\x17garbage\r\n\r\n" * 8)
        await writer.drain()
    writer.close()


async def _asked(front: fronts.Front) -> tuple[str, str]:
    found = []
    for probe in (_used_up, _garbage):
        async with Origin().up() as origin:
            await probe(front, origin.port)
            await asyncio.sleep(_QUIET)
            found.append("no" if origin.met else "yes")
    return found[0], found[1]


async def leaks(folder: Path) -> dict[str, list[str]]:
    """By id, a cell for the product, stock mitmproxy, pywb and a HAR; the last is no proxy and is not asked."""
    place = folder / "leaks"
    place.mkdir()
    archive = freeze(place / "a", exchange("/once", b"once"))
    columns = []
    async with fronts.ours(place, archive) as front:
        columns.append(await _asked(front))
    flows = fronts.flows_of(archive, place / "flows")
    async with fronts.child("stock", fronts.stock(place, flows, reuse=False), place / "stock") as front:
        columns.append(await _asked(front))
    try:
        words = pywb(place, archive)
    except (RuntimeError, OSError) as error:
        print(f"pywb left out: {error}", file=sys.stderr)
        columns.append(("not here", "not here"))
    else:
        async with fronts.child("pywb", words, ca(place)) as front:
            columns.append(await _asked(front))
    columns.append(("not asked", "not asked"))
    return {name: [column[number] for column in columns] for number, name in enumerate(LEAKS)}
