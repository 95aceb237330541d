"""The HTTP API of an episode: task, observe, act, acted, submit, image, and the document that describes them."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from webds.agents.external import openapi
from webds.agents.external.desk import Desk, Ended, Refused

BODY_BYTES = 8 << 20
"""Longest request body: an answer may have a million characters of up to four bytes."""

type Answer = Callable[[Request], Awaitable[Response]]


def routes(desk: Desk) -> list[Route]:
    """410 where the episode has ended, 400 where the request is wrong; both with {"error": why}."""

    async def task(request: Request) -> Response:  # noqa: ARG001 - the framework's signature
        return JSONResponse(desk.task())

    async def observe(request: Request) -> Response:  # noqa: ARG001
        return JSONResponse(await desk.observe())

    async def act(request: Request) -> Response:
        return JSONResponse(await desk.act(await body(request)))

    async def acted(request: Request) -> Response:
        return JSONResponse(await desk.act(await body(request), own=True))

    async def submit(request: Request) -> Response:
        return JSONResponse(await desk.submit(await body(request)))

    async def image(request: Request) -> Response:
        found = desk.image(request.path_params["digest"])
        return Response(found, media_type="image/png") if found is not None else _error(404, "no such picture here")

    async def document(request: Request) -> Response:  # noqa: ARG001
        return JSONResponse(openapi.document(desk.task()["actions"]))

    return [
        Route("/task", guarded(task)),
        Route("/observe", guarded(observe), methods=["GET", "POST"]),
        Route("/act", guarded(act), methods=["POST"]),
        Route("/acted", guarded(acted), methods=["POST"]),
        Route("/submit", guarded(submit), methods=["POST"]),
        Route("/image/{digest}", guarded(image)),
        Route("/openapi.json", guarded(document)),
    ]


def guarded(answer: Answer) -> Answer:
    """What a call raises, as a status and one sentence."""

    async def told(request: Request) -> Response:
        try:
            return await answer(request)
        except Ended as end:
            return _error(410, str(end))
        except Refused as wrong:
            return _error(400, str(wrong))

    return told


async def body(request: Request) -> dict[str, Any]:
    """The request's JSON object. Refused: longer than BODY_BYTES, no JSON, no object, or NaN in it."""
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > BODY_BYTES:
            raise Refused(f"the body is over {BODY_BYTES >> 20} MB")
    try:
        value = json.loads(bytes(data), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Refused(f"the body is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise Refused("the body is no JSON object")
    return value


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def _error(status: int, why: str) -> Response:
    return JSONResponse({"error": why}, status)
