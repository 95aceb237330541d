"""One action out of a model's reply, whatever it looks like. What is none gets a sentence that the model is told."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webds.models.replies import Reply
from webds.types import Action, Params

_LONGEST = 100_000
"""Characters of arguments that are looked at: a longer call is no action."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why a reply holds no action, for the model and the log. `refused`: the model did not want to."""

    why: str
    refused: bool = False


def as_tools(actions: Sequence[Params]) -> list[dict[str, Any]]:
    """The actions as tools of a chat-completions request."""
    return [{"type": "function", "function": dict(action)} for action in actions]


def as_schema(actions: Sequence[Params], ids: Sequence[str] = ()) -> dict[str, Any]:
    """A response_format under which every reply is a thought and one action, its `id` one of `ids` if any."""
    choices = [
        {
            "type": "object",
            "properties": {"name": {"const": action["name"]}, "args": _bounded(action["parameters"], ids)},
            "required": ["name", "args"],
            "additionalProperties": False,
        }
        for action in actions
    ]
    schema = {
        "type": "object",
        "properties": {"thought": {"type": "string", "maxLength": 240}, "action": {"anyOf": choices}},
        "required": ["thought", "action"],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "next_action", "schema": schema}}


def _bounded(parameters: Any, ids: Sequence[str]) -> Any:
    """The parameters with a length for each free text: small models ramble until the reply is cut (docs/models.md)."""
    if isinstance(parameters, Mapping):
        found = {
            key: {"type": "string", "enum": list(ids)} if ids and key == "id" else _bounded(value, ids)
            for key, value in parameters.items()
        }
        if found.get("type") == "string" and "enum" not in found and "const" not in found:
            found.setdefault("maxLength", 2000)
        return found
    return [_bounded(item, ids) for item in parameters] if isinstance(parameters, list | tuple) else parameters


def read(reply: Reply, actions: Sequence[Params]) -> Action | Unusable:
    """The reply's one action; of several tool calls the first."""
    if reply.refusal or reply.finish == "content_filter":
        return Unusable(reply.refusal or "the endpoint filtered the reply", refused=True)
    if reply.calls:
        call = reply.calls[0]
        return _named(call.name, _object(call.arguments), actions)
    value = _first_object(reply.text)
    if value is None:
        cut = ": it was cut off" if reply.finish == "length" else ""
        return Unusable(f"the reply holds no action{cut}")
    inner = value.get("action")
    action = inner if isinstance(inner, Mapping) else value
    name = action.get("name", inner if isinstance(inner, str) else None)
    return _named(name, action.get("args", action.get("arguments", {})), actions)


def _named(name: object, args: object, actions: Sequence[Params]) -> Action | Unusable:
    known = [str(action["name"]) for action in actions]
    if name not in known:
        return Unusable(f"there is no action {str(name)[:60]!r}; known: {', '.join(known)}")
    if not isinstance(args, Mapping):
        return Unusable(f"the arguments of {name} are no JSON object")
    return Action(name=str(name), args=args)


def _object(text: str) -> object:
    if len(text) > _LONGEST:
        return None
    try:
        return json.loads(text or "{}", parse_constant=str)
    except (ValueError, RecursionError):
        return None


def _first_object(text: str) -> Mapping[str, Any] | None:
    """The first JSON object in a text, fenced or not."""
    text, decoder, tries = text[:_LONGEST], json.JSONDecoder(parse_constant=str), 0
    start = text.find("{")
    while start >= 0 and tries < 20:
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start, tries = text.find("{", start + 1), tries + 1
            continue
        return value if isinstance(value, Mapping) else None
    return None
