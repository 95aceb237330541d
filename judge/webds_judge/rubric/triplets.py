"""A trajectory as the judge model sees it: exact repeats folded, the least relevant left out, every cut visible."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from webds.codec import canonical, digest
from webds.types import Action, Json, Step

TOOLS = frozenset(("python", "sql", "files"))
"""Actions whose text the agent's own code printed."""
PINNED = frozenset(("download", "upload", "submit"))
THOUGHTS = frozenset(("thought", "reasoning", "memo"))
"""Arguments that hold the agent's reasoning."""
_FORM = 60
"""Characters of a step's form: the names of its fields, its number."""
_LEAST = 600
"""Characters that a pinned step gets at the least; where not even that fits for all, the less relevant go too."""
_ID = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Triplet:
    """One step. `saw` is empty where it is what the step before left; `same` lists later exact repeats of it."""

    step: int
    saw: str
    did: str
    then: str
    tool: bool
    served: str = ""
    image: str = ""
    pinned: bool = False
    same: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Characters."""
        return len(self.saw) + len(self.did) + len(self.then) + len(self.served) + _FORM

    def shown(self, longest: int) -> dict[str, Json]:
        """For the prompt, no field longer than `longest`."""
        fields = {"saw": self.saw, "did": self.did, "then": self.then, "file": self.served}
        cut: dict[str, Json] = {name: shorter(text, longest) for name, text in fields.items() if text}
        repeats: dict[str, Json] = {"repeated_at": self.same} if self.same else {}
        return {"step": self.step, **cut, **repeats}


def triplets(steps: Iterable[Step], served: Mapping[int, str], posts: frozenset[int], reasoning: bool) -> list[Triplet]:
    """All steps in order, repeats folded into the first. `served`: text of the files that a step loaded.

    `posts`: steps that sent something to a site or may have written what was handed in. `reasoning`: show the agent's.
    """
    found: dict[str, Triplet] = {}
    before = ""
    for step in steps:
        name, text = _repeat_key(step), step.then.text
        if name in found and step.index not in served:
            found[name] = replace(found[name], same=(*found[name].same, step.index))
        else:
            found[name if name not in found else f"{name}/{step.index}"] = Triplet(
                step=step.index,
                saw="" if step.saw.text == before else step.saw.text,
                did=said(step.did, reasoning),
                then=text,
                tool=step.did.name in TOOLS,
                served=served.get(step.index, ""),
                image=step.then.image,
                pinned=step.did.name in PINNED or step.index in posts or step.index in served,
            )
        before = text
    return _ends_pinned(list(found.values()))


def _ends_pinned(items: list[Triplet]) -> list[Triplet]:
    last = len(items) - 1
    return [replace(item, pinned=item.pinned or place in (0, last)) for place, item in enumerate(items)]


def said(action: Action, reasoning: bool = False) -> str:
    """An action as JSON, without the agent's reasoning unless asked."""
    args = {name: value for name, value in action.args.items() if reasoning or name not in THOUGHTS}
    return canonical({"name": action.name, "args": args}).decode("utf-8", "replace")


def _repeat_key(step: Step) -> str:
    """Elements are numbered anew on every page, so ids are replaced by what they stand for."""
    marks = step.saw.view.get("marks")
    mark = marks.get(str(step.did.args.get("id"))) if isinstance(marks, Mapping) else None
    args: dict[str, Any] = dict(step.did.args)
    if isinstance(mark, Mapping):
        args["id"] = f"{mark.get('role')} {mark.get('name')} {mark.get('box')}"
    return digest((_ID.sub("[]", step.saw.text), step.did.name, args, _ID.sub("[]", step.then.text)))


def shorter(text: str, longest: int) -> str:
    """The text's beginning and end, and in between how much is missing."""
    if len(text) <= longest:
        return text
    tail = longest // 4
    return f"{text[: longest - tail]}\n[cut here: {len(text) - longest} characters]\n{text[len(text) - tail :]}"


def chosen(items: Sequence[Triplet], room: int, scores: Mapping[int, float]) -> list[Triplet]:
    """The first, the last, the pinned and then the most relevant steps that fit `room` characters, in order of time.

    Pinned ones may have to be cut, the others are kept whole or not at all.
    """
    ends = {item.step for item in (*items[:1], *items[-1:])}
    ranked = sorted(items, key=lambda item: (item.step not in ends, -scores.get(item.step, 0.0), item.step))
    kept: dict[int, Triplet] = {}
    left = room
    for item in ranked:
        least = min(item.size, _LEAST)
        if item.step in ends or (item.pinned and least <= left):
            kept[item.step] = item
            left -= least
    left = room - sum(item.size for item in kept.values())
    for item in ranked:
        if not item.pinned and item.size <= left:
            kept[item.step] = item
            left -= item.size
    return [item for item in items if item.step in kept]


def shown(items: Sequence[Triplet], kept: Sequence[Triplet], longest: int) -> tuple[Json, ...]:
    """The evidence of the prompt, no text over `longest`; runs of left-out steps are named where they stood."""
    return tuple(_rows(items, {item.step for item in kept}, longest))


def _rows(items: Sequence[Triplet], steps: set[int], longest: int) -> Iterator[Json]:
    gone: list[int] = []
    for item in items:
        if item.step not in steps:
            gone.append(item.step)
            continue
        if gone:
            yield {"left_out": f"steps {', '.join(map(str, gone))}: scored as less relevant, to fit"}
            gone = []
        yield item.shown(longest)
    if gone:
        yield {"left_out": f"steps {', '.join(map(str, gone))}: scored as less relevant, to fit"}
