"""The live proxy as a process: `python -m webds_recorder.live`, commands as JSON lines on stdin, answers on stdout.

    first line in:  {"confdir", "shared": folder, "policies": {"default", "hosts"}, "resolver": {name: "address:port"},
                     "ca": PEM file or ""}
    first line out: {"ready": true, "spki"}
    {"do": "open", "name", "log", "pages", "start", "sites": [host...], "archive": folder or "", "terms": {...}}
        -> {"ok": true, "address", "port"}, after the start page's turn in the schedule has come;
           or {"ok": false, "why", "task": true} where the start page cannot belong to a live task
    {"do": "close", "name"} -> {"ok": true, "blocked": {"rule", "url"} | null, "ours": url or "", "met": {rule: count},
                                "archive": digest or "", "skipped": [line...]}
    {"do": "ping"}          -> {"ok": true}

`shared` holds the schedule of each host and its robots.txt, for all workers of a run (manners.py). `resolver`, where it
is not empty, stands for the whole net: tests give names of their own machine, and no other name exists.
"""

import asyncio
import json
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from mitmproxy.addons import core, next_layer, proxyserver, tlsconfig
from mitmproxy.master import Master
from mitmproxy.options import Options

from webds_recorder.blocked import Page, rule_of
from webds_recorder.capture import Tee, read_terms
from webds_recorder.capturing import CAP
from webds_recorder.liveweb import Door, LiveWeb, log_at
from webds_recorder.manners import Manners
from webds_recorder.polite import Policies
from webds_recorder.proxy import Doors, commands, free_address, say, spki_hash
from webds_recorder.publicnet import GuardedLoop, NoResolver, NoSuchName, NotPublic, Resolver
from webds_recorder.scrub import Scrubber
from webds_recorder.standing import Site, Standing, same_site
from webds_recorder.writer import ArchiveWriter

ASK_SECONDS = 10.0
_PASSED_ON = ("user-agent", "accept", "accept-language", "cookie")


