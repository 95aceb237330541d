"""One try of one episode, from an open World to Evidence. Running, recording and reporting stay apart."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webds.clock import awake, limit
from webds.codec import sha256
from webds.errors import (
    AgentFault,
    BlockedFault,
    DiskFull,
    EndpointFault,
    Fault,
    InfraFault,
    LimitReached,
    PortClosed,
    TaskFault,
    blame,
)
from webds.meter import Meter, metering
from webds.ports import Agent, Environment, Recorder, Suite, World
from webds.session import EpisodeSession, Face
from webds.standing import ENDPOINT
from webds.store import read_lines
from webds.types import Budget, Ending, Evidence, File, Params, Task

FILES_CAP = 200
LEFT_RUNNING = "agent_left_running"
"""In findings: the agent went on after its time was up. Its worker is not used again."""
_LEAVE_SECONDS = 3.0
_ENDINGS: tuple[tuple[type[Fault], Ending], ...] = (
    (EndpointFault, Ending.INFRA),
    (InfraFault, Ending.INFRA),
    (TaskFault, Ending.TASK_FAULT),
    (AgentFault, Ending.AGENT_FAULT),
    (BlockedFault, Ending.BLOCKED),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """What the runner asks a worker to do. `folder` is the try's folder, already made."""

    task: Task
    repeat: int
    attempt: int
    folder: Path


@dataclass(frozen=True, slots=True)
class Stop:
    """How an episode stopped. `blame` as in Evidence."""

    ending: Ending
    why: str
    blame: str = ""


OUT_OF_TIME = Stop(Ending.LIMIT, "seconds")


class _Record:
    """How the episode went, filled in as it goes."""

    def __init__(self) -> None:
        self.stop = Stop(Ending.INFRA, "the episode never began")
        self.session: EpisodeSession | None = None
        self.findings: dict[str, Any] = {}
        self.meter = Meter(Budget())


async def run(
    spec: Spec,
    suite: Suite,
    world: World,
    agent: Agent,
    recorder: Recorder,
    label: str,
    limits: Mapping[str, float] | None = None,
) -> Evidence:
    """Run one try to its end. What agent or infrastructure do is in the Evidence; only DiskFull is raised.

    `limits`, in seconds: `episode` where the task has no budget of seconds; `action` for one act or look, for opening
    the environment and for what the task says to collect.
    """
    record = _Record()
    name = f"{spec.task.id}~{spec.repeat}/{spec.attempt}"
    record.meter = Meter(spec.task.budget, name)
    async with awake.ticking():
        try:
            with blame(InfraFault, "episode"):
                async with world.episode(name, spec.folder / "requests.jsonl") as access:
                    await _inside(spec, suite, access, agent, recorder, record, limits or {})
                    await _check_world(world, record)
        except Fault as fault:
            record.stop = _attribute(fault)
            if isinstance(fault, DiskFull):
                raise
    if record.session is not None and isinstance(record.session.failure, DiskFull):
        raise record.session.failure
    return _evidence(spec, record, recorder, label)


async def _inside(
    spec: Spec,
    suite: Suite,
    access: Params,
    agent: Agent,
    recorder: Recorder,
    record: _Record,
    limits: Mapping[str, float],
) -> None:
    act = float(limits.get("action", 0)) or None
    async with AsyncExitStack() as stack:
        async with limit(act):
            opening = suite.open(spec.task, access, recorder, spec.folder / "files")
            environment = await stack.enter_async_context(opening)
        record.session = session = EpisodeSession(spec.task, environment, recorder, awake, act, record.meter)
        seconds = spec.task.budget.seconds or float(limits.get("episode", 0)) or None
        with metering(record.meter):
            record.stop = await _solve(agent, session, seconds, record)
        session.close()
        if record.stop == OUT_OF_TIME:
            await _still_answers(environment, act)
        if record.stop.ending is not Ending.INFRA:
            async with limit(act):
                record.findings.update(await environment.collect(spec.task, spec.folder))


async def _still_answers(environment: Environment, seconds: float | None) -> None:
    """Time spent waiting for a browser that had stopped is not the agent's. InfraFault where it has."""
    try:
        async with limit(seconds):
            await environment.observe()
    except TimeoutError as error:
        raise InfraFault("when the time was up, the environment did not answer either") from error


async def _check_world(world: World, record: _Record) -> None:
    """An agent in front of a dead proxy sees pages that do not load: whatever it made of them is not its fault."""
    if record.stop.ending is not Ending.INFRA and not await world.healthy():
        record.stop = Stop(Ending.INFRA, f"site server or proxy ended meanwhile (the agent: {record.stop.ending})")


