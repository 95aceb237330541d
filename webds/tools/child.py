"""One interpreter inside the sandbox, from outside: start, one call at a time, kill. Nothing it says is trusted."""

import asyncio
import json
import os
import secrets
import signal
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from webds.errors import InfraFault
from webds.jail_groups import Groups
from webds.tools.capture import Capture
from webds.tools.usage import resident, stored
from webds.types import Json

_HEAD = struct.Struct(">I")
_MOST_ANSWER = 1 << 20
_LOOK_SECONDS = 0.25
_START_SECONDS = 60


class Gone(Exception):
    """The interpreter ended or was killed during a call; `str()` says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What the processes inside may use together. Where the kernel bounds a sum, no watcher looks at it."""

    memory: int
    """Bytes in use; watched unless `groups` bound it."""
    disk: int
    """Bytes in the work folder; 0: it is a file system of that size, nothing to watch."""
    groups: Groups
    """Closed when the interpreter has ended."""


class Child:
    """A running interpreter over the folder `work`. Where the folder was fuller than the bound when a call began,
    that call must not add to it."""

    def __init__(self, argv: Sequence[str], work: Path, bounds: Bounds, capture: Capture) -> None:
        self._argv = argv
        self._work = work
        self._bounds = bounds
        self._room = bounds.disk
        self._capture = capture
        self._why = ""
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start it and wait until it answers. Raises InfraFault where it does not: no code of an agent ran yet."""
        pipe = asyncio.subprocess.PIPE
        await self._measure()  # before the watch begins, which would else stop it over what was there already
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._argv, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
            )
        except OSError as error:
            await asyncio.to_thread(self._bounds.groups.close)
            raise InfraFault(str(error), "start sandbox") from error
        assert self._process.stderr
        self._tasks = [asyncio.create_task(self._read(self._process.stderr)), asyncio.create_task(self._watch())]
        try:
            await self.call({"do": "hello"}, _START_SECONDS)
        except Gone as gone:
            said = " ".join(self._capture.text()[0].split())[-300:]
            raise InfraFault(f"{gone} {said}".strip(), "start sandbox") from gone

    async def call(self, request: Mapping[str, Json], seconds: float) -> str:
        """The error text of one request ("" = none); the output is in `capture`. Raises Gone."""
        end = f"\x00{secrets.token_hex(16)}\x00"
        self._capture.begin(end.encode())
        await self._measure()
        answered = False
        try:
            async with asyncio.timeout(seconds):
                error = await self._exchange({**request, "end": end})
            answered = True
            return error
        except TimeoutError:
            self._kill(f"stopped after {seconds:g} s, the limit of one call")
        except (OSError, ValueError, LookupError, TypeError, asyncio.IncompleteReadError):
            await self._broke_off()
        finally:
            if not answered:  # also where the caller was cancelled: a late answer must not meet the next call
                self._kill("given up during a call")
        await self._ended()
        raise Gone(self._why)

    async def close(self) -> None:
        """Kill everything inside and wait until it is gone. May be called twice."""
        if self._process:
            self._kill("closed")
            await self._ended()

    async def _measure(self) -> None:
        if self._bounds.disk:
            self._room = max(self._bounds.disk, await asyncio.to_thread(stored, self._work))

    async def _exchange(self, request: Mapping[str, Json]) -> str:
        assert self._process
        source, target = self._process.stdout, self._process.stdin
        assert source
        assert target
        body = json.dumps(request).encode()
        target.write(_HEAD.pack(len(body)) + body)
        await target.drain()
        size = _HEAD.unpack(await source.readexactly(_HEAD.size))[0]
        if size > _MOST_ANSWER:
            raise ValueError("answer too long")
        error = json.loads(await source.readexactly(size))["error"]
        await self._capture.ended.wait()
        return str(error).encode("utf-8", "replace").decode()

    async def _read(self, source: asyncio.StreamReader) -> None:
        while piece := await source.read(1 << 16):
            self._capture.feed(piece)
        self._capture.close()

    async def _watch(self) -> None:
        """The kernel's limits hold for each process and file; this bounds their sums where no group or size does."""
        assert self._process
        memory = 0 if "memory" in self._bounds.groups.made else self._bounds.memory
        while (memory or self._bounds.disk) and self._process.returncode is None:
            if memory and await asyncio.to_thread(resident, self._process.pid) > memory:
                self._kill(self._too_much())
            if self._bounds.disk and await asyncio.to_thread(stored, self._work) > self._room:
                self._kill(f"stopped: over {self._room >> 20} MB in the work folder")
            await asyncio.sleep(_LOOK_SECONDS)

    def _too_much(self) -> str:
        return f"stopped: over {self._bounds.memory >> 20} MB of memory in use"

    def _kill(self, why: str) -> None:
        self._why = self._why or why
        if self._process:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def _broke_off(self) -> None:
        """Its answers ended or made no sense: say with which exit code, where it has one of its own."""
        assert self._process
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                code = await self._process.wait()
                by_itself = f"the interpreter ended by itself (exit code {code})"
                self._why = self._why or (self._too_much() if self._bounds.groups.met("memory") else by_itself)
        self._kill("the interpreter broke off")

    async def _ended(self) -> None:
        """Wait for the process, and for the end of its output: then nothing inside holds the pipe any more."""
        assert self._process
        await self._process.wait()
        await asyncio.wait(self._tasks[:1], timeout=5)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._process.stdin:
            self._process.stdin.close()
        await asyncio.to_thread(self._bounds.groups.close)
