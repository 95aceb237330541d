"""An agent for webds that is an MCP client (package mcp): the episode's actions are its tools.

webds run --agent external --set 'agents.external.command=["python", "{agent}/agent.py"]' \
  --set agents.external.folder=examples/mcp_agent --set agents.external.model=NAME --set agents.external.base_url=URL
"""

import asyncio
import json
import os

from mcp import Client
from openai import AsyncOpenAI


async def main() -> None:
    model = AsyncOpenAI()  # OPENAI_BASE_URL and OPENAI_API_KEY are set: the real key stays in the worker
    async with Client(os.environ["WEBDS_MCP"]) as episode:
        offered = (await episode.list_tools()).tools
        tools = [
            {
                "type": "function",
                "function": {"name": t.name, "description": t.description, "parameters": t.input_schema},
            }
            for t in offered
        ]
        task = (await episode.call_tool("task", {})).content[0].text
        messages = [{"role": "system", "content": "Solve the task with the tools; end with submit."}]
        messages.append({"role": "user", "content": task})
        while True:
            reply = await model.chat.completions.create(
                model=os.environ["WEBDS_MODEL"], messages=messages, tools=tools, tool_choice="required"
            )
            said = reply.choices[0].message
            messages.append(said.model_dump(exclude_none=True))
            for call in said.tool_calls or []:
                result = await episode.call_tool(call.function.name, json.loads(call.function.arguments))
                text = result.content[0].text
                messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
                if call.function.name == "submit" and not result.is_error:
                    return


asyncio.run(main())
