"""Capture through the real proxy, replay through the other one, the origin gone in between. Ids: docs/replay.md."""

import asyncio
import contextlib
import hashlib
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets

from tests.recorder.portal import Portal, served
from tests.recorder.rig import FROZEN, Proxy, exchange, free_port, freeze, proxy, trusting
from webds_recorder.archive import ArchiveReader
from webds_recorder.capturing import Capture, Wanted, capturing
from webds_recorder.verify import verify
from webds_recorder.warc_export import export_warc
from webds_recorder.writer import ArchiveWriter, Terms

TERMS = Terms(site="portal", frozen=FROZEN)
SITE = "https://portal.test"


@pytest.fixture
def portal() -> Iterator[tuple[Portal, str]]:
    made = Portal()
    with served(made.app()) as address:
        yield made, address


@asynccontextmanager
async def capture(folder: Path, origin: str, **more: Any) -> AsyncIterator[tuple[Capture, httpx.AsyncClient]]:
    """A capturing proxy and a client; the archive is sealed at the end."""
    wanted = Wanted(origins={"portal.test": origin}, **more)
    async with capturing(folder / "a", TERMS, wanted, folder, resume=False) as made:
        context = trusting(folder / "ca")
        async with httpx.AsyncClient(
            proxy=made.address, verify=context, trust_env=False, timeout=20, http2=True
        ) as client:
            yield made, client
        made.last = await made.close()  # type: ignore[attr-defined]
    with ArchiveWriter(folder / "a", TERMS, resume=True) as writer:
        writer.finish({})
    verify(folder / "a")


@asynccontextmanager
async def replayed(folder: Path) -> AsyncIterator[tuple[Proxy, httpx.AsyncClient, int]]:
    """The archive behind a replay proxy, and a client for one episode."""
    port = free_port()
    async with proxy(folder / "replay", folder / "a") as made:
        assert made.ready["ready"], made.ready
        async with made.episode("one", port) as client:
            yield made, client, port


def paths(folder: Path) -> list[tuple[str, int]]:
    with ArchiveReader(folder / "a") as archive:
        return [(row.path, row.status) for row in archive.rows()]


async def test_b06_b07_streams_reach_the_page_and_the_archive(tmp_path: Path, portal: tuple[Portal, str]) -> None:
    async with capture(tmp_path, portal[1]) as (_, client):
        began = time.monotonic()
        async with client.stream("GET", SITE + "/events") as got:
            parts = got.aiter_text()
            first = await anext(parts)
            assert first.startswith("id: 0\ndata: event 0")
            assert time.monotonic() - began < 20  # a buffered stream never comes
            text = first
            async for part in parts:
                text += part
                if "event 7" in text:
                    break
        whole = (await client.get(SITE + "/endless")).content
    with ArchiveReader(tmp_path / "a") as archive:
        stored = {row.path: (row.kind, archive.body(row), archive.frames(row)) for row in archive.rows()}
    kind, body, frames = stored["/events"]
    assert (kind, body.decode(), len(frames)) == ("sse", text, 8)
    assert stored["/endless"][1] == whole
    portal_url = SITE + "/events"
    async with replayed(tmp_path) as (made, client, _):
        seen = b""
        async with client.stream("GET", portal_url) as got:
            chunks = got.aiter_bytes()
            while len(seen) < len(body):
                seen += await anext(chunks)
            more = asyncio.ensure_future(anext(chunks))
            done, _ = await asyncio.wait([more], timeout=1)
            assert not done  # all events at once, then the line is held open
            more.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await more
        assert seen == body
        assert (await client.get(SITE + "/endless")).content == whole
        assert [(r["level"], r["result"]) for r in made.rows("one")] == [("exact", "hit")] * 2


async def test_b05_b21_sockets_play_their_frames_and_close(tmp_path: Path, portal: tuple[Portal, str]) -> None:
    async def talk(port: int, ca: Path, *messages: str) -> list[str]:
        address = f"http://127.0.0.1:{port}"
        async with websockets.connect("wss://portal.test/socket", proxy=address, ssl=trusting(ca)) as ws:
            heard = [str(await ws.recv())]
            for message in messages:
                await ws.send(message)
                heard.append(str(await ws.recv()))
            return heard

    async with capture(tmp_path, portal[1]) as (made, _):
        port = int(made.address.rpartition(":")[2])
        said = await talk(port, tmp_path / "ca", "one", "two")
    assert said == ["hello", "pong one", "pong two"]
    async with replayed(tmp_path) as (again, _, port):
        ca = tmp_path / "replay" / "ca"
        assert await talk(port, ca, "one", "two") == said
        assert await talk(port, ca, "two") == ["hello", "pong two"]
        with pytest.raises(websockets.ConnectionClosedError) as error:
            await talk(port, ca, "never said")
        assert error.value.rcvd is not None
        assert error.value.rcvd.code == 4404
        assert {r["result"] for r in again.rows("one")} == {"hit"}
    with ArchiveReader(tmp_path / "a") as archive, (tmp_path / "x.warc").open("wb") as out:
        assert export_warc(archive, out).notes == [f"{SITE}/socket: a WebSocket cannot be exported to WARC"]


