"""The judge model's reply, read so that nothing but an exact answer counts.

A reply is one JSON object {"nonce", "criteria": [{"name", "met", "steps", "quote", "image", "why"}], "injection_seen"},
bare, in one code fence, in bold, or behind one closed <think> block. A criterion that is missing, named twice, not
true or false, or not backed by its quote is ungraded alone. Everything else is Unreadable: never a pass, never a fail.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webds_judge.rubric.criteria import Criterion
from webds_judge.rubric.exhibits import Exhibits
from webds_judge.rubric.fence import Fence

LONGEST = 200_000
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n```", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"<think>(?:(?!<think>).)*?</think>", re.DOTALL)
_FIELDS = frozenset(("nonce", "criteria", "injection_seen"))
_ITEM = frozenset(("name", "met", "steps", "quote", "image", "why"))


class Unreadable(Exception):
    """The reply is no verdict. `str()` says why in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One criterion's answer. `met` None: ungraded, and `how` says why; else quoted, unquoted or stated.

    `said`: the model's own word, whether it counts or not.
    """

    met: bool | None
    how: str
    said: bool | None = None
    steps: tuple[int, ...] = ()
    quote: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A mark for every criterion that was asked."""

    marks: Mapping[str, Mark]
    injection_seen: bool

    @property
    def met(self) -> dict[str, bool | None]:
        """What the formula takes."""
        return {name: mark.met for name, mark in self.marks.items()}


def read(
    text: str, fence: Fence, criteria: Sequence[Criterion], exhibits: Exhibits, *, vision: bool = False
) -> Reading:
    """The reply's marks. Unreadable as above. With `vision` a step's screenshot may stand for the quote."""
    value = parsed(text, fence, _FIELDS)
    if not isinstance(value.get("criteria"), list):
        raise Unreadable("field criteria: a list is needed")
    seen = value.get("injection_seen", False)
    if not isinstance(seen, bool):
        raise Unreadable("field injection_seen: true or false is needed")
    said = _by_name(value["criteria"], {item.name for item in criteria})
    marks = {item.name: _mark(item, said.get(item.name, []), fence, exhibits, vision) for item in criteria}
    if all(mark.met is None for mark in marks.values()):
        raise Unreadable(f"no criterion is answered: {next(iter(marks.values())).how}")
    return Reading(marks=marks, injection_seen=seen)


def parsed(text: str, fence: Fence, fields: frozenset[str]) -> dict[str, Any]:
    """The reply's one object, its nonce right and its fields known."""
    if not text.strip():
        raise Unreadable("empty reply")
    if len(text) > LONGEST:
        raise Unreadable("the reply is too long")
    try:
        value = json.loads(_bare(text), object_pairs_hook=_once, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not one JSON object: {' '.join(str(error).split())[:120]}") from error
    if not isinstance(value, dict):
        raise Unreadable("not a JSON object")
    if value.get("nonce") != fence.nonce:
        raise Unreadable("the nonce is not this call's")
    if unknown := sorted(set(value) - fields):
        raise Unreadable(f"field {unknown[0][:40]!r} is not asked for")
    return value


def _bare(text: str) -> str:
    said = text.strip()
    if thought := _THOUGHT.match(said):
        said = said[thought.end() :].strip()
    if said.startswith("**") and said.endswith("**") and len(said) > 4:
        said = said[2:-2].strip()
    fenced = _FENCED.fullmatch(said)
    return fenced[1] if fenced else said


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _by_name(items: list[Any], known: set[str]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        if not isinstance(item, dict) or not isinstance(item.get("name"), str):
            raise Unreadable("field criteria: an object with a name is needed")
        name = item["name"].strip().casefold()
        if name not in known:
            raise Unreadable(f"criterion {name[:40]!r} is not asked for")
        found.setdefault(name, []).append(item)
    return found


def _mark(criterion: Criterion, said: list[dict[str, Any]], fence: Fence, exhibits: Exhibits, vision: bool) -> Mark:
    fault = _form_fault(said)
    if fault:
        return Mark(met=None, how=fault)
    item = said[0]
    steps = tuple(item.get("steps", ()))
    quote, why = fence.unmarked(item.get("quote", "")), fence.unmarked(item.get("why", ""))[:500]
    how = "stated"
    if criterion.backed(item["met"]):
        fault = exhibits.fault(quote, steps, criterion.fields)
        how = "quoted"
        if fault and vision and item.get("image") is True and exhibits.pictured(steps, criterion.fields):
            fault, how = "", "unquoted"
    if fault:
        return Mark(met=None, how=fault, said=item["met"], steps=steps, quote=quote[:500], why=why)
    return Mark(met=item["met"], how=how, said=item["met"], steps=steps, quote=quote[:500], why=why)


def _form_fault(said: list[dict[str, Any]]) -> str:
    """Why one criterion's entries cannot be used, or ""."""
    if len(said) != 1:
        return "answered twice" if said else "not answered"
    item = said[0]
    if not isinstance(item.get("met"), bool):
        return f"met is {str(item.get('met'))[:20]!r}, not true or false"
    steps = item.get("steps", [])
    if not isinstance(steps, list) or not all(type(step) is int for step in steps):
        return "steps is no list of step numbers"
    if not all(isinstance(item.get(name, ""), str) for name in ("quote", "why")):
        return "quote and why have to be texts"
    return f"field {min(set(item) - _ITEM)[:40]!r} is not asked for" if set(item) - _ITEM else ""
