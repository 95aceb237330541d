"""The live World, asked as a browser would: what it reaches, what it refuses, and when a site's refusal ends BLOCKED.

Rows of T10 that need a wire (DNS, a lost site, a silent one) are here; those of markup are in recorder/test_blocked.py.
"""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.envs import opened
from tests.tracks.liverig import NEVER_LATE, Web
from webds.errors import BlockedFault, Fault, InfraFault, InputFault, TaskFault
from webds.tracks.live import Live
from webds.types import Action, Params
from webds_recorder.liveflow import NO_ANSWER, lost
from webds_recorder.standing import OURS

BROWSER = {"sec-fetch-dest": "document", "sec-fetch-mode": "navigate", "accept": "text/html,*/*", "user-agent": "Test"}


class Client:
    """A client that asks for documents, through one episode's listener."""

    def __init__(self, access: Params) -> None:
        self._client = httpx.AsyncClient(proxy=str(access["proxy"]), verify=False, trust_env=False, timeout=30)
        self.port = int(str(access["proxy"]).rpartition(":")[2])

    async def page(self, url: str) -> int:
        return (await self._client.get(url, headers=BROWSER)).status_code

    async def close(self) -> None:
        await self._client.aclose()


class Rig:
    """A track on a net of our own."""

    def __init__(self, web: Web, folder: Path) -> None:
        self.web = web
        self.folder = folder

    def config(self, **more: Any) -> dict[str, Any]:
        table = "".join(f'"{name}" = "{place}"\n' for name, place in self.web.table.items())
        (self.web.folder / "resolver.toml").write_text(table)
        files = {"resolver": "resolver.toml", "sites": "sites.toml", "ca": "ca.pem"}
        live = {name: str(self.web.folder / file) for name, file in files.items()}
        return {"run": str(self.folder), "live": {**live, "capture": False, "robots": "", **more}}

    @asynccontextmanager
    async def episode(self, start: str, *sites: str, **more: Any) -> AsyncIterator[Client]:
        """One episode of a task that starts at `start`; what the World raises on the way out is raised here."""
        track = Live(self.config(**more))
        async with track.serve({"places": {"t": {"start": start, "sites": sites}}}) as world:
            self.log = self.folder / "try" / "requests.jsonl"
            self.log.parent.mkdir(exist_ok=True)
            self.log.unlink(missing_ok=True)
            async with world.episode("t~0/1", self.log) as access:
                client = Client(access)
                try:
                    yield client
                finally:
                    await client.close()

    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """One origin that is honest, and some that are not."""
    web = Web(tmp_path_factory.mktemp("net"))
    with web.origin("mini", robots="User-agent: *\nDisallow: /hostile\nCrawl-delay: 0\n"):
        yield web


@pytest.fixture
def rig(net: Web, tmp_path: Path) -> Rig:
    net.policy(NEVER_LATE)
    return Rig(net, tmp_path)


HOME = "https://mini.test/"


async def test_an_honest_site_is_asked_and_everything_is_kept(rig: Rig) -> None:
    async with rig.episode(HOME) as client:
        assert await client.page(HOME) == 200
        assert await client.page("https://mini.test/nothing") == 404
    first, second = rig.rows()
    assert (first["outcome"], first["level"], first["status"], first["robots"]) == ("served", "live", 200, "allowed")
    assert first["peer"] == "127.0.0.2"
    assert ["user-agent", "Test"] in [[name.lower(), value] for name, value in first["asked"]]
    assert ["content-type", "text/html; charset=utf-8"] in first["answered"]
    kept = rig.log.parent / "pages" / first["kept"]
    assert "<h1>Mini</h1>" in kept.read_text()
    assert "block" not in second


async def test_a_name_without_address_is_a_block(rig: Rig) -> None:
    with pytest.raises(BlockedFault, match=r"dns: https://gone.test/"):
        async with rig.episode("https://gone.test/") as client:
            assert await client.page("https://gone.test/") == 502
    assert rig.rows()[0]["block"] == "dns"


