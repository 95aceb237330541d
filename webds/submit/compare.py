"""Is a replay what was recorded? Text, refusals, address, title and results step by step; pictures are not compared."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from webds.codec import load
from webds.store import Committed, RunFolder, read_lines
from webds.submit.secrets import SCRUBBED
from webds.types import Observation, Step

TOOLS = ("python", "sql")
_TOKEN = 100
"""Most characters of a line that may differ where the server's own replays do."""
_WINDOW = re.compile(r"^window: \d+ to \d+ of \d+ pixels\n", re.MULTILINE)
_PLACE = re.compile(r"^(\s*(?:image|svg|canvas|\[\d+\] chart) .*\bat )-?\d+,-?\d+(?=,\d+,\d+\)?$)", re.MULTILINE)
_VIEW = ("url", "title", "result")
"""What of an observation's view is content; the rest says how fast a page was."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A step whose replay shows something else. `loose`: two replays differ there as well."""

    task: str
    step: int
    what: str
    loose: bool = False
    repeat: int = 0

    @property
    def place(self) -> tuple[str, int, int]:
        """Task, repeat and step."""
        return self.task, self.repeat, self.step


def compared(recorded: Iterable[Committed], replayed: Path, again: Path | None = None) -> Iterator[Difference]:
    """The first step of each episode whose page differs, and every python or sql call before it whose output does.

    `replayed`: a run folder with one episode of each task. `again`: another such; where the two replays differ from
    each other within a line, that place is not compared.
    """
    ours = {item.evidence.task: item for item in RunFolder.view(replayed).committed()}
    others = {item.evidence.task: item for item in RunFolder.view(again).committed()} if again is not None else {}
    for item in recorded:
        task, repeat = item.key
        if task not in ours:
            yield Difference(task, 0, "the replay has no episode of it", repeat=repeat)
            continue
        theirs, mine = _content(read_steps(item.folder)), _content(read_steps(ours[task].folder))
        second = _content(read_steps(others[task].folder)) if task in others else mine
        for found in _steps(task, theirs, mine, second if len(second) == len(mine) else mine):
            yield Difference(task, found.step, found.what, repeat=repeat)
        yield from _files(item, ours[task], others.get(task, ours[task]))


def _files(item: Committed, mine: Committed, other: Committed) -> Iterator[Difference]:
    """What was handed in, a file each: only one that the two replays leave differently may differ."""
    theirs, first, second = (
        {file.name: file.sha256 for file in one.evidence.files} for one in (item, mine, other)
    )  # fmt: skip
    for name in sorted(theirs.keys() | first.keys()):
        if theirs.get(name) != first.get(name):
            steady = first.get(name) == second.get(name)
            what = f"the replay leaves another file {name!r:.100}"
            yield Difference(item.evidence.task, item.evidence.steps, what, not steady, item.evidence.repeat)


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
        known = number > 0 and step.saw == recorded[number - 1].then  # compared there
        if not known and not _same(step.saw, mine.saw, other.saw):
            yield Difference(task, number, f"what was seen before {step.did.name}: an unreported change, or invented")
            return
        if step.did.name in TOOLS:
            if not _same(step.then, mine.then, mine.then):
                yield Difference(task, number, f"{step.did.name} gives another output")
        elif not _same(step.then, _led_to(step, replayed, number), _led_to(step, again, number)):
            yield Difference(task, number, f"what {step.did.name} led to is not what the site shows")
            return


def _content(steps: list[Step]) -> list[Step]:
    """Without how far the page was scrolled, and where its pictures therefore stood.

    A browser that goes back restores that within a pixel, and own hands scroll by other amounts than actions do.
    """
    return [replace(step, saw=_anywhere(step.saw), then=_anywhere(step.then)) for step in steps]


def _anywhere(seen: Observation) -> Observation:
    return replace(seen, text=_PLACE.sub(r"\1", _WINDOW.sub("", seen.text, count=1)))


def _led_to(step: Step, replayed: list[Step], number: int) -> Observation:
    """What followed in a replay; for an act of the agent's own hands the look after it (webds.agents.replay)."""
    looked = step.by == "agent" and number + 1 < len(replayed)
    return replayed[number + 1].saw if looked else replayed[number].then


def unsteady(first: Path, second: Path, repeat: int) -> Iterator[tuple[str, int, int]]:
    """Places of the python and sql calls whose output differs between two replays of one repeat."""
    others = {item.evidence.task: item for item in RunFolder.view(second).committed()}
    for item in RunFolder.view(first).committed():
        task = item.evidence.task
        if task not in others:
            continue
        pairs = zip(read_steps(item.folder), read_steps(others[task].folder), strict=False)
        for one, other in pairs:
            if one.did.name in TOOLS and not _same(one.then, other.then, other.then):
                yield task, repeat, one.index


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