class Live:
    """The Master with the live addon, its listeners, and the harness's own client that comes in through one of them."""

    def __init__(self, config: dict[str, Any]) -> None:
        self._confdir = Path(config["confdir"])
        self._shared = Path(config["shared"])
        resolver = Resolver(config["resolver"])
        loop = asyncio.get_running_loop()
        assert isinstance(loop, GuardedLoop)
        loop.resolver = resolver
        manners = Manners(self._shared, Policies.of(config["policies"]), self.text)
        self.web = LiveWeb(resolver, manners)
        servers = proxyserver.Proxyserver()
        self.master = Master(Options(mode=[]))
        self.master.addons.add(core.Core(), servers, next_layer.NextLayer(), tlsconfig.TlsConfig(), self.web)
        self.master.options.update(connection_strategy="lazy", upstream_cert=False, rawtcp=False)
        self.master.options.update(ssl_verify_upstream_trusted_ca=config["ca"] or None)
        self.master.options.update(confdir=str(self._confdir))
        self._doors = Doors(servers)
        self._at: dict[str, tuple[str, int]] = {}
        self._client: httpx.AsyncClient | None = None

    async def start(self) -> str:
        """Listen for the harness's own requests; the CA's SPKI hash."""
        certificate = self._confdir / "mitmproxy-ca-cert.pem"
        address = await self._listen("harness", Door("harness", log_at(self._shared / "harness.jsonl")))
        trust = ssl.create_default_context(cafile=str(certificate))
        proxy = f"http://{address[0]}:{address[1]}"
        self._client = httpx.AsyncClient(
            proxy=proxy, verify=trust, trust_env=False, timeout=ASK_SECONDS, follow_redirects=True
        )
        return spki_hash(certificate)

    async def _listen(self, name: str, door: Door) -> tuple[str, int]:
        address = free_address()
        self.web.doors[address] = door
        self._at[name] = address
        done = await self._doors.listen(self._doors.open | {address})
        if not done["ok"]:
            raise OSError(done["why"])
        return address

    async def answer(self, command: dict[str, Any]) -> dict[str, Any]:
        """Carry out one command."""
        if command["do"] == "open":
            return await self._open(command)
        if command["do"] == "close":
            return await self._close(str(command["name"]))
        return {"ok": True}

    async def _open(self, command: dict[str, Any]) -> dict[str, Any]:
        start = str(command["start"])
        parts = urlsplit(start)
        try:
            await self.web.reach(parts.hostname or "", parts.port or 443)
        except NotPublic as error:
            return {"ok": False, "why": str(error), "task": True}
        except (NoSuchName, NoResolver):
            pass  # the browser will meet it, and the log will say so
        pages = Path(command["pages"])
        pages.mkdir(parents=True, exist_ok=True)
        door = Door(command["name"], log_at(Path(command["log"])), Standing.of(start, command["sites"]), pages)
        if command["archive"]:
            door.tee = _tee(Path(command["archive"]), command["terms"])
        await self._turn(start)
        address = await self._listen(door.name, door)
        return {"ok": True, "address": address[0], "port": address[1]}

    async def _turn(self, start: str) -> None:
        """Wait for the episode's turn on its site before the browser and its time limit come."""
        if (await self.web.manners.asked(start)).allowed:
            await asyncio.sleep(self.web.manners.turn(start))

    async def _close(self, name: str) -> dict[str, Any]:
        address = self._at.pop(name)
        door = self.web.doors[address]
        assert door.standing is not None
        await self._doors.listen(self._doors.open - {address})
        door.give_up()
        blocked = door.standing.blocked() or await self._asked_once_more(door, door.standing)
        ours = door.standing.ours()
        del self.web.doors[address]
        door.log.close()
        digest, skipped = _sealed(door.tee) if door.tee is not None else ("", [])
        return {
            "ok": True,
            "blocked": {"rule": blocked.last, "url": blocked.url} if blocked else None,
            "ours": ours.url if ours else "",
            "met": door.standing.counts,
            "archive": digest,
            "skipped": skipped,
        }

    async def _asked_once_more(self, door: Door, standing: Standing) -> Site | None:
        """The first site that let the browser in, refused it last, and refuses its front page now as well."""
        for host, site in standing.doubtful():
            own = same_site(host, urlsplit(standing.start).hostname or "")
            if site.last != "robots" and await self.refused(
                standing.start if own else f"https://{host}/", door.headers
            ):
                return site
        return None

    async def refused(self, url: str, headers: Mapping[str, str]) -> str:
        """The rule by which a page is refused when it is asked for as the browser did; empty where it is not."""
        asked = {name: value for name, value in headers.items() if name.lower() in _PASSED_ON}
        status, text, answered = await self._get(url, asked)
        own = answered.get("x-webds", "")
        return own or ("unreachable" if not status else rule_of(Page(status, url, answered, text)))

    async def text(self, url: str) -> tuple[int, str]:
        """(status, text) of an address; status 0 where there was no answer, or one of our own."""
        status, text, answered = await self._get(url, {"user-agent": "webds (robots.txt)"})
        return (0, "") if "x-webds" in answered else (status, text)

    async def _get(self, url: str, headers: Mapping[str, str]) -> tuple[int, str, dict[str, str]]:
        assert self._client is not None
        self._client.cookies.clear()
        try:
            answer = await self._client.get(url, headers=headers)
        except httpx.HTTPError:
            return 0, "", {}
        return answer.status_code, answer.text[: 1 << 20], {k.lower(): v for k, v in answer.headers.items()}


def _tee(archive: Path, terms: dict[str, Any]) -> Tee:
    return Tee(
        ArchiveWriter(archive, read_terms(terms), force=True),
        Scrubber(alone=True),
        {"map": {}, "cap": CAP, "clock": None},
    )


def _sealed(tee: Tee) -> tuple[str, list[str]]:
    """Finish the episode's archive: (digest, what was not stored). Empty where nothing came."""
    tee.close()
    if not tee.writer.count():
        tee.writer.close()
        return "", tee.skipped
    kept = sorted({name for name, _ in tee.writer.left_over()})
    notes = [*tee.skipped, *(f"header {name}: kept as it came, though it looks like a secret" for name in kept)]
    return tee.writer.finish({"made by": "webds run --track live --capture", "notes": notes}, kept), notes


async def serve() -> None:
    """Run until stdin ends."""
    reader = await commands()
    live = Live(json.loads(await reader.readline()))
    running = asyncio.create_task(live.master.run())
    await live.web.up.wait()
    say({"ready": True, "spki": await live.start()})
    while line := await reader.readline():
        try:
            say(await live.answer(json.loads(line)))
        except (OSError, KeyError) as error:
            say({"ok": False, "why": f"{type(error).__name__}: {error}"})
    live.master.shutdown()
    await running


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=GuardedLoop) as runner:
        runner.run(serve())
