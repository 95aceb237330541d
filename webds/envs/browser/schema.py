"""JSON schemas of the actions, and the one-line reason why given arguments do not fit."""

from collections.abc import Mapping
from typing import Any

from webds.types import Json, Params

TEXT: Params = {"type": "string"}
FLAG: Params = {"type": "boolean"}
WHOLE: Params = {"type": "integer"}
NUMBER: Params = {"type": "number"}
TEXTS: Params = {"type": "array", "items": {"type": "string"}}
ID: Params = {"type": "string", "description": "the number in [ ] before the element in the observation"}
X: Params = {"type": "number", "description": "CSS pixels from the left of the window, as in the screenshot"}
Y: Params = {"type": "number", "description": "CSS pixels from the top of the window"}

_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list, tuple),
}


def choice(*accepted: str) -> Params:
    """A text out of a few."""
    return {"type": "string", "enum": accepted}


def about(kind: Params, text: str) -> Params:
    """A schema with a description."""
    return {**kind, "description": text}


def schema(properties: Mapping[str, Json], *required: str) -> Params:
    """An object schema that takes these properties and no others."""
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def problem(name: str, args: Params, known: Mapping[str, Params]) -> str:
    """Why these arguments do not fit the action's schema, in one line; empty if they do."""
    if name not in known:
        return f"no action {name!r}; known: {', '.join(known)}"
    wanted: Any = known[name]
    properties = wanted["properties"]
    missing = [field for field in wanted["required"] if field not in args]
    if missing:
        return f"{name} wants {missing[0]}"
    for field, value in args.items():
        if field not in properties:
            return f"{name} takes no {field!r}; it takes: {', '.join(properties) or 'nothing'}"
        wrong = _misfit(value, properties[field])
        if wrong:
            return f"{name}: {field} {value!r:.80}; {wrong}"
    return ""


def _misfit(value: Json, wanted: Mapping[str, Any]) -> str:
    kind = str(wanted["type"])
    accepted = wanted.get("enum")
    if accepted and value not in accepted:
        return f"known: {', '.join(accepted)}"
    if kind == "string" and isinstance(value, int) and not isinstance(value, bool):
        return ""  # an id written as a number is what many models send
    if not isinstance(value, _KINDS[kind]) or (isinstance(value, bool) and kind != "boolean"):
        return f"wanted a {kind}"
    if kind == "array" and isinstance(value, list | tuple) and not all(isinstance(item, str | int) for item in value):
        return "wanted a list of texts"
    return ""
