"""A scripted endpoint: a real HTTP server that speaks the chat-completions dialect and says what a test tells it to.

It is no model. Each request takes the next reply of the script (the last one stays); `seen` keeps the requests' bodies.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

type Said = Mapping[str, Any]
"""text, calls [(name, arguments text)], finish, usage (prompt, completion; None: the endpoint tells none), refusal; or
a fault: status with headers and body, hang (seconds), cut (characters of the text, then the stream ends; with drop the
connection breaks), body (any JSON with status 200), raw (the body itself)."""
type Script = list[Said | Callable[[dict[str, Any]], Said]]


class Endpoint:
    """The script and what was asked."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.seen: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.url = ""

    async def answer(self, request: Request) -> Response:
        """The next reply of the script."""
        body = json.loads(await request.body())
        self.keys.append(request.headers.get("authorization", ""))
        step = self.script[min(len(self.seen), len(self.script) - 1)]
        self.seen.append(body)
        said = step(body) if callable(step) else step
        if "hang" in said:
            await asyncio.sleep(said["hang"])
        if "status" in said:
            return JSONResponse(
                said.get("body", {"error": {"message": "scripted"}}), said["status"], said.get("headers")
            )
        if "raw" in said:
            return Response(said["raw"], media_type=said.get("type", "application/json"))
        if "body" in said:
            return JSONResponse(said["body"])
        if body.get("stream"):
            return StreamingResponse(_chunks(said), media_type="text/event-stream")
        return JSONResponse({"id": "x", "object": "chat.completion", **_whole(said)})


def _usage(said: Said) -> dict[str, Any] | None:
    told = said.get("usage", (100, 10))
    if told is None:
        return None
    prompt, completion = told
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _calls(said: Said) -> list[dict[str, Any]]:
    named = enumerate(said.get("calls", ()))
    return [
        {"index": n, "id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": words}}
        for n, (name, words) in named
    ]


def _message(said: Said) -> dict[str, Any]:
    kept = {"content": said.get("text"), "refusal": said.get("refusal"), "tool_calls": _calls(said) or None}
    return {"role": "assistant", **{name: value for name, value in kept.items() if value is not None}}


def _finish(said: Said) -> str:
    return str(said.get("finish", "tool_calls" if said.get("calls") else "stop"))


def _whole(said: Said) -> dict[str, Any]:
    choice = {"index": 0, "message": _message(said), "finish_reason": _finish(said)}
    return {"model": "scripted", "created": 0, "choices": [choice], "usage": _usage(said)}


async def _chunks(said: Said) -> Any:
    def event(choices: list[dict[str, Any]], **more: Any) -> str:
        value = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "scripted", "choices": choices}
        return f"data: {json.dumps({**value, **more})}\n\n"

    if "cut" in said:
        yield event([{"index": 0, "delta": {"content": said["text"][: said["cut"]]}, "finish_reason": None}])
        if said.get("drop"):
            raise ConnectionAbortedError("as the script says")
        return
    yield event([{"index": 0, "delta": _message(said), "finish_reason": None}])
    yield event([{"index": 0, "delta": {}, "finish_reason": _finish(said)}])
    yield event([], usage=_usage(said))
    yield "data: [DONE]\n\n"


@contextmanager
def serving(script: Script) -> Iterator[Endpoint]:
    """The endpoint on a free port of 127.0.0.1, in a thread of its own."""
    endpoint = Endpoint(script)
    app = Starlette(routes=[Route("/v1/chat/completions", endpoint.answer, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="off"))
    started = threading.Event()
    server.startup = _announcing(server, started)  # type: ignore[method-assign] # the port is known only then
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    started.wait(20)
    endpoint.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/v1"
    try:
        yield endpoint
    finally:
        server.should_exit = server.force_exit = True
        thread.join(20)


def _announcing(server: uvicorn.Server, started: threading.Event) -> Any:
    begin = server.startup

    async def startup(sockets: Any = None) -> None:
        await begin(sockets)
        started.set()

    return startup