async def _solve(agent: Agent, session: EpisodeSession, seconds: float | None, record: _Record) -> Stop:
    """Let the agent drive; say how it stopped. What the session remembers counts more than what the agent raises.

    An agent that does not stop when its time is up is left behind: findings say so, and its worker is not used again.
    """
    driving = asyncio.ensure_future(_driven(agent, session))
    try:
        async with limit(seconds):
            await asyncio.wait({driving})
    except TimeoutError:
        record.findings.update(await _let_go(driving, session))
        spoken = session.submission is not None or session.failure is not None
        return _settled(session) if spoken else OUT_OF_TIME
    except asyncio.CancelledError:
        driving.cancel()
        raise
    return driving.result()


async def _let_go(driving: asyncio.Future[Stop], session: EpisodeSession) -> dict[str, Any]:
    """Cancel the agent and give it a moment; findings where it goes on all the same."""
    driving.cancel()
    await asyncio.wait({driving}, timeout=_LEAVE_SECONDS)
    session.close()
    return {} if driving.done() else {LEFT_RUNNING: True}


async def _driven(agent: Agent, session: EpisodeSession) -> Stop:
    try:
        with blame(AgentFault, "agent"):
            await agent.solve(Face(session))
    except LimitReached as reached:
        return Stop(Ending.LIMIT, reached.which)
    except PortClosed:
        pass
    except AgentFault as fault:
        if session.failure is None and session.submission is None:
            return _attribute(fault)
    except Fault as fault:
        return _attribute(fault)
    return _settled(session)


def _settled(session: EpisodeSession) -> Stop:
    failure = session.failure
    if isinstance(failure, LimitReached):
        return Stop(Ending.LIMIT, failure.which)
    if isinstance(failure, Fault):
        return _attribute(failure)
    return Stop(Ending.SUBMITTED, "") if session.submission is not None else Stop(Ending.GAVE_UP, "left without submit")


def _attribute(fault: Fault) -> Stop:
    ending = next((ending for kind, ending in _ENDINGS if isinstance(fault, kind)), Ending.INFRA)
    return Stop(ending, str(fault), ENDPOINT if isinstance(fault, EndpointFault) else "")


def _evidence(spec: Spec, record: _Record, recorder: Recorder, label: str) -> Evidence:
    session = record.session
    submission = session.submission if session is not None else None
    wanted = set(submission.files) if submission is not None else set()
    files, missing, surplus = _files(spec.folder, wanted)
    findings = {**record.findings, **_requests(spec.folder / "requests.jsonl"), "missing_files": missing}
    findings |= {"files_left_out": surplus} if surplus else {}
    if submission is not None and submission.whole:
        findings["answer_whole"] = submission.whole
    log = spec.folder / "requests.jsonl"
    return Evidence(
        task=spec.task.id,
        revision=spec.task.revision,
        repeat=spec.repeat,
        attempt=spec.attempt,
        agent=label,
        ending=record.stop.ending,
        why=record.stop.why,
        blame=record.stop.blame,
        answer=submission.answer if submission is not None else "",
        unachievable=submission.unachievable if submission is not None else "",
        files=files,
        findings=findings,
        steps=session.steps if session is not None else 0,
        usage=record.meter.total,
        digests={"trajectory": recorder.close(), "requests": sha256(log.read_bytes()) if log.exists() else ""},
    )


def _files(folder: Path, wanted: set[str]) -> tuple[tuple[File, ...], tuple[str, ...], int]:
    """Submitted files, the names that are not there, and 0: only what was handed in is evidence, the rest stays."""
    work = (folder / "files").resolve()
    found: list[File] = []
    missing: list[str] = []
    for name in sorted(wanted)[:FILES_CAP]:
        path = work / name
        inside = path.is_file() and not path.is_symlink() and path.resolve().is_relative_to(work)
        if not inside:
            missing.append(name)
            continue
        data = path.read_bytes()
        found.append(File(name=name, path=f"files/{name}", sha256=sha256(data), size=len(data)))
    return tuple(found), tuple(missing), max(0, len(wanted) - FILES_CAP)


def _requests(log: Path) -> Mapping[str, Any]:
    """Counts of the proxy's log: by outcome, misses of an archive, hits by matching level, blocks by rule."""
    counts = {"served": 0, "blocked": 0, "error": 0, "miss": 0}
    levels: dict[str, int] = {}
    blocks: dict[str, int] = {}
    for row in read_lines(log):
        outcome = str(row.get("outcome"))
        counts[outcome] = counts.get(outcome, 0) + 1
        counts["miss"] += row.get("result") == "miss"
        if level := str(row.get("level") or ""):
            levels[level] = levels.get(level, 0) + 1
        if block := str(row.get("block") or ""):
            blocks[block] = blocks.get(block, 0) + 1
    found = {"requests": counts, "levels": dict(sorted(levels.items()))}
    return {**found, "blocks": dict(sorted(blocks.items()))} if blocks else found
