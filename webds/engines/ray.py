"""Engine `ray`: the same worker processes, each started by an actor on some machine of a Ray cluster.

Checkout, environment and run folder have to be at the same paths on every machine (one image, one shared folder). The
runner, the judge and the keys stay where `webds run` was started. An actor that is lost is a worker that is lost: its
episode is INFRA and starts again from nothing, in a new actor.
"""

import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from webds import config, scratch
from webds.clock import limit
from webds.errors import DiskFull, InfraFault, InputFault, one_line
from webds.runner.children import Worker, refuse
from webds.runner.run import Hire

try:
    import ray
    from ray.exceptions import RayError
except ImportError as missing:
    raise InputFault(f"engine 'ray': Ray is not installed ({missing}): pip install 'webds[ray]'") from missing

_RAY: Any = ray
"""Untyped: the types differ between releases, and Ray may be absent where types are checked."""
SLACK = 30.0
"""Seconds for a message between machines, on top of what the worker may take."""
_STORE_BYTES = 80 << 20
"""A local cluster's object store: messages are small, files go through the run folder."""
_KNOCK_SECONDS = 10.0
_TOKENS = "one that asks for tokens wants RAY_AUTH_MODE=token here too (docs/scaling.md)"
_INIT: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0"}
"""Ray sends figures of its use to its makers unless it is told not to."""


class Slot:
    """The actor: one worker of its machine. Answers are the worker's own, also `failed`; nothing is raised."""

    def __init__(self, setup: dict[str, Any], log: str) -> None:
        scratch.sweep()  # what a killed actor left on this machine
        self._stack = ExitStack()
        folder = self._stack.enter_context(scratch.scratch()) / "worker"
        self._worker = Worker(setup, Path(log), config.child_environment(TMPDIR=str(folder)), folder)

    async def here(self) -> None:
        """Answers when the actor has its place."""

    async def ready(self, seconds: float) -> dict[str, Any]:
        """Start the worker; what it says of its World."""
        try:
            await self._worker.ready(seconds)
        except (InfraFault, InputFault) as fault:
            return _failed(fault)
        return {"world": self._worker.world}

    async def ask(self, message: Any, seconds: float | None) -> dict[str, Any]:
        """One order and its answer."""
        try:
            return await self._worker.ask(message, seconds)
        except InfraFault as fault:
            return _failed(fault)

    async def end(self, *, gently: bool) -> None:
        """End the worker, now or after what it does, and clear its files away."""
        await (self._worker.stop() if gently else self._worker.cancel())
        self._stack.close()


def _failed(fault: Exception) -> dict[str, Any]:
    return {"failed": str(fault), "input": isinstance(fault, InputFault), "disk": isinstance(fault, DiskFull)}


class RayWorker(Worker):
    """webds.runner.children.Worker whose process is on another machine."""

    def __init__(self, setup: dict[str, Any], log: Path, start: Callable[[dict[str, Any], str], Any]) -> None:
        super().__init__(setup, log)
        self._start = start
        self._actor: Any = None

    @property
    def alive(self) -> bool:
        """Whether there is an actor, as far as is known here."""
        return self._actor is not None

    async def ready(self, seconds: float) -> None:
        """Get a place in the cluster, for however long that takes, then a World within `seconds`."""
        if self.alive:
            return
        self._actor = self._start(self._setup, str(self._log.resolve()))
        await self._call("here", None)
        self.world = refuse(await self._call("ready", seconds + SLACK, seconds))["world"]

    async def ask(self, message: Any, seconds: float | None) -> dict[str, Any]:
        """As Worker.ask; InfraFault also where the actor or its machine is lost."""
        answer: dict[str, Any] = await self._call("ask", seconds + SLACK if seconds else None, message, seconds)
        return answer

    async def stop(self, seconds: float = 10) -> None:
        """End the worker after what it does, then the actor."""
        await self._end(seconds, gently=True)

    async def cancel(self, seconds: float = 5) -> None:
        """End the worker in the middle of whatever it does, then the actor."""
        await self._end(seconds, gently=False)

    async def kill(self) -> None:
        """End the actor at once; its worker dies with it."""
        actor, self._actor = self._actor, None
        if actor is not None:
            _RAY.kill(actor)

    async def _end(self, seconds: float, *, gently: bool) -> None:
        if self.alive:
            with suppress(RayError, TimeoutError):
                async with limit(seconds + SLACK):
                    await self._actor.end.remote(gently=gently)
        await self.kill()

    async def _call(self, name: str, seconds: float | None, *words: Any) -> Any:
        try:
            async with limit(seconds):
                return await getattr(self._actor, name).remote(*words)
        except RayError as error:
            await self.kill()
            raise InfraFault(one_line(error), "ray actor") from error
        except TimeoutError as error:
            await self.kill()
            raise InfraFault(f"no answer within {seconds:g} s", "ray actor") from error


@contextmanager
def make(table: Mapping[str, Any]) -> Iterator[Hire]:
    """Entry point webds.engines: ray. Fields: address ("" = a cluster of this machine alone), cpus an actor."""
    address = str(table.get("address", ""))
    with _connected(address) if address else _started():
        # Ray has children reaped unseen, which would hide from asyncio how the judge ended.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        actor = _RAY.remote(num_cpus=float(table.get("cpus", 1)), max_restarts=0, max_concurrency=4)(Slot)
        try:
            yield lambda setup, log: RayWorker(setup, log, actor.remote)
        finally:
            _RAY.shutdown()


@contextmanager
def _connected(address: str) -> Iterator[None]:
    try:
        _knock(address)
        with config.environment(**_QUIET):
            _RAY.init(address=address, **_INIT)
    except (OSError, ValueError) as error:
        raise InputFault(f"--address {address}: no Ray cluster there: {one_line(error)}; {_TOKENS}") from error
    yield


def _knock(address: str) -> None:
    """Ray itself tries for minutes where nobody listens. OSError says so at once; ValueError: a port that is none."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon:
        socket.create_connection((host.strip("[]"), int(port)), _KNOCK_SECONDS).close()


@contextmanager
def _started() -> Iterator[None]:
    """A cluster of this machine, with all it keeps in one folder: a sweep ends what a killed run left of it."""
    with scratch.scratch() as folder:
        with config.environment(**_QUIET, WEBDS_SCRATCH=str(folder)):
            _RAY.init(
                address="local",
                include_dashboard=False,
                object_store_memory=_STORE_BYTES,
                _temp_dir=str(folder.resolve()),
                **_INIT,
            )
        yield
