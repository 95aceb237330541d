"""Real run folders for the tests, made through webds.store."""

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webds.codec import canonical, digest, sha256
from webds.store import RunFolder, append_line, commit, write_atomic, write_verdict
from webds.types import Action, Ending, Evidence, File, JudgeStamp, Observation, Part, Step, Ungraded, Verdict

JUDGE = JudgeStamp(name="tier1", version="1")


def png(shade: int, width: int = 64, height: int = 45) -> bytes:
    """A grey picture with a dark band, as real PNG bytes."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = [bytes([shade // 3 if y < height // 6 else shade]) * width for y in range(height)]
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def blob(run: RunFolder, data: bytes) -> str:
    name = sha256(data)
    path = run.path / "blobs" / name[:2] / name
    if not path.exists():
        write_atomic(path, data)
    return name


@dataclass(frozen=True, kw_only=True)
class Act:
    """One step to record: what was done, and the observation that followed."""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)
    text: str = "page"
    refused: str = ""
    view: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 1.5


@dataclass(frozen=True, kw_only=True)
class Episode:
    """What the builder makes of one try."""

    task: str
    repeat: int = 0
    ending: Ending = Ending.SUBMITTED
    why: str = ""
    answer: str = ""
    passed: bool | None = True
    """None: no verdict."""
    reason: str = "42 equals 42"
    acts: Sequence[Act] = (Act(name="goto", args={"url": "https://grid-workbook.test/"}), Act(name="submit"))
    files: tuple[File, ...] = ()
    requests: Sequence[Mapping[str, Any]] = ()
    parts: tuple[Part, ...] = ()
    ungraded: str = ""
    """The blame of an Ungraded instead of a verdict."""
    usage: Mapping[str, Any] = field(default_factory=dict)


def task(name: str, prompt: str = "How much?", difficulty: str = "easy", **labels: Any) -> dict[str, Any]:
    """A row of run.json's tasks."""
    start = {"url": "https://grid-workbook.test/"}
    return {
        "id": name,
        "labels": labels or {"kind": "qa", "domain": "energy", "multi_hop": False},
        "prompt": prompt,
        "start": start,
        "revision": 1,
        "difficulty": difficulty,
    }


def head(tasks: Sequence[Mapping[str, Any]], repeat: int = 1, **more: Any) -> dict[str, Any]:
    """A run.json as the runner writes it."""
    sites = {"grid-workbook": "sha256:" + "5f" * 32}
    return {
        "id": "20261130-011500-scripted",
        "created": "2026-11-30T01:15:00Z",
        "agent": "scripted",
        "track": "dockerized",
        "repeat": repeat,
        "tasks": list(tasks),
        "plan": [[t["id"], k] for t in tasks for k in range(repeat)],
        "facts": {"isolation": "namespace", "sandbox": "bubblewrap", "sites": sites},
        "key_given": False,
        "versions": {"webds": "0.1.0", "python": "3.12.3", "chromium": "142.0"},
        "config": {"agent": {"name": "scripted"}, "limits": {"steps": 30}},
        "warnings": [],
        **more,
    }


def make_run(path: Path, tasks: Sequence[Mapping[str, Any]], episodes: Sequence[Episode], **more: Any) -> Path:
    """A run folder with these episodes committed, in order; a task given twice gets a further try."""
    run = RunFolder.create(path, head(tasks, **more))
    for episode in episodes:
        add_try(run, episode)
    run.rebuild_index()
    run.release()
    return path


def add_try(run: RunFolder, episode: Episode) -> Path:
    """Record, commit and judge one try; returns its folder."""
    folder = run.new_try(episode.task, episode.repeat)
    last = _record(run, folder, episode)
    for row in episode.requests:
        append_line(folder / "requests.jsonl", row)
    evidence = Evidence(
        task=episode.task,
        revision=1,
        repeat=episode.repeat,
        attempt=int(folder.name[4:]),
        agent="scripted",
        ending=episode.ending,
        why=episode.why,
        answer=episode.answer,
        files=episode.files,
        steps=len(episode.acts),
        usage=episode.usage,
        digests={"trajectory": last},
    )
    name = commit(folder, evidence)
    if episode.ungraded:
        missing = ("value", "unit")
        write_verdict(
            folder, Ungraded(judge=JUDGE, evidence=name, blame=episode.ungraded, why=episode.reason, missing=missing)
        )
    elif episode.passed is not None:
        verdict = Verdict(judge=JUDGE, evidence=name, passed=episode.passed, parts=episode.parts, why=episode.reason)
        write_verdict(folder, verdict)
    return folder


def _record(run: RunFolder, folder: Path, episode: Episode) -> str:
    """Write trajectory.jsonl and timings.jsonl; returns the hash of the last step."""
    saw, prev = Observation(text="blank", view={"url": "about:blank"}), ""
    lines = []
    for index, act in enumerate(episode.acts):
        image = blob(run, png(90 + 30 * (index % 6)))
        then = Observation(text=act.text, image=image, refused=act.refused, view=act.view)
        step = Step(index=index, saw=saw, did=Action(name=act.name, args=act.args), then=then, prev=prev)
        lines.append(canonical(step) + b"\n")
        timing = {"index": index, "at": "2026-11-30T01:15:00Z", "seconds": act.seconds, "usage": {}}
        append_line(folder / "timings.jsonl", timing)
        saw, prev = then, digest(step)
    (folder / "trajectory.jsonl").write_bytes(b"".join(lines))
    return prev
