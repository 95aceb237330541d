"""The OpenAPI document of an episode's HTTP API."""

from collections.abc import Sequence
from typing import Any

from webds import __version__

_OBSERVATION: dict[str, Any] = {
    "type": "object",
    "description": "What the agent sees. `refused` says why the last action did nothing; empty where it was done.",
    "properties": {
        "text": {"type": "string", "description": "the page as an outline, after notes on what has happened"},
        "image": {"type": "string", "description": "digest of the screenshot, see /image/{digest}; may be empty"},
        "refused": {"type": "string"},
        "view": {"type": "object", "description": "url, title, downloads, tabs, marks, tables, result"},
    },
    "required": ["text", "image", "refused", "view"],
}
_SUBMISSION: dict[str, Any] = {
    "type": "object",
    "properties": {
        "answer": {"type": "string"},
        "files": {"type": "array", "items": {"type": "string"}, "description": "names in the work folder"},
        "unachievable": {"type": "string", "description": "why the task cannot be done, naming what is missing"},
    },
}


def document(actions: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """`actions`: those of the session; each is one accepted form of the body of /act."""
    forms = [_form(action) for action in actions]
    observed = _answer("the page then", {"$ref": "#/components/schemas/Observation"})
    return {
        "openapi": "3.1.0",
        "info": {"title": "webds episode", "version": __version__, "description": "One episode of one task."},
        "paths": {
            "/task": {"get": _call("The task: prompt, start, budget, actions.", _answer("task", {"type": "object"}))},
            "/observe": {"get": _call("Look. Costs no step.", observed)},
            "/act": {"post": _call("Do one action.", observed, {"oneOf": forms})},
            "/acted": {"post": _call("Report an act of the agent's own hands (CDP).", observed, {"oneOf": forms})},
            "/submit": {"post": _call("Hand in; ends the episode.", _answer("ok", {"type": "object"}), _SUBMISSION)},
            "/image/{digest}": {"get": _image()},
        },
        "components": {"schemas": {"Observation": _OBSERVATION}},
    }


def _form(action: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "description": action["description"],
        "properties": {"name": {"const": action["name"]}, "args": action["parameters"]},
        "required": ["name", "args"],
    }


def _call(summary: str, done: dict[str, Any], body: dict[str, Any] | None = None) -> dict[str, Any]:
    error = {"type": "object", "properties": {"error": {"type": "string"}}}
    failed = {"400": _answer("the request is wrong", error), "410": _answer("the episode has ended", error)}
    call: dict[str, Any] = {"summary": summary, "responses": {"200": done, **failed}}
    if body is not None:
        call["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return call


def _answer(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _image() -> dict[str, Any]:
    digest = {"name": "digest", "in": "path", "required": True, "schema": {"type": "string"}}
    found = {"description": "a PNG", "content": {"image/png": {}}}
    return {
        "summary": "A screenshot that an observation of this episode named.",
        "parameters": [digest],
        "responses": {"200": found, "404": {"description": "none"}},
    }
