"""What the agent remembers: one line an action, results of the last few whole, pivotal lines, and a plan as a tree."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from webds.agents.llm.views import cut
from webds.types import Action, Json, Observation, Params

_SHORT, _WHOLE = 160, 3000

PLANNING: tuple[Params, ...] = (
    {
        "name": "branch",
        "description": "Begin a sub-plan under the current one.",
        "parameters": {
            "type": "object",
            "properties": {"intent": {"type": "string"}},
            "required": ("intent",),
            "additionalProperties": False,
        },
    },
    {
        "name": "prune",
        "description": "Give up the current sub-plan: go back to plan `to`, forget the steps of what is given up.",
        "parameters": {
            "type": "object",
            "properties": {"to": {"type": "integer"}, "reason": {"type": "string"}},
            "required": ("to", "reason"),
            "additionalProperties": False,
        },
    },
    {
        "name": "note",
        "description": "Write down a finding. It stays when a plan is given up.",
        "parameters": {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ("text",),
            "additionalProperties": False,
        },
    },
)
KEEP: dict[str, Any] = {
    "type": "array",
    "items": {"type": "string"},
    "description": "Ids of the elements of this page that matter later; their lines stay in the history.",
}


@dataclass(slots=True)
class _Done:
    """One step as it is remembered."""

    action: Action
    where: str
    result: str
    refused: str
    plan: int
    kept: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Plan:
    intent: str
    parent: int
    pruned: str = ""


class Memory:
    """Steps, notes and plans of one episode. `recent` results stand whole."""

    def __init__(self, goal: str, recent: int) -> None:
        self._recent = recent
        self._done: list[_Done] = []
        self._plans = [_Plan(goal, -1)]
        self._current = 0
        self.notes: list[str] = []

    def add(self, action: Action, then: Observation, kept: Sequence[str] = ()) -> None:
        """Remember a step, and lines of the page that it was taken on."""
        view = then.view
        where = f"{view.get('title') or ''} {view.get('url') or ''}".strip()
        result = view.get("result")
        text = result if isinstance(result, str) else json.dumps(result, default=dict) if result else ""
        self._done.append(_Done(action, where, text, then.refused, self._current, list(kept)))

    def repeated(self, action: Action) -> int:
        """How often this very action was the last one in a row."""
        count = 0
        for done in reversed(self._done):
            if done.action != action:
                break
            count += 1
        return count

    def plan(self, action: Action) -> str:
        """Carry out branch, prune or note; a sentence on what is so now."""
        args = action.args
        if action.name == "note":
            self.notes.append(str(args.get("text", ""))[:500])
            return "noted"
        if action.name == "branch":
            self._plans.append(_Plan(str(args.get("intent", ""))[:300], self._current))
            self._current = len(self._plans) - 1
            return f"plan {self._current} begun"
        return self._prune(args.get("to"), str(args.get("reason", ""))[:300])

    def _prune(self, to: Json, reason: str) -> str:
        if not isinstance(to, int) or not 0 <= to < len(self._plans) or self._plans[to].pruned:
            return f"there is no plan {to!r} to go back to"
        given_up = [number for number in range(len(self._plans)) if self._under(number, to)]
        for number in given_up:
            self._plans[number].pruned = reason or "given up"
        self._done = [done for done in self._done if done.plan not in given_up]
        self._current = to
        return f"back at plan {to}"

    def _under(self, number: int, top: int) -> bool:
        parent = self._plans[number].parent
        return parent == top or (parent >= 0 and self._under(parent, top))

    def lines(self) -> list[str]:
        """The steps, oldest first."""
        whole = len(self._done) - self._recent
        return [_line(number, done, _WHOLE if number > whole else _SHORT) for number, done in enumerate(self._done, 1)]

    def plans(self) -> list[str]:
        """The tree, one line a plan; the current one is marked."""
        found = []
        for number, plan in enumerate(self._plans[1:], 1):
            state = f"given up: {plan.pruned}" if plan.pruned else "current" if number == self._current else "open"
            found.append(f"plan {number} (under {plan.parent}, {state}): {plan.intent}")
        return found


def _line(number: int, done: _Done, chars: int) -> str:
    args = cut(json.dumps(done.action.args, ensure_ascii=False, default=dict), _WHOLE)
    parts = [f"{number}. {done.action.name} {args}", f"-> {done.where}" if done.where else ""]
    parts += [
        f"refused: {done.refused}" if done.refused else "",
        f"result: {cut(done.result, chars)}" if done.result else "",
    ]
    parts += [f"kept: {line}" for line in done.kept]
    return " ".join(part for part in parts if part)
