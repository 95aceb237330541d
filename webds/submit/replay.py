"""*replayed*: the recorded actions once more, on this server's own frozen sites, and what was seen compared with it.

The replay is a run of agent `replay` in a process of its own. Where it agrees step by step, the server judges what its
own replay left (answer, files, forum), not what the bundle brought: a forged end state is worth nothing.
"""

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from webds import interpreter
from webds.codec import load
from webds.config import child_environment
from webds.errors import InfraFault
from webds.store import RunFolder, read_lines
from webds.submit.bundle import Manifest
from webds.submit.secrets import SCRUBBED
from webds.types import Observation, Step

TOOLS = ("python", "sql")
_SETTINGS = ("viewport", "device_scale", "colour_scheme", "screenshot", "locale", "zone")
_TOKEN = 100
"""Most characters of a line that may differ where the server's own replays do."""
_VIEW = ("url", "title", "result")
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
    """Replay the unpacked bundle into the run folder `into`. InfraFault: the replay itself broke.

    Tasks that differ are replayed once more: what differs between the two replays (a form's token, a download's digest,
    a call that prints the time) is nothing that the run could have had equal.
    """
    _run(root, bundle, into, manifest, (), seconds)
    tasks = {item.task for item in compared(bundle, into)}
    if not tasks:
        return Replayed(into)
    second = into.with_name(f"{into.name}-again")
    _run(root, bundle, second, manifest, sorted(tasks), seconds)
    unsteady = {(item.task, item.step) for item in compared(into, second) if item.tool}
    differing = list(compared(bundle, into, second))
    unstable = [item for item in differing if item.tool and (item.task, item.step) in unsteady]
    return Replayed(into, [item for item in differing if item not in unstable], unstable)


def _run(
    root: Path, bundle: Path, into: Path, manifest: Manifest, tasks: list[str] | tuple[()], seconds: float
) -> None:
    config = manifest.head.get("config")
    table = config if isinstance(config, Mapping) else {}
    sets = [f"agents.replay.run={json.dumps(str(bundle))}", *_words({k: table[k] for k in _SETTINGS if k in table})]
    named = list(tasks) or list(manifest.tasks)
    words = interpreter.module("webds", "run", "--agent", "replay", "--split", manifest.split, "--root", str(root))
    words += [word for item in sets for word in ("--set", item)] + ["--tasks", ",".join(named), "--out", str(into)]
    words += ["--json"]
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=seconds, env=child_environment(), check=False
        )
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


def compared(recorded: Path, replayed: Path, again: Path | None = None) -> Iterator[Difference]:
    """The first step of each task whose page differs, and every tool call before it whose output does.

    `again`: a second replay; where the two replays differ from each other within a line, that place is not compared.
    """
    ours = {item.evidence.task: item for item in RunFolder.view(replayed).committed()}
    others = {item.evidence.task: item for item in RunFolder.view(again).committed()} if again is not None else {}
    for item in RunFolder.view(recorded).committed():
        task = item.evidence.task
        if task not in ours:
            yield Difference(task, 0, "the replay has no episode of it")
            continue
        mine = read_steps(ours[task].folder)
        second = read_steps(others[task].folder) if task in others else mine
        yield from _steps(task, read_steps(item.folder), mine, second if len(second) == len(mine) else mine)
        theirs = {file.name: file.sha256 for file in item.evidence.files}
        if theirs != {file.name: file.sha256 for file in ours[task].evidence.files}:
            yield Difference(task, item.evidence.steps, "the replay leaves other files", tool=True)


def read_steps(folder: Path) -> list[Step]:
    """The steps of a try in order."""
    path = folder / "trajectory.jsonl"
    return [load(Step, row, str(path)) for row in read_lines(path)]


def _steps(task: str, recorded: list[Step], replayed: list[Step], again: list[Step]) -> Iterator[Difference]:
    for number, step in enumerate(recorded):
        if number >= len(replayed):
            yield Difference(task, number, "the replay ended before it")
            return
        mine, other = replayed[number], again[number]
        if step.did.name in TOOLS:
            if not _same(step.then, mine.then, mine.then):
                yield Difference(task, number, f"{step.did.name} gives another output", tool=True)
            continue
        tooled = number > 0 and recorded[number - 1].did.name in TOOLS
        if not tooled and not _same(step.saw, mine.saw, other.saw):
            yield Difference(task, number, f"what was seen before {step.did.name}: an unreported change, or invented")
            return
        if not _same(step.then, mine.then, other.then):
            yield Difference(task, number, f"what {step.did.name} led to is not what the site shows")
            return


def _same(recorded: Observation, replayed: Observation, again: Observation) -> bool:
    """Text, refusal and what of the view is content. Pictures are not compared: fonts differ between machines."""
    texts = [(seen.text, seen.refused, *(str(seen.view.get(name, "")) for name in _VIEW), _downloads(seen))
             for seen in (recorded, replayed, again)]  # fmt: skip
    return all(_reads_as(*three) for three in zip(*texts, strict=True))


def _downloads(seen: Observation) -> str:
    """Name and address of each file that was downloaded, a line each; the digest of a new one stands in the text."""
    found = seen.view.get("downloads")
    rows = found if isinstance(found, list | tuple) else ()
    return "\n".join(f"{row.get('name')} {row.get('url')}" for row in rows if isinstance(row, Mapping))


def _reads_as(recorded: str, replayed: str, again: str) -> bool:
    """Line by line equal, but where [scrubbed] stands or the two replays differ from each other."""
    if recorded == replayed:
        return True
    theirs, mine, other = recorded.split("\n"), replayed.split("\n"), again.split("\n")
    if len(theirs) != len(mine):
        return False
    other = other if len(other) == len(mine) else mine
    return all(_line(*three) for three in zip(theirs, mine, other, strict=True))


def _line(recorded: str, replayed: str, again: str) -> bool:
    if recorded == replayed:
        return True
    if replayed != again:
        head = _shared(replayed, again)
        tail = _shared(replayed[len(head) :][::-1], again[len(head) :][::-1])[::-1]
        loose = len(recorded) - len(head) - len(tail)
        return 0 <= loose <= _TOKEN and recorded.startswith(head) and recorded.endswith(tail)
    pieces = [re.escape(piece) for piece in recorded.split(SCRUBBED)]
    return len(pieces) > 1 and re.fullmatch(".*".join(pieces), replayed) is not None


def _shared(one: str, other: str) -> str:
    """What both begin with, back to where a word begins: two random tokens may share letters by chance."""
    length = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return re.sub(r"[A-Za-z0-9_-]+$", "", one[:length]) if length < max(len(one), len(other)) else one[:length]
