"""The interfaces between the parts. One-way: this module knows types and errors only.

Invariants: the agent drives, the session records; a refused action is an observation, never an exception; a check
is a pure function of Evidence and AnswerKey, so judging can be repeated offline for ever.
"""

from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from webds.types import Action, AnswerKey, Evidence, Json, Observation, Params, Step, Task, Ungraded, Verdict


class Environment(Protocol):
    """A browser (later a workbook, a desktop). `actions` are JSON-schema tools: {name, description, parameters}."""

    actions: tuple[Params, ...]
    endpoint: str
    """Address for agents that declare needs = "cdp"; empty otherwise."""

    async def observe(self) -> Observation: ...
    async def act(self, action: Action) -> Observation: ...
    async def collect(self, task: Task, into: Path) -> Params: ...


class World(Protocol):
    """Where one worker slot's episodes run, one at a time."""

    facts: Params
    """What run.json says of it: isolation level, site digests, provider."""

    def episode(self, name: str, log: Path) -> AbstractAsyncContextManager[Params]:
        """Access for one episode (proxy address, certificate hash, way into the namespace); requests go to `log`."""
        ...

    async def healthy(self) -> bool: ...


class Track(Protocol):
    """How a World gets its sites. `needs` comes from the suite, e.g. {"sites": ("grid-workbook",)}."""

    def serve(self, needs: Params) -> AbstractAsyncContextManager[World]: ...


class Suite(Protocol):
    """Reads tasks, and opens an Environment for one."""

    def tasks(self) -> Iterable[Task]: ...
    def needs(self, tasks: Iterable[Task]) -> Params: ...
    def open(
        self, task: Task, access: Params, recorder: "Recorder", work: Path
    ) -> AbstractAsyncContextManager[Environment]:
        """`access` is what World.episode gave; `work` the folder that tools and downloads share."""
        ...

    async def close(self) -> None: ...


class Session(Protocol):
    """All that an agent holds for one episode. Its public names are these and no others (contract test)."""

    @property
    def task(self) -> Task: ...
    @property
    def actions(self) -> tuple[Params, ...]: ...
    @property
    def endpoint(self) -> str: ...
    async def observe(self) -> Observation: ...
    async def act(self, action: Action) -> Observation: ...
    async def acted(self, action: Action) -> Observation: ...
    async def submit(self, answer: str, files: Iterable[str] = (), unachievable: str = "") -> None: ...


class Recorder(Protocol):
    """Writes an episode down as it happens; every write is on disk before it returns."""

    def blob(self, data: bytes) -> str: ...
    def append(self, step: Step, at: str, seconds: float, usage: Params) -> None: ...
    def close(self) -> str: ...


class Agent(Protocol):
    """Drives a session until it submits or leaves."""

    async def solve(self, session: Session) -> None: ...


class KeyRing(Protocol):
    """Finds the key of a task; only the judge, the validator and the oracle have one."""

    def key(self, task: str) -> AnswerKey: ...


class Judge(Protocol):
    """Grades one evidence. `folder` is the try's folder, against which `Evidence.files` paths are resolved."""

    async def grade(self, evidence: Evidence, folder: Path, key: AnswerKey) -> Verdict | Ungraded: ...


class CheckFunction(Protocol):
    """A check kind: pure, bounded in time and memory. Returns passed, one sentence, and both parsed values."""

    def __call__(self, evidence: Evidence, folder: Path, params: Params) -> tuple[bool, str, Mapping[str, Json]]: ...
