"""One episode's session as strangers reach it: one call at a time, each answer plain JSON, each end remembered."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from webds.codec import plain as _json
from webds.errors import LimitReached, PortClosed, WebdsError
from webds.ports import Session
from webds.types import Action, Observation, Params


class Ended(Exception):
    """No call is taken any more; `str()` says why, in words that name nothing of this machine."""


class Refused(Exception):
    """The request itself is wrong; `str()` says what was wanted."""


class Desk:
    """`over` is set when the episode has ended; `failure` is what then has to be raised in the worker."""

    def __init__(self, session: Session, blobs: Path) -> None:
        self.session = session
        self.over = asyncio.Event()
        self.submitted = False
        self.failure: WebdsError | None = None
        self._blobs = blobs
        self._images: set[str] = set()
        self._lock = asyncio.Lock()

    def task(self) -> dict[str, Any]:
        """What the agent may know of its task."""
        task = self.session.task
        told = {"id": task.id, "prompt": task.prompt, "start": task.start, "inputs": task.inputs, "budget": task.budget}
        return {**_row(told), "actions": _json(self.session.actions)}

    async def observe(self) -> dict[str, Any]:
        """What is there now."""
        return self._seen(await self._call(self.session.observe))

    async def act(self, body: Mapping[str, Any], *, own: bool = False) -> dict[str, Any]:
        """One action by name; `own`: the agent did it with its own hands and only reports it."""
        action = _action(body)
        if action.name == "submit":
            return await self.submit(action.args)
        take = self.session.acted if own else self.session.act
        return self._seen(await self._call(lambda: take(action)))

    async def submit(self, args: Params) -> dict[str, Any]:
        """Hand in: `answer`, `files` (names in the work folder), `unachievable`."""
        files = args.get("files") or ()
        texts = [args.get("answer", ""), args.get("unachievable") or ""]
        if not isinstance(files, list | tuple) or not all(isinstance(word, str) for word in (*texts, *files)):
            raise Refused("submit wants answer and unachievable as texts and files as a list of names")
        answer, why = map(str, texts)
        names = tuple(map(str, files))
        await self._call(lambda: self.session.submit(answer, names, why))
        self.submitted = True
        self.over.set()
        return {"submitted": True}

    def image(self, digest: str) -> bytes | None:
        """A picture that this episode's observations named; none of another episode."""
        if digest not in self._images:
            return None
        file = self._blobs / digest[:2] / digest
        return file.read_bytes() if file.is_file() else None

    def end(self, failure: WebdsError) -> Ended:
        """Remember what ended the episode."""
        if not isinstance(failure, PortClosed) and self.failure is None:
            self.failure = failure
        self.over.set()
        known = isinstance(failure, LimitReached | PortClosed)
        return Ended(str(failure) if known else "the episode's environment broke; it will be tried again")

    async def _call[T](self, ask: Callable[[], Awaitable[T]]) -> T:
        async with self._lock:
            try:
                return await ask()
            except WebdsError as failure:
                raise self.end(failure) from failure

    def _seen(self, then: Observation) -> dict[str, Any]:
        if then.image:
            self._images.add(then.image)
        return _row(then)


def _action(body: Mapping[str, Any]) -> Action:
    name, args = body.get("name"), body.get("args", {})
    if not isinstance(name, str) or not isinstance(args, Mapping):
        raise Refused('wanted {"name": "...", "args": {...}}')
    return Action(name=name, args=args)


def _row(value: object) -> dict[str, Any]:
    """A record, or a dict of records, as a JSON object."""
    found = _json(value)
    assert isinstance(found, dict)
    return found
