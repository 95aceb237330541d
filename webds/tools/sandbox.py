"""The python, sql and preview tools of an episode: code of strangers over one work folder, and nothing else.

Inside there is no network, no repository, no site data, no key, no home: see webds.jail. Two interpreters, each
started on first use, or a little ahead of it: one keeps Python's state over the episode, the other runs SQL and
previews, so that a query that is stopped does not cost the Python state.
"""

import asyncio
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from webds import jail
from webds.codec import plain
from webds.errors import InfraFault
from webds.tools import folder, room
from webds.tools.capture import Capture
from webds.tools.child import Bounds, Child, Gone
from webds.tools.room import Limits as Limits
from webds.types import Json, Params

DEFAULTS = Limits()
_LOST = {
    "cell": "its variables and imports are lost; the next call starts a new interpreter",
    "data": "tables made by earlier queries are lost; the next call starts anew",
}
_CELL = "cell"
_KINDS = {"cell": ("cell",), "data": ("query", "preview")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a call printed (`text`), its error ("" = none), its wall-clock seconds, and whether `text` was cut."""

    text: str
    error: str
    seconds: float
    cut: bool


class Sandbox:
    """An async context manager, one an episode; `work` is the folder that code sees as /work.

    Started by root, `work` and what is in it is given to the uid that code runs as. Calls of one kind wait for each
    other. Raises InfraFault where the interpreter cannot be started.
    """

    def __init__(self, work: Path, limits: Limits = DEFAULTS, how: str | None = None) -> None:
        self.level: str = how or jail.mechanism()
        """bubblewrap, unshare or none: what run.json says of it."""
        self._work = work.resolve()
        self._given = os.geteuid() == 0 and self.level != "none"
        self._uid = jail.unused_uid() if self._given else jail.NOBODY
        self._limits = limits
        self._children: dict[str, Child] = {}
        self._captures = {name: Capture(limits.output_chars) for name in _KINDS}
        self._locks = {name: asyncio.Lock() for name in _KINDS}
        self._ahead: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "Sandbox":
        if self._given:
            _give(self._work, self._uid)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def warm(self) -> None:
        """Start the Python interpreter now, so that the first call does not pay for it."""
        await self.python("")

    def ahead(self) -> None:
        """Start the Python interpreter in the background, once: a call to come will probably want it."""
        if _CELL not in self._children and self._ahead is None:
            self._ahead = asyncio.create_task(self._start_ahead())

    async def _start_ahead(self) -> None:
        async with self._locks[_CELL]:
            if _CELL not in self._children:
                with suppress(Gone, InfraFault):  # the call that needs it tries again, and says what is wrong
                    await self._start(_CELL)

    async def python(self, code: str) -> Result:
        """Run code; the value of a last expression is shown. Names last from call to call."""
        return await self._call(_CELL, {"do": "cell", "code": code})

    async def sql(self, query: str) -> Result:
        """Run DuckDB SQL over files of the work folder (`FROM 'a.csv'`); the result is CSV, at most 200 rows."""
        return await self._call("data", {"do": "query", "query": query, "memory_mb": self._limits.memory_mb // 2})

    async def preview(self, name: str, options: Params) -> Result:
        """Show part of a file: options `start` (row, from 1), `rows` (at most 200), `sheet`, `page`."""
        return await self._call("data", {"do": "preview", "name": name, "options": plain(options)})

    async def close(self) -> None:
        """Kill everything inside. The sandbox can be used again: it starts anew."""
        if self._ahead is not None:
            await self._ahead  # a start that is cut off in the middle could leave its process behind
            self._ahead = None
        children, self._children = list(self._children.values()), {}
        for child in children:
            await child.close()

    async def _call(self, kind: str, request: Mapping[str, Json]) -> Result:
        async with self._locks[kind]:
            began = time.monotonic()
            if self._given:
                await asyncio.to_thread(_give_new, self._work, self._uid)
            try:
                child = self._children.get(kind) or await self._start(kind)
                error = await child.call(request, self._limits.seconds)
            except Gone as gone:
                self._children.pop(kind, None)
                error = f"{gone}; {_LOST[kind]}"
            text, cut = self._captures[kind].text()
            return Result(text=text, error=error, seconds=time.monotonic() - began, cut=cut)

    async def _start(self, kind: str) -> Child:
        limits = self._limits
        groups = await asyncio.to_thread(room.groups, limits, self.level)
        argv = room.command(self._work, _KINDS[kind], self.level, limits, self._uid, groups)
        self._captures[kind] = Capture(limits.output_chars)
        disk = 0 if folder.is_sized(self._work) else limits.folder_mb << 20
        bounds = Bounds(memory=limits.memory_mb << 20, disk=disk, groups=groups)
        child = Child(argv, self._work, bounds, self._captures[kind])
        await child.start()
        self._children[kind] = child
        return child


def _give(work: Path, uid: int) -> None:
    """Make the folder and what is in it belong to the uid inside; links are not followed."""
    os.chown(work, uid, uid, follow_symlinks=False)
    for parent, folders, files in os.walk(work):
        for name in (*folders, *files):
            os.chown(Path(parent) / name, uid, uid, follow_symlinks=False)


def _give_new(work: Path, uid: int) -> None:
    """What came since: downloads lie in the folder itself and belong to the browser's uid, not to a process inside."""
    with os.scandir(work) as entries:
        for entry in entries:
            with suppress(OSError):  # removed since it was listed
                if entry.stat(follow_symlinks=False).st_uid != uid:
                    os.chown(entry.path, uid, uid, follow_symlinks=False)
