"""*replayed*: the recorded actions once more, on this server's own frozen sites, and what was seen compared with it.

The replay is a run of agent `replay` in a process of its own. Where it agrees step by step, the server judges what its
own replay left (answer, files, forum), not what the bundle brought: a forged end state is worth nothing.
"""

import json
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webds import interpreter
from webds.config import child_environment
from webds.errors import InfraFault
from webds.store import Committed, RunFolder
from webds.submit import captured
from webds.submit.bundle import DOCKERIZED, LIVE, Manifest, named
from webds.submit.compare import Difference, Tries, by_task, compared, unsteady
from webds.tracks.live import ARCHIVE
from webds.types import Ending

_SETTINGS = ("viewport", "device_scale", "colour_scheme", "screenshot", "locale", "zone")


@dataclass(slots=True)
class Replayed:
    """`wrong`: why the run stays *reported*. `unstable`: calls that differ from themselves, so they prove nothing."""

    tries: dict[tuple[str, int], Committed] = field(default_factory=dict)
    """By task and repeat, what the replay left."""
    wrong: list[Difference] = field(default_factory=list)
    unstable: list[Difference] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Part:
    """Episodes of one repeat that one run replays; `archive`: what it is served in place of the sites."""

    repeat: int
    items: Sequence[Committed]
    archive: Path | None = None


def hindrance(bundle: Path, manifest: Manifest) -> str:
    """Why the unpacked bundle cannot be replayed, or "".

    Private tasks only on our own frozen sites: what a team captured itself would prove its own pages.
    """
    if manifest.track == DOCKERIZED:
        return ""
    if manifest.track != LIVE or manifest.split == "private":
        of = f"track {manifest.track[:40]}" + (", private split" if manifest.split == "private" else "")
        return f"{of}: not replayed, so it stays reported"
    for item in _to_replay(bundle):
        if not captured.there(item.folder):
            name = named(*item.key, manifest.repeat > 1)
            return f"track live: {name} has no archive (--capture): not replayed, so it stays reported"
    return ""


def _to_replay(bundle: Path) -> list[Committed]:
    """All but what a live site refused: there is nothing to see again."""
    return [item for item in RunFolder.view(bundle).committed() if item.evidence.ending is not Ending.BLOCKED]


def replay(root: Path, bundle: Path, into: Path, manifest: Manifest, seconds: float = 6 * 3600) -> Replayed:
    """Replay the unpacked bundle, into run folders under `into`. InfraFault: the replay itself broke.

    Tasks that differ are replayed once more: what differs between the two replays (a form's token, a download's digest,
    a call that prints the time) is nothing that the run could have had equal.
    """
    done = Replayed()
    for number, part in enumerate(_parts(bundle, manifest)):
        _replay(part, into / str(number), Run(root, bundle, manifest, seconds), done)
    return done


def _parts(bundle: Path, manifest: Manifest) -> Iterator[Part]:
    """A replay has one episode of each task, so each repeat is a run of its own, and so is what has its own archive."""
    if manifest.track == LIVE:
        for item in _to_replay(bundle):
            yield Part(item.evidence.repeat, [item], item.folder / ARCHIVE)
        return
    items = list(RunFolder.view(bundle).committed())
    for repeat in sorted({item.evidence.repeat for item in items}):
        yield Part(repeat, [item for item in items if item.evidence.repeat == repeat])


def _replay(part: Part, into: Path, run: "Run", done: Replayed) -> None:
    run(part, into, [item.evidence.task for item in part.items])
    first = by_task(into)
    done.tries |= {(task, part.repeat): item for task, item in first.items()}
    tasks = {found.task for found in compared(part.items, first)}
    if not tasks:
        return
    second = into.with_name(f"{into.name}-again")
    run(part, second, sorted(tasks))
    found = settled([item for item in part.items if item.evidence.task in tasks], first, by_task(second))
    done.tries |= found.tries
    done.wrong += found.wrong
    done.unstable += found.unstable


def settled(items: Sequence[Committed], first: Tries, second: Tries) -> Replayed:
    """What two replays of episodes of one repeat say of them. An episode has to agree with one of the two.

    The first may be the odd one out, where a page came late on a busy machine.
    """
    done = Replayed()
    for item in items:
        task = item.evidence.task
        loose = unsteady(first[task], second[task]) if task in first and task in second else set()
        exact = not any(compared([item], second))
        for one, other in ((second, first), (first, second)) if exact else ((first, second), (second, first)):
            wrong, unstable = _sorted(compared([item], one, other), loose)
            left = one.get(task)
            if not wrong:
                break
        done.tries |= {item.key: left} if left is not None else {}
        done.wrong += wrong
        done.unstable += unstable
    return done


def _sorted(differences: Iterable[Difference], loose: set[int]) -> tuple[list[Difference], list[Difference]]:
    """(what is wrong, what differs from itself). `loose`: steps of calls that do."""
    found = list(differences)
    unstable = [item for item in found if item.loose or item.step in loose]
    return [item for item in found if item not in unstable], unstable


@dataclass(frozen=True, slots=True)
class Run:
    """`webds run --agent replay` of a bundle, in a process of its own."""

    root: Path
    bundle: Path
    manifest: Manifest
    seconds: float

    def __call__(self, part: Part, into: Path, tasks: Sequence[str]) -> None:
        """InfraFault: it failed, or took too long."""
        words = interpreter.module("webds", "run", "--agent", "replay", "--split", self.manifest.split)
        words += ["--root", str(self.root), "--tasks", ",".join(tasks), "--out", str(into), "--json", "--strict-lock"]
        words += [word for item in self._sets(part) for word in ("--set", item)]
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, timeout=self.seconds, env=child_environment(), check=False
            )
        except subprocess.TimeoutExpired as error:
            raise InfraFault(f"not done after {self.seconds:g} s", "replay") from error
        if done.returncode:
            raise InfraFault(_last_words(done.stderr)[:300], "replay")

    def _sets(self, part: Part) -> list[str]:
        config = self.manifest.head.get("config")
        table = config if isinstance(config, Mapping) else {}
        sets = [f"agents.replay.run={json.dumps(str(self.bundle))}", f"agents.replay.repeat={part.repeat}"]
        sets += [f"archive={json.dumps(str(part.archive))}"] if part.archive is not None else []
        return [*sets, *_words({name: table[name] for name in _SETTINGS if name in table})]


def _last_words(said: str) -> str:
    """The last line that says something: a traceback may end in marks."""
    lines = [line.strip(" |+-^~") for line in said.splitlines()]
    return next((line for line in reversed(lines) if re.search(r"\w{3}", line)), "it said nothing")


def _words(table: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _words(value, f"{prefix}{name}.")
        elif isinstance(value, str | int | float) and str(name).isidentifier():
            yield f"{prefix}{name}={json.dumps(value)}"
