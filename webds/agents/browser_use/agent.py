"""Agent `browser-use`: the real library over CDP on the episode's own Chromium, one action a step, in the sandbox.

Its model is the run's, asked through the worker; telemetry, cloud, version check and extensions are off. What it did is
reported after each action, so that the steps are the session's own (webds.agents.browser_use.inside.drive).
"""

import importlib.metadata
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from webds.agents.external.agent import GIVEN, External, bounds
from webds.agents.external.program import Order
from webds.errors import InputFault
from webds.models import settings

_WHERE = "agents.browser-use"
_INSIDE = Path(__file__).with_name("inside")
_TMP = "/tmp"  # noqa: S108 - the sandbox's own
_QUIET = {
    "ANONYMIZED_TELEMETRY": "false",
    "BROWSER_USE_CLOUD_SYNC": "false",
    "BROWSER_USE_VERSION_CHECK": "false",
    "BROWSER_USE_CLOUD_HINTS": "false",
    "BROWSER_USE_DISABLE_EXTENSIONS": "1",
    "BROWSER_USE_SETUP_LOGGING": "false",
    "BROWSER_USE_CONFIG_DIR": f"{_TMP}/browser-use",
    "XDG_CACHE_HOME": f"{_TMP}/cache",
}
_FIELDS: dict[str, tuple[type, Any]] = {
    "flash": (bool, False),
    "vision": (bool, False),
    "steps": (int, 100),
    "step_seconds": (int, 600),
    "instructions": (str, ""),
    "system": (str, ""),
    "tools": (list, ["python", "sql"]),
}
"""flash: the library's short prompt; vision: screenshots to the model; instructions: added to its system prompt,
system: instead of it; tools: which of the session's analysis tools it gets; step_seconds: of one step, its model call
included."""


def options(config: Mapping[str, Any]) -> dict[str, Any]:
    """The library's settings. InputFault names the field."""
    found: dict[str, Any] = {}
    for name, (kind, default) in _FIELDS.items():
        value = config.get(name, default)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise InputFault(f"{_WHERE}: field {name}: {value!r}; wanted a {kind.__name__}")
        found[name] = value
    for tool in found["tools"]:
        if tool not in ("python", "sql", "files", "download"):
            raise InputFault(f"{_WHERE}: field tools: {tool!r}; known: python, sql, files, download")
    return found


def needs(config: Mapping[str, Any]) -> tuple[str, ...]:  # noqa: ARG001 - one signature for all agents
    """It has hands of its own."""
    return ("cdp",)


def declares(config: Mapping[str, Any]) -> dict[str, Any]:
    """What run.json says of this agent."""
    endpoint, chosen = settings.read(config, _WHERE), options(config)
    return {
        **settings.declared(endpoint),
        "profile": "flash" if chosen["flash"] else "default",
        "library": f"browser-use {importlib.metadata.version('browser-use')}",
        "observation": ["indexed DOM text", *(["image"] if chosen["vision"] else [])],
    }


def make(config: Mapping[str, Any]) -> External:
    """Entry point webds.agents: browser-use."""
    endpoint = settings.read(config, _WHERE)
    told = json.dumps({**options(config), "temperature": endpoint.temperature})
    env = {**GIVEN, **_QUIET, "WEBDS_CDP": "http://{cdp}", "WEBDS_MODEL": endpoint.model, "WEBDS_OPTIONS": told}
    order = Order(words=("python", "{agent}/drive.py"), folder=_INSIDE, env=env, limits=bounds(config, _WHERE))
    return External(order, config, _WHERE, cdp=True)
