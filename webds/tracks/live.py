"""Track `live`: a user's own tasks on the real web, through a proxy that is polite and reaches public addresses only.

There is no network namespace without network here, for the network is the point: the same browser flags and policy
file, one proxy a worker, and run.json says so. A site that refuses robots ends the episode BLOCKED (docs/live.md).
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from webds import jail
from webds.errors import BlockedFault, Fault, InfraFault, InputFault, TaskFault, blame
from webds.interpreter import module
from webds.ports import World
from webds.signals import tell
from webds.tracks.layers import in_force
from webds.tracks.livesites import ROBOTS, host_of, policies, resolver
from webds.types import Json, Params
from webds_recorder import talk

SHARED = "live"
"""Folder in the run that holds each host's schedule and robots.txt, for all workers."""
ARCHIVE = "archive"
"""Folder in a try that holds what was captured."""
_CLOSE_SECONDS = 90.0
_OPEN_SECONDS = 300.0


class LiveWorld:
    """webds.ports.World over one live proxy."""

    def __init__(self, config: Mapping[str, Any], places: Mapping[str, Mapping[str, Any]]) -> None:
        live: Mapping[str, Any] = config.get("live") or {}
        self._config = config
        self._places = places
        self._capture = bool(live.get("capture"))
        self._table = resolver(str(live.get("resolver", "")))
        self._policies = policies(str(live.get("sites", "")), str(live.get("robots", "")))
        self._ca = str(live.get("ca", ""))
        layers = {**in_force("none", jail.mechanism()), "proxy": "on: public addresses only"}
        self.facts: Params = {
            "provider": "live",
            "isolation": "none",
            "layers": layers,
            "robots": str(live.get("robots") or self._policies["default"]["robots"]),
            "capture": self._capture,
            "resolver": "test" if self._table else "system",
        }
        self._process: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()
        self._spki = ""

    async def start(self, scratch: Path, seconds: float) -> None:
        """Start the proxy. InfraFault after `seconds`."""
        confdir = scratch / "ca"
        confdir.mkdir()
        shared = Path(self._config["run"]) / SHARED
        shared.mkdir(parents=True, exist_ok=True)
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *module("webds_recorder.live"), stdin=pipe, stdout=pipe, limit=1 << 26, preexec_fn=jail.die_with_parent
        )
        first = {
            "confdir": str(confdir), "shared": str(shared), "policies": self._policies, "resolver": self._table,
            "ca": self._ca,
        }  # fmt: skip
        self._spki = str((await self._ask(first, seconds))["spki"])

    async def stop(self) -> None:
        """End the proxy."""
        if self._process is not None:
            tell(self._process)
            await self._process.wait()

    async def _ask(self, command: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        with blame(InfraFault, f"live proxy: {command.get('do', 'start')}"):
            async with self._lock, asyncio.timeout(seconds):
                return await talk.ask(self._process, command)

    async def healthy(self) -> bool:
        """Whether the proxy is alive."""
        return self._process is not None and self._process.returncode is None

    @asynccontextmanager
    async def episode(self, name: str, log: Path) -> AsyncIterator[Params]:
        """A listener for one episode. BlockedFault on the way out where the task's site refused robots."""
        place = self._places.get(name.rpartition("~")[0], {})
        opened = await self._ask(self._order(name, log, place), _OPEN_SECONDS)
        if not opened.get("ok"):
            kind: type[Fault] = TaskFault if opened.get("task") else InfraFault
            raise kind(str(opened.get("why", "no reason given")), "open live episode")
        proxy = f"http://{opened['address']}:{opened['port']}"
        fault: Fault | None = None
        try:
            try:
                yield {"proxy": proxy, "spki": self._spki, "enter": (), "frozen": {}, "seed": 1, "ahead": None}
            finally:
                fault = await self._left(name)
        except InfraFault as broken:
            raise (fault or broken) from None
        if fault is not None:
            raise fault

    def _order(self, name: str, log: Path, place: Mapping[str, Any]) -> dict[str, Any]:
        view = self._config.get("viewport") or {"width": 1280, "height": 720}
        terms = {
            "site": "live", "frozen": datetime.now(UTC).replace(microsecond=0).isoformat(), "seed": 1,
            "viewport": [view["width"], view["height"]], "locale": self._config.get("locale", "en-US"),
            "zone": self._config.get("zone", "UTC"), "match": None, "redactions": [],
        }  # fmt: skip
        return {
            "do": "open", "name": name, "log": str(log), "pages": str(log.parent / "pages"),
            "start": str(place.get("start", "")), "sites": list(place.get("sites", ())),
            "archive": str((log.parent / ARCHIVE).absolute()) if self._capture else "", "terms": terms,
        }  # fmt: skip

    async def _left(self, name: str) -> Fault | None:
        """Close the listener; the fault of the site, or of this machine's network, if there was one."""
        if not await self.healthy():
            return None
        said = await self._ask({"do": "close", "name": name}, _CLOSE_SECONDS)
        if refused := said.get("blocked"):
            return BlockedFault(f"{refused['rule']}: {refused['url']}", "live site")
        if said.get("ours"):
            return InfraFault(f"this machine has no way to the web: {said['ours']}", "live track")
        return None


class Live:
    """webds.ports.Track. config: run (folder), live (webds.config), viewport, locale, zone, seconds."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._config = config

    def serve(self, needs: Params) -> AbstractAsyncContextManager[World]:
        """needs: {"places": {task: {"start", "sites"}}}. InputFault: a start page or a policy that cannot be used."""
        places = needs.get("places")
        assert isinstance(places, Mapping)
        known = {str(task): _place(str(task), place) for task, place in places.items()}
        robots = str((self._config.get("live") or {}).get("robots", ""))
        if robots and robots not in ROBOTS:
            raise InputFault(f"config: field live.robots: {robots!r}; known: {', '.join(ROBOTS)}")
        return self._served(LiveWorld(self._config, known))

    @asynccontextmanager
    async def _served(self, world: LiveWorld) -> AsyncIterator[World]:
        with tempfile.TemporaryDirectory(prefix="webds-world-", ignore_cleanup_errors=True) as scratch:
            try:
                with blame(InfraFault, "start world"):
                    await world.start(Path(scratch), float(self._config.get("seconds", 60)))
                yield world
            finally:
                await world.stop()


def _place(task: str, place: Json) -> dict[str, Any]:
    assert isinstance(place, Mapping)
    start, sites = str(place.get("start", "")), place.get("sites")
    host_of(start, task)
    more = [str(site) for site in sites] if isinstance(sites, list | tuple) else []
    return {"start": start, "sites": [site for site in more if "." in site]}


def make(config: Mapping[str, Any]) -> Live:
    """Entry point webds.tracks: live."""
    return Live(config)
