"""The runner's children: a worker a slot, and one judge. JSON lines over pipes; all of them die with the runner."""

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from webds import jail, scratch
from webds.clock import limit
from webds.errors import DiskFull, InfraFault, InputFault
from webds.interpreter import module
from webds.signals import tell

LINE = 64 << 20


class Child:
    """A Python module as a process that answers one JSON line with one JSON line."""

    def __init__(self, words: Sequence[str], log: Path, env: Mapping[str, str] | None = None) -> None:
        """`env`: its whole environment, else ours."""
        self._words = words
        self._env = env
        self._log = log
        self._process: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start the process; what it prints to stderr goes to the log file."""
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *module(*self._words),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=LINE,
                env=self._env,
                start_new_session=True,
                preexec_fn=jail.die_with_parent,
            )

    async def ask(self, message: Any, seconds: float | None) -> dict[str, Any]:
        """One question and its answer. InfraFault if the process ends or takes longer than `seconds`."""
        async with self._lock:
            try:
                async with limit(seconds):
                    await self._send(message)
                    return await self.answer()
            except TimeoutError as error:
                await self.kill()
                raise InfraFault(f"no answer within {seconds:g} s", self._words[0]) from error

    async def _send(self, message: Any) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError) as error:
            raise InfraFault("the process has ended", self._words[0]) from error

    async def answer(self) -> dict[str, Any]:
        """The next line. InfraFault with the log's last line if the process ended instead."""
        assert self._process is not None
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        if not line.endswith(b"\n"):
            await self.kill()
            raise InfraFault(f"the process ended: {self._last_words()}", self._words[0])
        value: dict[str, Any] = json.loads(line)
        return value

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines()[-1:] if self._log.exists() else []
        return lines[0][:300] if lines else "it said nothing"

    async def stop(self, seconds: float = 10) -> None:
        """Close its input, which ends it; kill it and its group if it stays longer than `seconds`."""
        if self._process is None or self._process.returncode is not None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), seconds)
        except TimeoutError:
            await self.kill()

    async def cancel(self, seconds: float = 5) -> None:
        """Ask the process to clean up and end now, in the middle of whatever it does; kill it after `seconds`."""
        if self._process is None or self._process.returncode is not None:
            return
        tell(self._process, signal.SIGTERM)
        try:
            await asyncio.wait_for(self._process.wait(), seconds)
        except TimeoutError:
            await self.kill()

    async def kill(self) -> None:
        """End the process and its group at once."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()


class Worker(Child):
    """One slot. `setup` is the worker's first line; `world` what it says of its World."""

    def __init__(
        self, setup: dict[str, Any], log: Path, env: Mapping[str, str] | None = None, temporary: Path | None = None
    ) -> None:
        """`temporary`: the folder that `env` names for what is temporary; what is left in it is cleared away."""
        super().__init__(("webds.worker",), log, env)
        self._setup = setup
        self._temporary = temporary
        self.world: dict[str, Any] = {}

    async def ready(self, seconds: float) -> None:
        """Start, if it does not run, and wait for its World. InfraFault or InputFault with the reason."""
        if self.alive:
            return
        await asyncio.to_thread(self._clear)
        await self.start()
        answer = refuse(await self.ask(self._setup, seconds))
        self.world = answer["world"]

    def _clear(self) -> None:
        """Nothing of the last process may be left: neither its children nor its files."""
        if self._temporary is not None:
            scratch.end(self._temporary)
            self._temporary.mkdir()


def refuse(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer, unless it says `failed`."""
    if "failed" not in answer:
        return answer
    if answer.get("input"):
        raise InputFault(answer["failed"])
    raise DiskFull(answer["failed"]) if answer.get("disk") else InfraFault(answer["failed"])
