"""One try of one episode, from an open World to Evidence. Running, recording and reporting stay apart."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
from webds.ports import Agent, Recorder, Suite, World
from webds.session import EpisodeSession, Face, monotonic
from webds.store import read_lines
from webds.types import Ending, Evidence, File, Params, Task

FILES_CAP = 200
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


class _Record:
    """How the episode went, filled in as it goes."""

    def __init__(self) -> None:
        self.ending = Ending.INFRA
        self.why = "the episode never began"
        self.session: EpisodeSession | None = None
        self.findings: dict[str, Any] = {}


async def run(spec: Spec, suite: Suite, world: World, agent: Agent, recorder: Recorder, label: str) -> Evidence:
    """Run one try to its end. What agent or infrastructure do is in the Evidence; only DiskFull is raised."""
    record = _Record()
    name = f"{spec.task.id}~{spec.repeat}/{spec.attempt}"
    try:
        with blame(InfraFault, "episode"):
            async with world.episode(name, spec.folder / "requests.jsonl") as access:
                await _inside(spec, suite, access, agent, recorder, record)
    except Fault as fault:
        record.ending, record.why = _attribute(fault), str(fault)
        if isinstance(fault, DiskFull):
            raise
    if record.session is not None and isinstance(record.session.failure, DiskFull):
        raise record.session.failure
    return _evidence(spec, record, recorder, label)


async def _inside(spec: Spec, suite: Suite, access: Params, agent: Agent, recorder: Recorder, record: _Record) -> None:
    work = spec.folder / "files"
    async with suite.open(spec.task, access, recorder, work) as environment:
        record.session = session = EpisodeSession(spec.task, environment, recorder, monotonic)
        record.ending, record.why = await _solve(agent, session)
        session.close()
        if record.ending is not Ending.INFRA:
            record.findings.update(await environment.collect(spec.task, spec.folder))


async def _solve(agent: Agent, session: EpisodeSession) -> tuple[Ending, str]:
    """Let the agent drive; say how it stopped. What the session remembers counts more than what the agent raises."""
    seconds = session.task.budget.seconds or None
    try:
        async with asyncio.timeout(seconds) as clock:
            with blame(AgentFault, "agent"):
                await agent.solve(Face(session))
    except TimeoutError:
        return Ending.LIMIT, "seconds"
    except LimitReached as limit:
        return Ending.LIMIT, limit.which
    except PortClosed:
        pass
    except AgentFault as fault:
        if clock.expired():
            return Ending.LIMIT, "seconds"
        if session.failure is None and session.submission is None:
            return Ending.AGENT_FAULT, str(fault)
    except Fault as fault:
        return _attribute(fault), str(fault)
    return _settled(session)


def _settled(session: EpisodeSession) -> tuple[Ending, str]:
    failure = session.failure
    if isinstance(failure, LimitReached):
        return Ending.LIMIT, failure.which
    if isinstance(failure, Fault):
        return _attribute(failure), str(failure)
    return (Ending.SUBMITTED, "") if session.submission is not None else (Ending.GAVE_UP, "left without submit")


def _attribute(fault: Fault) -> Ending:
    return next((ending for kind, ending in _ENDINGS if isinstance(fault, kind)), Ending.INFRA)


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
        ending=record.ending,
        why=record.why,
        answer=submission.answer if submission is not None else "",
        unachievable=submission.unachievable if submission is not None else "",
        files=files,
        findings=findings,
        steps=session.steps if session is not None else 0,
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
