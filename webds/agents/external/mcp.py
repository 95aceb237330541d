"""The same API as an MCP server (streamable HTTP, path /mcp): every action of the session is a tool."""

import base64
import json
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server
from starlette.applications import Starlette
from starlette.routing import Route

from webds import __version__
from webds.agents.external.desk import Desk, Ended, Refused

_PLAIN = {"type": "object", "properties": {}, "additionalProperties": False}
_OWN = (
    types.Tool(name="observe", description="Look at the page. Costs no step.", input_schema=_PLAIN),
    types.Tool(name="task", description="The task, its budget and its start page.", input_schema=_PLAIN),
    types.Tool(
        name="acted",
        description="Report an act of your own hands (over CDP): its action and arguments.",
        input_schema={
            "type": "object",
            "properties": {"name": {"type": "string"}, "args": {"type": "object"}},
            "required": ["name", "args"],
        },
    ),
)


def app(desk: Desk, routes: list[Route]) -> Starlette:
    """The ASGI app of an episode: `routes` beside /mcp. A refused action is a result with isError."""

    async def listed(context: Any, params: Any) -> types.ListToolsResult:  # noqa: ARG001 - the library's signature
        named = desk.task()["actions"]
        tools = [types.Tool(name=a["name"], description=a["description"], input_schema=_lists(a)) for a in named]
        return types.ListToolsResult(tools=[*_OWN, *tools])

    async def called(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:  # noqa: ARG001
        try:
            return _result(desk, await _call(desk, params.name, params.arguments or {}))
        except (Ended, Refused) as why:
            return types.CallToolResult(content=[types.TextContent(type="text", text=str(why))], is_error=True)

    server: Server[Any] = Server(
        "webds", version=__version__, instructions=_brief(desk), on_list_tools=listed, on_call_tool=called
    )
    return server.streamable_http_app(json_response=True, custom_starlette_routes=routes)


def _lists(action: dict[str, Any]) -> dict[str, Any]:
    """The action's schema with lists for tuples."""
    found: dict[str, Any] = json.loads(json.dumps(action["parameters"]))
    return found


def _brief(desk: Desk) -> str:
    return f"One episode of one task. Call `submit` once with the answer. The task: {desk.task()['prompt']}"


async def _call(desk: Desk, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if name == "task":
        return {key: value for key, value in desk.task().items() if key != "actions"}
    if name == "observe":
        return await desk.observe()
    if name == "acted":
        return await desk.act(arguments, own=True)
    return await desk.act({"name": name, "args": arguments})


def _result(desk: Desk, value: dict[str, Any]) -> types.CallToolResult:
    """An observation as text with its picture; anything else as JSON text."""
    text = value["text"] if "text" in value else json.dumps(value, ensure_ascii=False)
    content: list[Any] = [types.TextContent(type="text", text=text)]
    if picture := desk.image(str(value.get("image", ""))):
        data = base64.b64encode(picture).decode()
        content.append(types.ImageContent(type="image", data=data, mime_type="image/png"))
    return types.CallToolResult(content=content, is_error=bool(value.get("refused")))
