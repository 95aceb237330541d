"""How a model can be made to answer in a fixed form: tool calls, a JSON schema, or plain text."""

from typing import Any

from webds.errors import AgentFault
from webds.models.client import Model

_PING: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "ping",
        "description": "Say that you are there.",
        "parameters": {
            "type": "object",
            "properties": {"word": {"type": "string", "enum": ["pong"]}},
            "required": ["word"],
            "additionalProperties": False,
        },
    },
}
_ASK = ({"role": "user", "content": "Call the tool ping with the word pong."},)
_SCHEMA: dict[str, Any] = {
    "type": "json_schema",
    "json_schema": {"name": "ping", "strict": True, "schema": _PING["function"]["parameters"]},
}
_FOUND: dict[tuple[str, str], str] = {}


async def dialect(model: Model) -> str:
    """tools, schema or text: as configured, else tried once a process. Charged under role `probe`."""
    end = model.endpoint
    place = (end.replay or end.base_url, end.model)
    if end.dialect:
        return end.dialect
    if place not in _FOUND:
        _FOUND[place] = await _tried(model)
    return _FOUND[place]


async def _tried(model: Model) -> str:
    try:
        reply = await model.ask(_ASK, role="probe", tools=[_PING], tool_choice="required")
        if any(call.name == "ping" for call in reply.calls):
            return "tools"
    except AgentFault:
        pass  # the endpoint does not know tools
    try:
        reply = await model.ask(_ASK, role="probe", response_format=_SCHEMA)
    except AgentFault:
        return "text"
    return "schema" if '"pong"' in reply.text else "text"
