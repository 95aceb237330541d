"""A World as a process: the entry point in a network namespace that holds only `lo`, where the host allows one."""

import asyncio
import json
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from webds import jail
from webds.config import is_root
from webds.errors import InfraFault, InputFault, blame
from webds.interpreter import module
from webds.signals import tell
from webds.tracks.layers import in_force
from webds.tracks.sites import Site, data_of
from webds.types import Params
from webds_recorder.archive import read_manifest


def namespace_prefix() -> list[str]:
    """argv that starts a program in a network namespace of its own."""
    rights = [] if is_root() else ["--user", "--map-root-user"]
    return ["unshare", *rights, "--net", "--kill-child=SIGKILL", "--"]


@cache
def namespaces() -> str:
    """Empty where a network namespace can be made, else the reason in one line."""
    if not shutil.which("unshare") or not shutil.which("nsenter"):
        return "unshare and nsenter (util-linux) are not installed"
    done = subprocess.run([*namespace_prefix(), "true"], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else " ".join(done.stderr.split()) or "unshare failed"


def choose_isolation(wanted: str) -> tuple[str, str]:
    """(`namespace` or `none`, warning). `wanted` is config field isolation: auto, namespace or none."""
    why = "config says isolation = none" if wanted == "none" else namespaces()
    if not why:
        return "namespace", ""
    if wanted == "namespace":
        raise InputFault(f"config: field isolation: namespace, but this host allows none: {why}")
    return "none", f"no network namespace ({why}): browser and proxy share the host's network"


class ProcessWorld:
    """Runs and talks to one entry point. `facts` goes into run.json."""

    def __init__(
        self, root: Path, sites: list[Site], isolation: str, archives: Mapping[str, Path] | None = None
    ) -> None:
        """`archives`: site name -> archive folder; a site without one is served by its app."""
        self.sites = sites
        self._manifests = [read_manifest(folder) for folder in (archives or {}).values()]
        self._archives = {name: str(folder) for name, folder in (archives or {}).items()}
        self.facts: Params = {
            "provider": "process",
            "isolation": isolation,
            "layers": in_force(isolation, jail.mechanism()),
            "sites": {s.name: data_of(s) for s in sites},
            "archives": {name: _digest(folder) for name, folder in (archives or {}).items()},
        }
        self._root = root
        self._namespace = isolation == "namespace"
        self._process: asyncio.subprocess.Process | None = None
        self._ready: dict[str, Any] = {}
        self._lock = asyncio.Lock()
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def start(self, scratch: Path, seconds: float) -> None:
        """Start the entry point and wait until it is ready. InfraFault after `seconds`."""
        self._process = await asyncio.create_subprocess_exec(
            *self._command(scratch),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            preexec_fn=jail.die_with_parent,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(self._config(scratch)).encode() + b"\n")
        async with asyncio.timeout(seconds):
            line = await self._process.stdout.readline()
        if not line:
            raise InfraFault("the entry point ended before it was ready", "start world")
        self._ready = json.loads(line)
        if not self._ready["ready"]:
            raise InputFault(str(self._ready["why"]))
        self._streams = await asyncio.open_unix_connection(self._ready["control"])

    def _command(self, scratch: Path) -> list[str]:  # noqa: ARG002 - another provider shows it to its container
        """argv of the entry point, in a namespace of its own where the host allows one."""
        prefix = namespace_prefix() if self._namespace else []
        return [*prefix, *module("webds.tracks.entry")]

    def _config(self, scratch: Path) -> dict[str, Any]:
        sites = [
            {
                "name": s.name,
                "folder": str(s.folder),
                "frozen": s.frozen.isoformat(),
                "archive": self._archives.get(s.name, ""),
            }
            for s in self.sites
        ]
        return {"root": str(self._root), "sites": sites, "scratch": str(scratch), "namespace": self._namespace}

    async def stop(self) -> None:
        """End the entry point and everything in it."""
        if self._streams is not None:
            self._streams[1].close()
        if self._process is not None and self._process.returncode is None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            try:
                await asyncio.wait_for(self._process.wait(), 5)
            except TimeoutError:
                tell(self._process)
                await self._process.wait()

    async def _ask(self, command: dict[str, Any], seconds: float = 20) -> dict[str, Any]:
        assert self._streams is not None
        reader, writer = self._streams
        with blame(InfraFault, f"world: {command['do']}"):
            async with self._lock, asyncio.timeout(seconds):
                writer.write(json.dumps(command).encode() + b"\n")
                await writer.drain()
                line = await reader.readline()
            answer: dict[str, Any] = json.loads(line) if line else {"ok": False, "why": "the world has ended"}
        return answer

    async def healthy(self) -> bool:
        """Whether site server and proxy are alive."""
        try:
            return bool((await self._ask({"do": "ping"})).get("ok"))
        except InfraFault:
            return False

    @asynccontextmanager
    async def episode(self, name: str, log: Path) -> AsyncIterator[Params]:
        """A listener for one episode; what the browser needs to come in through it."""
        answer = await self._ask({"do": "open", "name": name, "log": str(log)})
        if not answer.get("ok"):
            raise InfraFault(str(answer.get("why", "no reason given")), "open listener")
        try:
            access = {
                "proxy": f"http://{answer['address']}:{answer['port']}",
                "spki": self._ready["spki"],
                "enter": tuple(self._enter()),
                "frozen": self._clocks(),
                "seed": self._seed(),
                "control": self._ready["control"],
            }
            following = answer.get("following")  # where the next episode's listener will be, so that its browser
            ahead = {**access, "proxy": f"http://{following[0]}:{following[1]}"} if following else None
            yield {**access, "ahead": ahead}  # can be launched before that episode begins
        finally:
            if await self.healthy():
                await self._ask({"do": "close", "name": name})

    def _clocks(self) -> dict[str, int]:
        """Host -> frozen instant in ms, for every host that a page may come from."""
        clocks = {s.host: s.frozen_ms for s in self.sites}
        for manifest in self._manifests:
            instant = int(datetime.fromisoformat(manifest["frozen"]).timestamp() * 1000)
            clocks.update(dict.fromkeys(manifest["hosts"], instant))
        return clocks

    def _seed(self) -> int:
        """Of the pages' random numbers: the first archive's, else 1."""
        return next((int(manifest["seed"]) for manifest in self._manifests), 1)

    def _enter(self) -> list[str]:
        """argv that joins the world's network namespace (and its user namespace where that made it)."""
        if not self._namespace:
            return []
        rights = [] if is_root() else ["--user", "--preserve-credentials"]
        return ["nsenter", f"--target={self._ready['pid']}", *rights, "--net", "--"]


def _digest(folder: Path) -> str:
    """The digest that an archive's manifest pins."""
    return str(read_manifest(folder)["digest"])


@asynccontextmanager
async def serve(
    root: Path, sites: list[Site], isolation: str, seconds: float, archives: Mapping[str, Path] | None = None
) -> AsyncIterator[ProcessWorld]:
    """A started World; its scratch folder goes with it. `archives`: site name -> folder; other sites run their app."""
    with tempfile.TemporaryDirectory(prefix="webds-world-", ignore_cleanup_errors=True) as scratch:
        world = ProcessWorld(root, sites, isolation, archives)
        try:
            with blame(InfraFault, "start world"):
                await world.start(Path(scratch), seconds)
            yield world
        finally:
            await world.stop()