async def test_a_closed_door_is_a_block(rig: Rig) -> None:
    with socket.create_server(("127.0.0.9", 0)) as free:
        rig.web.table["shut.test"] = f"127.0.0.9:{free.getsockname()[1]}"
    with pytest.raises(BlockedFault, match=r"unreachable: https://shut.test/"):
        async with rig.episode("https://shut.test/") as client:
            assert await client.page("https://shut.test/") == 502


async def test_a_broken_certificate_is_a_block(rig: Rig) -> None:
    rig.web.table["other.test"] = rig.web.table["mini.test"]
    with pytest.raises(BlockedFault, match=r"tls: https://other.test/"):
        async with rig.episode("https://other.test/") as client:
            assert await client.page("https://other.test/") == 502


def test_a_silent_site_is_a_block_only_after_long() -> None:
    assert lost("Client disconnected.", NO_ANSWER - 1) == ""
    assert lost("Client disconnected.", NO_ANSWER) == "no-answer"
    assert lost("Server TLS handshake failed. connection closed", 1, left=True) == ""
    assert lost("[Errno 111] Connect call failed ('93.184.215.14', 443)", 0) == "unreachable"
    assert lost("Multiple exceptions: [Errno 111] Connect call failed, [Errno 101] Network is unreachable", 0) != OURS
    assert lost("[Errno 101] Network is unreachable", 0) == OURS


@pytest.mark.long
async def test_a_site_that_never_answers(rig: Rig) -> None:
    with socket.create_server(("127.0.0.8", 0)) as never:
        rig.web.table["silent.test"] = f"127.0.0.8:{never.getsockname()[1]}"
        async with rig.episode("https://silent.test/") as client:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.page("https://silent.test/"), 1)

        async def patient() -> None:
            async with rig.episode("https://silent.test/") as client:
                with suppress(TimeoutError):
                    await asyncio.wait_for(client.page("https://silent.test/"), NO_ANSWER + 1)

        with pytest.raises(BlockedFault, match=r"no-answer: https://silent.test/"):
            await patient()


async def test_one_page_that_is_refused_is_no_block_but_a_lost_site_is(rig: Rig) -> None:
    pages = (HOME, "https://mini.test/table")
    with rig.web.origin("mini", block={"from": 2, "status": 403}):  # it refuses the start page, too, when asked again
        assert await met(rig, pages) == ([200, 403], "live site: status-403: https://mini.test/table")
    with rig.web.origin("mini", block={"only": "/table", "status": 403}):
        assert await met(rig, pages) == ([200, 403], "")
        assert rig.rows()[1]["block"] == "status-403"


async def met(rig: Rig, pages: Iterable[str]) -> tuple[list[int], str]:
    """Statuses of some pages, and how the episode was blocked."""
    found: list[int] = []
    try:
        async with rig.episode(HOME) as client:
            found = [await client.page(url) for url in pages]
    except BlockedFault as fault:
        return found, str(fault)
    return found, ""


async def test_robots_txt_is_respected_or_recorded(rig: Rig) -> None:
    with rig.web.origin("mini", robots="User-agent: *\nDisallow: /hostile\n"):
        async with rig.episode(HOME) as client:
            assert [await client.page(HOME), await client.page("https://mini.test/hostile")] == [200, 403]
        assert (rig.rows()[1]["outcome"], rig.rows()[1]["result"]) == ("blocked", "robots")
        assert "/hostile" not in [row["path"] for row in rig.web.asked("mini")][-2:]
        with pytest.raises(BlockedFault, match=r"robots: https://mini.test/hostile"):
            async with rig.episode("https://mini.test/hostile") as client:
                assert await client.page("https://mini.test/hostile") == 403
        async with rig.episode("https://mini.test/hostile", robots="record") as client:
            assert await client.page("https://mini.test/hostile") == 200
        assert rig.rows()[0]["robots"] == "record"


