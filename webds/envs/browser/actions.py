"""The browser's actions by name, with the JSON schema that agents get as a tool.

An action returns text for the agent, or raises Refused with the reason and what to try.
"""

from collections.abc import Mapping

from webds.envs.browser.fields import FIELDS
from webds.envs.browser.hands import Kind
from webds.envs.browser.moves import MOVES
from webds.envs.browser.pointer import POINTER
from webds.envs.browser.reading import READING
from webds.types import Params

ACTIONS: Mapping[str, Kind] = {**MOVES, **POINTER, **FIELDS, **READING}


def tools() -> tuple[Params, ...]:
    """The actions as JSON-schema tools."""
    return tuple({"name": name, "description": kind.text, "parameters": kind.schema} for name, kind in ACTIONS.items())
