"""The teams' API: reserve, upload in pieces, hand in. A team is known by its token, in the header Authorization."""

import asyncio
import fcntl
import os
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from webds.errors import InputFault
from webds.serve.pages import json_body
from webds.serve.part import Refusal
from webds.submit import intake
from webds.submit.book import Book, team_of

_AT_ONCE = 2
"""Bundles that are verified at the same time: each is unpacked to disk, a line at a time in memory."""


class Desk:
    """Takes what teams send; verifying is bounded, so that many uploads at once cost no more memory than two."""

    def __init__(self, book: Book, root: Path) -> None:
        self._book = book
        self._root = root
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def reserve(self, request: Request) -> Response:
        """{"run", "agent", "model", "split"}"""
        team = await self._team(request)
        return JSONResponse(await run_in_threadpool(intake.reserve, self._book, team, await json_body(request)))

    async def begin(self, request: Request) -> Response:
        """{"sha256", "size"} -> {"offset"}"""
        team = await self._team(request)
        asked = await json_body(request)
        offset = await run_in_threadpool(intake.begin, self._book, team, asked.get("sha256"), asked.get("size"))
        return JSONResponse({"offset": offset})

    async def append(self, request: Request) -> Response:
        """The bytes from header Upload-Offset on -> {"offset"}; another offset than the one we are at is refused."""
        team, sha = await self._team(request), str(request.path_params["sha"])
        path, size = await run_in_threadpool(intake.part, self._book, team, sha)
        at = request.headers.get("upload-offset", "")
        if not at.isdigit():
            raise Refusal(400, "header Upload-Offset: wanted a number")
        data = b"".join([piece async for piece in request.stream()])  # the frame has bounded it
        return JSONResponse({"offset": await run_in_threadpool(_append, path, size, int(at), data)})

    async def done(self, request: Request) -> Response:
        """Verify and queue -> {"submission", "state", "link"}"""
        team, sha = await self._team(request), str(request.path_params["sha"])
        await run_in_threadpool(intake.part, self._book, team, sha)
        scratch = self._book.folder / "scratch"
        async with self._slots:
            number = await run_in_threadpool(intake.take, self._book, self._root, team, sha, scratch)
        return JSONResponse({"submission": number, "state": "queued", "link": f"/board/entry/{number}"})

    async def _team(self, request: Request) -> str:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        team = await run_in_threadpool(team_of, self._book, token.strip()) if kind.lower() == "bearer" else ""
        if not team:
            raise Refusal(401, "no team has this token")
        return team


def _append(path: Path, size: int, at: int, data: bytes) -> int:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        there = os.fstat(handle).st_size
        if at != there:
            raise Refusal(409, f"the upload is at {there}")
        if at + len(data) > size:
            raise InputFault(f"more than the {size} bytes that were announced")
        os.lseek(handle, at, os.SEEK_SET)
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
        return at + len(data)
    finally:
        os.close(handle)
