"""The agent's program: in the sandbox over the episode's work folder, with addresses on its own `lo`, and a log."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from webds import jail
from webds.errors import InfraFault
from webds.tools import room
from webds.tools.room import WORK, Limits

INSIDE = Path(__file__).with_name("inside")
AGENT = "/opt/agent"
"""The agent's own folder inside."""
LOG_BYTES = 2 << 20
_SOCKETS = "/run/webds"
_SCRIPTS = "/opt/webds-relay"
_TAIL = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is started. `env` texts may hold `{api}` and `{cdp}`, the addresses inside, and `{work}`, `{agent}`."""

    words: Sequence[str]
    """The program and its arguments; `python` is this interpreter with its packages."""
    folder: Path | None
    """The agent's own folder, read-only inside; None where it has none."""
    mounts: tuple[str, ...] = ()
    """Further read-only folders under their own names, for a language that is not among the system's programs."""
    env: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)


class Program:
    """One run of an order. `log` gets what it prints, at most LOG_BYTES of it."""

    def __init__(self, order: Order, work: Path, sockets: Mapping[str, Path], log: Path) -> None:
        self._order = order
        self._work = work
        self._sockets = sockets
        self._log = log
        self._how = jail.mechanism()
        self._groups = room.groups(order.limits, self._how)
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._tail = b""

    async def start(self) -> None:
        """Start it. InfraFault where the sandbox cannot be made."""
        argv = await asyncio.to_thread(self._argv)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *argv,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise InfraFault(str(error), "start agent") from error
        self._reading = asyncio.create_task(self._read())

    async def ended(self) -> int:
        """Wait for its exit code."""
        assert self._process is not None
        return await self._process.wait()

    @property
    def last_words(self) -> str:
        """The end of what it printed, as one line."""
        return " ".join(self._tail.decode("utf-8", "replace").split())[-_TAIL:]

    async def kill(self) -> None:
        """End everything inside; may be called twice."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()
        if self._reading is not None:
            await asyncio.wait({self._reading}, timeout=2)
            self._reading.cancel()
        await asyncio.to_thread(self._groups.close)

    def _argv(self) -> list[str]:
        jailed = self._how != "none"
        places = {"work": WORK if jailed else str(self._work), "agent": AGENT if jailed else str(self._order.folder)}
        sockets = {
            name: f"{_SOCKETS}/{name}/{path.name}" if jailed else str(path) for name, path in self._sockets.items()
        }
        env = {name: _filled(text, places) for name, text in self._order.env.items()}
        spec = json.dumps({"sockets": sockets, "env": env})
        script = f"{_SCRIPTS}/relay.py" if jailed else str(INSIDE / "relay.py")
        python = room.executable_inside() if jailed else sys.executable
        words = [_filled(word, places) for word in self._order.words]
        program = [python, *words[1:]] if words[0] in ("python", "python3") else words
        return jail.command(self._jail(), [python, "-I", script, spec, *program], self._how)

    def _jail(self) -> jail.Jail:
        order, limits = self._order, self._order.limits
        base = {"HOME": "/tmp", "LANG": "C.UTF-8", "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1"}  # noqa: S108 - inside
        if self._how == "none":
            return jail.Jail(cwd=str(self._work), env=base, file_size=limits.file_mb << 20)
        pairs = [(str(INSIDE), _SCRIPTS), *((place, place) for place in order.mounts)]
        pairs += [(str(path.parent), f"{_SOCKETS}/{name}") for name, path in self._sockets.items()]
        if order.folder is not None:
            pairs.append((str(order.folder), AGENT))
        uid = self._work.stat().st_uid
        return room.bounded(self._work, limits, uid or jail.NOBODY, self._groups, read_only=tuple(pairs), env=base)

    async def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        left = LOG_BYTES
        with self._log.open("ab") as file:
            while piece := await self._process.stdout.read(1 << 16):
                self._tail = (self._tail + piece)[-4096:]
                file.write(piece[:left])
                file.flush()
                left = max(0, left - len(piece))


def _filled(text: str, places: Mapping[str, str]) -> str:
    for name, value in places.items():
        text = text.replace("{" + name + "}", value)
    return text