async def test_private_addresses_are_out_of_reach(rig: Rig) -> None:
    with socket.create_server(("127.0.0.1", 0)) as canary:
        canary.setblocking(False)
        port = canary.getsockname()[1]
        async with rig.episode(HOME) as client:
            for host in ("127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"):
                assert await client.page(f"http://{host}:{port}/") in (400, 403, 502), host
            for host in ("169.254.169.254", "10.0.0.1", "192.168.0.1"):
                assert await client.page(f"http://{host}/") == 403, host
            assert await _tunnelled(client.port, f"127.0.0.1:{port}") == b""
        with pytest.raises(BlockingIOError):
            canary.accept()
    assert {row["result"] for row in rig.rows()} <= {"private", "dns", "error"}


@pytest.mark.long
async def test_chromium_reaches_no_address_of_this_machine(rig: Rig) -> None:
    places: Params = {"t": {"start": HOME, "sites": ()}}
    with socket.create_server(("127.0.0.1", 0)) as canary:
        canary.setblocking(False)
        port = canary.getsockname()[1]
        async with (
            Live(rig.config()).serve({"places": places}) as world,
            opened.browser(world, rig.folder / "chromium", HOME, name="t~0/1") as browser,
        ):
            await browser.observe()
            for host in ("127.0.0.1", "127.1", "localhost", "2130706433", "[::1]", "0.0.0.0"):
                await browser.page.evaluate(
                    "url => fetch(url, {mode: 'no-cors'}).catch(() => 0)", f"http://{host}:{port}/"
                )
                await browser.act(Action(name="goto", args={"url": f"http://{host}:{port}/"}))
            local = await browser.act(Action(name="goto", args={"url": "file:///etc/hostname"}))
            assert "refused" in local.text or local.refused
        with pytest.raises(BlockingIOError):
            canary.accept()


async def _tunnelled(proxy: int, target: str) -> bytes:
    """What comes back when bytes that are no HTTP follow a CONNECT."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy)
    writer.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"\x00\x01not http\r\n\r\n")
    writer.write_eof()
    said = await reader.read()
    writer.close()
    return said if b"canary" in said else b""


async def test_a_task_on_a_private_address_is_the_tasks_fault(rig: Rig) -> None:
    with pytest.raises(TaskFault, match="not an address of the public web"):
        async with rig.episode("http://192.168.0.7/"):
            raise AssertionError("the episode must not begin")


@pytest.mark.parametrize(("url", "kind"), [("https://gone.test/", BlockedFault), (HOME, InfraFault)])
async def test_the_fault_of_a_site_stands_before_that_of_the_browser(rig: Rig, url: str, kind: type[Fault]) -> None:
    async def broken() -> None:
        async with rig.episode(url) as client:
            await client.page(url)
            raise InfraFault("the page did not load", "open environment")

    with pytest.raises(kind):
        await broken()


async def test_pages_are_spaced_over_two_workers(rig: Rig) -> None:
    rig.web.policy(NEVER_LATE.replace("delay = 0.0", "delay = 0.8"))
    before = len(rig.web.asked("mini"))
    async with rig.episode(HOME) as one, rig.episode(HOME) as two:
        await asyncio.gather(*(client.page(HOME) for client in (one, two, one)))
    at = sorted(row["at"] for row in rig.web.asked("mini")[before:] if row["page"])
    assert len(at) == 3
    assert min(later - earlier for earlier, later in pairwise(at)) > 0.6


def test_bad_input_is_one_line(rig: Rig) -> None:
    with pytest.raises(InputFault, match=r"task t: field start.url: 'file:///etc/passwd'; wanted an address like"):
        Live(rig.config()).serve({"places": {"t": {"start": "file:///etc/passwd", "sites": ()}}})
    with pytest.raises(InputFault, match=r"live.robots: 'ignore'; known: respect, record"):
        Live(rig.config(robots="ignore")).serve({"places": {}})
