"""The run's model as an OpenAI-compatible address: the key, usage, budgets and cassettes stay in the worker."""

import json
import time
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from webds.agents.external.desk import Desk, Refused
from webds.agents.external.http import body
from webds.errors import AgentFault, WebdsError
from webds.meter import Meter, metering
from webds.models.client import Model
from webds.models.replies import Reply

ROLE = "x-webds-role"
"""Header in which an agent may name what a call is for; the report counts by it."""
_LEFT_OUT = ("stream", "stream_options", "n", "user", "store", "metadata")


def routes(desk: Desk, model: Model | None, meter: Meter) -> list[Route]:
    """POST /v1/chat/completions and GET /v1/models. Without a configured model: 404."""

    async def models(request: Request) -> Response:  # noqa: ARG001 - the framework's signature
        known = [{"id": model.endpoint.model, "object": "model", "created": 0, "owned_by": "run"}] if model else []
        return JSONResponse({"object": "list", "data": known})

    async def completions(request: Request) -> Response:
        if model is None:
            return _error(404, "this run has no model: name one with agents.<name>.model and base_url")
        try:
            return await _completion(request, model, meter)
        except (Refused, AgentFault) as wrong:  # ours or the endpoint's word on the request; the agent may mend it
            return _error(400, str(wrong))
        except WebdsError as failure:
            return _error(410, str(desk.end(failure)))

    return [Route("/v1/models", models), Route("/v1/chat/completions", completions, methods=["POST"])]


async def _completion(request: Request, model: Model, meter: Meter) -> Response:
    asked = await body(request)
    role = request.headers.get(ROLE, "act")[:40] or "act"
    with metering(meter):
        reply = await model.send(_request(asked, model), role)
    whole = _whole(reply, model.endpoint.model)
    return _streamed(whole) if asked.get("stream") else JSONResponse(whole)


def _request(asked: dict[str, Any], model: Model) -> dict[str, Any]:
    """The agent's request for the run's model, sampled as the run says where the agent says nothing."""
    if not isinstance(asked.get("messages"), list) or not asked["messages"]:
        raise Refused("messages: wanted a list")
    kept = {name: value for name, value in asked.items() if name not in _LEFT_OUT}
    ours = dict(model.endpoint.sampling)
    if kept.keys() & {"max_tokens", "max_completion_tokens"}:  # two limits at once are refused
        ours.pop(model.endpoint.max_tokens_field, None)
    return {**ours, **kept, "model": model.endpoint.model}


def _whole(reply: Reply, model: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.refusal:
        message["refusal"] = reply.refusal
    if reply.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in reply.calls
        ]
    used = {name: int(reply.usage.get(name, 0)) for name in ("input", "cached_input", "cache_write", "output")}
    prompt, output = used["input"] + used["cached_input"] + used["cache_write"], used["output"]
    usage = {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}
    usage_details = {"prompt_tokens_details": {"cached_tokens": used["cached_input"]}}
    return {
        "id": "webds",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish, "logprobs": None}],
        "usage": {**usage, **usage_details},
    }


def _streamed(whole: dict[str, Any]) -> Response:
    """The whole reply as one event: it is known only when it is paid for."""
    choice = whole["choices"][0]
    delta = dict(choice["message"])
    if "tool_calls" in delta:
        delta["tool_calls"] = [{"index": n, **call} for n, call in enumerate(delta["tool_calls"])]
    chunk = {**whole, "object": "chat.completion.chunk"}
    events = (
        {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}], "usage": None},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}], "usage": None},
        {**chunk, "choices": []},
    )

    async def lines() -> AsyncIterator[str]:
        for event in events:
            yield f"data: {json.dumps(event)}\n\n"
        yield "data: [DONE]\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream")


def _error(status: int, why: str) -> Response:
    return JSONResponse({"error": {"message": why, "type": "webds", "code": str(status)}}, status)