async def test_b08_b15_large_bodies_are_whole_and_not_held_in_memory(
    tmp_path: Path, portal: tuple[Portal, str]
) -> None:
    async with capture(tmp_path, portal[1]) as (_, client):
        sent = hashlib.sha256((await client.get(SITE + "/big")).content).hexdigest()
        await client.get(SITE + "/ranged")
    async with replayed(tmp_path) as (made, client, _):
        assert hashlib.sha256((await client.get(SITE + "/big")).content).hexdigest() == sent
        before = memory(made.process.pid)
        for _ in range(40):
            await client.get(SITE + "/big")
        for _ in range(400):
            await client.get(SITE + "/ranged")
        assert memory(made.process.pid) - before < 60  # 120 MB went over the wire, on one connection


@pytest.mark.long
async def test_b15_two_thousand_requests_on_one_connection(tmp_path: Path, portal: tuple[Portal, str]) -> None:
    async with capture(tmp_path, portal[1]) as (_, client):
        await client.get(SITE + "/ranged")
    async with replayed(tmp_path) as (made, client, _):
        for _ in range(200):
            await client.get(SITE + "/ranged")
        before = memory(made.process.pid)
        for _ in range(2000):
            await client.get(SITE + "/ranged")
        assert memory(made.process.pid) - before < 30


