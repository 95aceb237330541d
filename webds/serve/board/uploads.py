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


_ANSWERS = 256
"""Of bundles that were taken or refused, for how many the answer is kept for who asks again."""


class Desk:
    """Takes what teams send; verifying is bounded, so that many uploads at once cost no more memory than two."""

    def __init__(self, book: Book, root: Path) -> None:
        self._book = book
        self._root = root
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._taking: dict[tuple[str, str], asyncio.Task[int]] = {}

    async def reserve(self, request: Request) -> Response:
        """{"run", "agent", "model", "split"}"""
        team = await self._team(request)
        return JSONResponse(await run_in_threadpool(intake.reserve, self._book, team, await json_body(request)))

    async def begin(self, request: Request) -> Response:
        """{"sha256", "size"} -> {"offset"}"""
        team = await self._team(request)
        asked = await json_body(request)
        offset = await run_in_threadpool(intake.begin, self._book, team, asked.get("sha256"), asked.get("size"))
        key = (team, str(asked.get("sha256")))
        if key in self._taking and self._taking[key].done():  # said of an earlier upload, and no word on this one
            del self._taking[key]
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
        """Verify and queue -> {"submission", "state", "link"}. Who was cut off asks again: it is done once for all."""
        key = (await self._team(request), str(request.path_params["sha"]))
        if key not in self._taking:
            for old in [one for one, task in self._taking.items() if task.done()][:-_ANSWERS]:
                del self._taking[old]
            self._taking[key] = asyncio.create_task(self._take(*key))
        number = await asyncio.shield(self._taking[key])
        [row] = await run_in_threadpool(self._book.rows, "SELECT state FROM submissions WHERE id = ?", number)
        return JSONResponse({"submission": number, "state": row["state"], "link": f"/board/entry/{number}"})

    async def _take(self, team: str, sha: str) -> int:
        async with self._slots:
            scratch = self._book.folder / "scratch"
            return await run_in_threadpool(intake.take, self._book, self._root, team, sha, scratch)

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
