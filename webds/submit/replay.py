"""*replayed*: the recorded actions once more, on this server's own frozen sites, and what was seen compared with it.

The replay is a run of agent `replay` in a process of its own. Where it agrees step by step, the server judges what its
own replay left (answer, files, forum), not what the bundle brought: a forged end state is worth nothing.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webds.codec import load
from webds.config import child_environment
from webds.errors import InfraFault
from webds.store import RunFolder, read_lines
from webds.submit.bundle import Manifest
from webds.submit.secrets import SCRUBBED
from webds.types import Observation, Step

TOOLS = ("python", "sql")
_SETTINGS = ("viewport", "device_scale", "colour_scheme", "screenshot", "locale", "zone")
_VIEW = ("url", "title", "result", "downloads")
"""What of an observation's view is content; the rest says how fast a page was."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A step whose replay shows something else: `tool` where it is a python or sql call."""

    task: str
    step: int
    what: str
    tool: bool = False


@dataclass(slots=True)
class Replayed:
    """`wrong`: why the run stays *reported*. `unstable`: calls that differ from themselves, so they prove nothing."""

    folder: Path
    wrong: list[Difference] = field(default_factory=list)
    unstable: list[Difference] = field(default_factory=list)


def replay(root: Path, bundle: Path, into: Path, manifest: Manifest, seconds: float = 6 * 3600) -> Replayed:
    """Replay the unpacked bundle into the run folder `into`. InfraFault: the replay itself broke."""
    _run(root, bundle, into, manifest, (), seconds)
    found = Replayed(into)
    differing = list(compared(bundle, into))
    again = {item.task for item in differing if item.tool}
    second = into.with_name(f"{into.name}-again")
    if again:
        _run(root, bundle, second, manifest, sorted(again), seconds)
        unsteady = {(item.task, item.step) for item in compared(into, second, set(again))}
        found.unstable = [item for item in differing if item.tool and (item.task, item.step) in unsteady]
    found.wrong = [item for item in differing if item not in found.unstable]
    return found


def _run(
    root: Path, bundle: Path, into: Path, manifest: Manifest, tasks: list[str] | tuple[()], seconds: float
) -> None:
    config = manifest.head.get("config")
    table = config if isinstance(config, Mapping) else {}
    sets = [f"agents.replay.run={json.dumps(str(bundle))}", *_words({k: table[k] for k in _SETTINGS if k in table})]
    named = list(tasks) or list(manifest.tasks)
    words = [
        sys.executable,
        "-P",
        "-m",
        "webds",
        "run",
        "--agent",
        "replay",
        "--split",
        manifest.split,
        "--root",
        str(root),
    ]
    words += [word for item in sets for word in ("--set", item)] + ["--tasks", ",".join(named), "--out", str(into)]
    env = child_environment()
    env.pop("WEBDS_PRIVATE_KEY_FILE", None)
    try:
        done = subprocess.run([*words, "--json"], capture_output=True, text=True, timeout=seconds, env=env, check=False)
    except subprocess.TimeoutExpired as error:
        raise InfraFault(f"not done after {seconds:g} s", "replay") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise InfraFault(last[:300], "replay")


def _words(table: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _words(value, f"{prefix}{name}.")
        elif isinstance(value, str | int | float) and str(name).isidentifier():
            yield f"{prefix}{name}={json.dumps(value)}"


def compared(recorded: Path, replayed: Path, tasks: set[str] | None = None) -> Iterator[Difference]:
    """The first step of each task whose page differs, and every tool call before it whose output does."""
    ours = {item.evidence.task: item for item in RunFolder.view(replayed).committed()}
    for item in RunFolder.view(recorded).committed():
        task = item.evidence.task
        if tasks is not None and task not in tasks:
            continue
        if task not in ours:
            yield Difference(task, 0, "the replay has no episode of it")
            continue
        yield from _steps(task, read_steps(item.folder), read_steps(ours[task].folder))
        theirs = {file.name: file.sha256 for file in item.evidence.files}
        if theirs != {file.name: file.sha256 for file in ours[task].evidence.files}:
            yield Difference(task, item.evidence.steps, "the replay leaves other files", tool=True)


def read_steps(folder: Path) -> list[Step]:
    """The steps of a try in order."""
    path = folder / "trajectory.jsonl"
    return [load(Step, row, str(path)) for row in read_lines(path)]


def _steps(task: str, recorded: list[Step], replayed: list[Step]) -> Iterator[Difference]:
    for number, step in enumerate(recorded):
        if number >= len(replayed):
            yield Difference(task, number, "the replay ended before it")
            return
        again = replayed[number]
        if step.did.name in TOOLS:
            if not _same(step.then, again.then):
                yield Difference(task, number, f"{step.did.name} gives another output", tool=True)
            continue
        tooled = number > 0 and recorded[number - 1].did.name in TOOLS
        if not tooled and not _same(step.saw, again.saw):
            yield Difference(task, number, f"what was seen before {step.did.name}: an unreported change, or invented")
            return
        if not _same(step.then, again.then):
            yield Difference(task, number, f"what {step.did.name} led to is not what the site shows")
            return


def _same(recorded: Observation, replayed: Observation) -> bool:
    """Text, refusal and what of the view is content. Pictures are not compared: fonts differ between machines."""
    pairs = [(recorded.text, replayed.text), (recorded.refused, replayed.refused)]
    pairs += [(str(recorded.view.get(name, "")), str(replayed.view.get(name, ""))) for name in _VIEW]
    return all(_reads_as(theirs, ours) for theirs, ours in pairs)


def _reads_as(recorded: str, replayed: str) -> bool:
    """Equal, where [scrubbed] stands for anything on one line."""
    if recorded == replayed:
        return True
    first, *rest = recorded.split(SCRUBBED)
    if not rest or not replayed.startswith(first):
        return False
    at = len(first)
    for number, piece in enumerate(rest):
        last = number == len(rest) - 1
        found = len(replayed) - len(piece) if last else replayed.find(piece, at)
        if found < at or not replayed.startswith(piece, found) or "\n" in replayed[at:found]:
            return False
        at = found + len(piece)
    return True