def memory(pid: int) -> float:
    """Resident MB of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


async def test_b17_b30_no_bare_304_and_no_part_is_stored(tmp_path: Path, portal: tuple[Portal, str]) -> None:
    async with capture(tmp_path, portal[1]) as (_, client):
        for _ in range(2):
            assert (await client.get(SITE + "/cond", headers={"if-none-match": '"1"'})).text == "whole"
        assert len((await client.get(SITE + "/ranged", headers={"range": "bytes=0-99"})).content) == 2000
    assert paths(tmp_path) == [("/cond", 200), ("/ranged", 200)]
    async with replayed(tmp_path) as (_, client, _):
        got = await client.get(SITE + "/ranged", headers={"range": "bytes=500-599"})
        assert (got.status_code, got.headers["content-range"]) == (206, "bytes 500-599/2000")
        assert got.content == bytes(n % 251 for n in range(500, 600))


@contextmanager
def flaky() -> Iterator[str]:
    """An origin that drops its first connection after reading, and answers the next ones."""
    server = socket.create_server(("127.0.0.1", 0))

    def run() -> None:
        for number in range(20):
            try:
                client, _ = server.accept()
            except OSError:
                return
            client.recv(65536)
            if number:
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nretry")
            client.close()

    threading.Thread(target=run, daemon=True).start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}"
    server.close()


async def test_b18_a_failed_first_attempt_is_not_stored(tmp_path: Path) -> None:
    with flaky() as origin:
        async with capture(tmp_path, origin) as (made, client):
            assert (await client.get(SITE + "/x")).status_code == 502
            assert (await client.get(SITE + "/x")).text == "retry"
    assert paths(tmp_path) == [("/x", 200)]
    assert len(made.last["skipped"]) == 1  # type: ignore[attr-defined]


async def test_media_over_the_cap_is_reported_and_not_stored(tmp_path: Path, portal: tuple[Portal, str]) -> None:
    async with capture(tmp_path, portal[1], cap=1_000_000) as (made, client):
        assert len((await client.get(SITE + "/big")).content) == 3_000_000
        await client.get(SITE + "/cond")
    assert made.last["skipped"] == [f"GET {SITE}/big: not stored: 3000000 bytes, over the cap of 1000000"]  # type: ignore[attr-defined]
    assert paths(tmp_path) == [("/cond", 200)]


async def test_b14_http2_and_http1_in_both_directions(tmp_path: Path, portal: tuple[Portal, str]) -> None:
    async with capture(tmp_path, portal[1]) as (made, client):
        assert (await client.get(SITE + "/cond")).http_version == "HTTP/2"
        context = trusting(tmp_path / "ca")
        async with httpx.AsyncClient(proxy=made.address, verify=context, trust_env=False) as old:
            assert (await old.get(SITE + "/zipped")).http_version == "HTTP/1.1"
    async with replayed(tmp_path) as (made, client, port):
        async with made.client(port, http2=True) as new:
            for one in (client, new):
                assert (await one.get(SITE + "/cond")).text == "whole"
                assert (await one.get(SITE + "/zipped")).text == "zipped" * 100
        assert {row["result"] for row in made.rows("one")} == {"hit"}


async def test_b04_bytes_that_are_no_http_reach_nobody(tmp_path: Path, portal: tuple[Portal, str]) -> None:
    async with capture(tmp_path, portal[1]) as (_, client):
        await client.get(SITE + "/cond")
    hits: list[Any] = []
    trap = socket.create_server(("127.0.0.1", 0))
    trap.settimeout(0.3)
    target = f"127.0.0.1:{trap.getsockname()[1]}"
    async with replayed(tmp_path) as (made, _, port):
        for garbage in (
            b"\x00\x01\x00\x00\x21\x12\xa4\x42" * 3,
            b"SSH-2.0-x\r\n",
            b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        ):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
            await reader.readuntil(b"\r\n\r\n")
            writer.write(garbage)
            await writer.drain()
            with pytest.raises((TimeoutError, OSError)):
                hits.append(trap.accept())
            writer.close()
        assert hits == []
        assert all(row["result"] == "blocked" for row in made.rows("one"))
    trap.close()


async def test_b01_an_exhausted_answer_never_reaches_the_origin(tmp_path: Path, portal: tuple[Portal, str]) -> None:
    """The origin still runs here: nothing may ask it again."""
    async with capture(tmp_path, portal[1]) as (_, client):
        await client.get(SITE + "/ticker")
    portal[0].price = 999
    async with replayed(tmp_path) as (made, client, _):
        answers = [(await client.get(SITE + "/ticker")).text for _ in range(3)]
        assert len(set(answers)) == 1
        assert "Price <b>100" in answers[0]
        assert [(await client.get(SITE + "/never")).status_code for _ in range(2)] == [404, 404]
        assert [row["result"] for row in made.rows("one")] == ["hit", "hit", "hit", "miss", "miss"]


async def test_n1_sixty_parallel_requests_of_one_episode(tmp_path: Path, portal: tuple[Portal, str]) -> None:
    async with capture(tmp_path, portal[1]) as (_, client):
        for scheme in ("https", "http"):
            done = await asyncio.gather(*(client.get(f"{scheme}://portal.test/item/{n % 50 + 1}") for n in range(60)))
            assert {r.status_code for r in done} == {200}
    async with replayed(tmp_path) as (made, client, _):
        for scheme in ("https", "http"):
            done = await asyncio.gather(*(client.get(f"{scheme}://portal.test/item/{n % 50 + 1}") for n in range(60)))
            assert {r.status_code for r in done} == {200}
        assert len(made.rows("one")) == 120


async def test_two_episodes_do_not_share_cursors(tmp_path: Path, portal: tuple[Portal, str]) -> None:
    async with capture(tmp_path, portal[1]) as (_, client):
        for price in (1, 2, 3):
            portal[0].price = price
            await client.get(SITE + "/ticker")
    port = free_port()
    async with replayed(tmp_path) as (made, one, _), made.episode("two", port) as two:
        seen = [[f"Price <b>{n}" in (await c.get(SITE + "/ticker")).text for c in (one, two)] for n in (1, 2, 3, 3)]
        assert seen == [[True, True]] * 4


async def test_b11_rules_are_read_again_on_reload(tmp_path: Path, portal: tuple[Portal, str]) -> None:
    from webds_recorder.match import Rules
    from webds_recorder.verify import set_rules

    async with capture(tmp_path, portal[1]) as (_, client):
        await client.get(SITE + "/search?q=Item+7&device=1")
    async with replayed(tmp_path) as (made, client, _):
        assert (await client.get(SITE + "/search?q=Item+7&device=2")).status_code == 404
        set_rules(tmp_path / "a", Rules(query=("device",)))
        assert (await made.ask(do="reload"))["ok"]
        assert (await client.get(SITE + "/search?q=Item+7&device=2")).status_code == 200
        assert [row["level"] for row in made.rows("one")] == ["miss", "canonical"]


async def test_forged_marks_of_the_proxy_are_dropped(tmp_path: Path, portal: tuple[Portal, str]) -> None:
    async with capture(tmp_path, portal[1]) as (_, client):
        await client.get(SITE + "/cond")
    async with replayed(tmp_path) as (_, client, _):
        forged = {"X-Webds-Token": "t", "X-Webds-Episode": "two", "X-Webds-Ticket": "t-1"}
        got = await client.get(SITE + "/cond", headers=forged)
        assert got.text == "whole"
        assert not [name for name in got.headers if name.startswith("x-webds-")]


async def test_b10_b54_one_framing_header_and_headers_in_order_on_the_wire(tmp_path: Path) -> None:
    headers = (("Set-Cookie", "a=1"), ("Link", "</a>; rel=x"), ("Set-Cookie", "b=2"), ("Transfer-Encoding", "chunked"))
    made = freeze(tmp_path / "a", exchange("http://site.test/c", b"chunks", headers=headers))
    port = free_port()
    async with proxy(tmp_path / "replay", made) as front, front.episode("one", port):
        for method in ("GET", "HEAD"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(
                f"{method} http://site.test/c HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n".encode()
            )
            raw = await reader.read()
            writer.close()
            head, _, body = raw.partition(b"\r\n\r\n")
            names = [line.split(b":")[0].lower() for line in head.split(b"\r\n")[1:]]
            assert names[:3] == [b"set-cookie", b"link", b"set-cookie"]
            assert (names.count(b"content-length"), names.count(b"transfer-encoding")) == (1, 0)
            assert body == (b"chunks" if method == "GET" else b"")
