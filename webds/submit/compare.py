"""Is a replay what was recorded? Text, refusals, address, title and results step by step; pictures are not compared."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from webds.store import Committed, RunFolder, read_steps
from webds.submit import secrets
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


type Tries = Mapping[str, Committed]
"""The one try of each task that a replay's run folder has."""


def by_task(folder: Path) -> dict[str, Committed]:
    """What a replay left."""
    return {item.evidence.task: item for item in RunFolder.view(folder).committed()}


def compared(recorded: Iterable[Committed], replayed: Tries, again: Tries | None = None) -> Iterator[Difference]:
    """The first step of each episode whose page differs, and every python or sql call before it whose output does.

    `again`: another replay; where the two differ from each other within a line, that place is not compared.
    """
    others = again or {}
    for item in recorded:
        task, repeat = item.key
        if task not in replayed:
            yield Difference(task, 0, "the replay has no episode of it", repeat=repeat)
            continue
        theirs, mine = _content(read_steps(item.folder)), _content(read_steps(replayed[task].folder))
        second = _content(read_steps(others[task].folder)) if task in others else mine
        for step, what in _steps(theirs, mine, second if len(second) == len(mine) else mine):
            yield Difference(task, step, what, repeat=repeat)
        yield from _files(item, replayed[task], others.get(task, replayed[task]))


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


def _steps(recorded: list[Step], replayed: list[Step], again: list[Step]) -> Iterator[tuple[int, str]]:
    """(step, what differs)."""
    for number, step in enumerate(recorded):
        if number >= len(replayed):
            yield number, "the replay ended before it"
            return
        mine, other = replayed[number], again[number]
        known = number > 0 and step.saw == recorded[number - 1].then  # compared there
        if not known and not _same(step.saw, mine.saw, other.saw):
            yield number, f"what was seen before {step.did.name}: an unreported change, or invented"
            return
        if step.did.name in TOOLS:
            if not _same(step.then, mine.then, mine.then):
                yield number, f"{step.did.name} gives another output"
        elif not _same(step.then, _led_to(step, replayed, number), _led_to(step, again, number)):
            yield number, f"what {step.did.name} led to is not what the site shows"
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


def unsteady(first: Committed, second: Committed) -> set[int]:
    """Steps of the python and sql calls whose output differs between two replays of an episode."""
    pairs = zip(read_steps(first.folder), read_steps(second.folder), strict=False)
    return {one.index for one, other in pairs if one.did.name in TOOLS and not _same(one.then, other.then, other.then)}


def _same(recorded: Observation, replayed: Observation, again: Observation) -> bool:
    """Text, refusal and what of the view is content. Pictures are not compared: fonts differ between machines.

    The replay is read as it stands, and as packing would have scrubbed it.
    """
    return _equal(recorded, replayed, again) or _equal(recorded, _scrubbed(replayed), _scrubbed(again))


def _equal(*seen: Observation) -> bool:
    texts = [(one.text, one.refused, *(str(one.view.get(name, "")) for name in _VIEW), _downloads(one)) for one in seen]
    return all(_reads_as(*three) for three in zip(*texts, strict=True))


def _scrubbed(seen: Observation) -> Observation:
    text, refused, view = secrets.scrub((seen.text, seen.refused, seen.view), Counter())
    return replace(seen, text=text, refused=refused, view=view)


def _downloads(seen: Observation) -> str:
    """Name and address of each file that was downloaded, a line each; the digest of a new one stands in the text."""
    found = seen.view.get("downloads")
    rows = found if isinstance(found, list | tuple) else ()
    return "\n".join(f"{row.get('name')} {row.get('url')}" for row in rows if isinstance(row, Mapping))


def _reads_as(recorded: str, replayed: str, again: str) -> bool:
    """Line by line equal, but where the two replays differ from each other."""
    if recorded == replayed:
        return True
    theirs, mine, other = recorded.split("\n"), replayed.split("\n"), again.split("\n")
    if len(theirs) != len(mine):
        return False
    other = other if len(other) == len(mine) else mine
    return all(_line(*three) for three in zip(theirs, mine, other, strict=True))


def _line(recorded: str, replayed: str, again: str) -> bool:
    if recorded == replayed or replayed == again:
        return recorded == replayed
    head = _shared(replayed, again)
    tail = _shared(replayed[len(head) :][::-1], again[len(head) :][::-1])[::-1]
    loose = len(recorded) - len(head) - len(tail)
    return 0 <= loose <= _TOKEN and recorded.startswith(head) and recorded.endswith(tail)


def _shared(one: str, other: str) -> str:
    """What both begin with, back to where a word begins: two random tokens may share letters by chance."""
    length = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return re.sub(r"[A-Za-z0-9_-]+$", "", one[:length]) if length < max(len(one), len(other)) else one[:length]
