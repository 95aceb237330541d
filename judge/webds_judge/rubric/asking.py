"""One readable reply, from the cache or from the endpoint: the only place where tier 2 calls a model."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from webds.codec import digest, load
from webds.errors import AgentFault, EndpointFault, InputFault
from webds.meter import current
from webds.models.client import Model
from webds.models.replies import Reply
from webds.store import read_json, write_json
from webds.types import Json
from webds_judge.rubric.fence import Fence, draw
from webds_judge.rubric.prompting import Messages
from webds_judge.rubric.reader import Reading, Unreadable
from webds_judge.rubric.table import Table

_ENOUGH = 3
"""Calls in a row that the endpoint failed, each beyond its own retries: the batch asks no more."""


class Unsound(Exception):
    """The model answered a canary wrongly: nothing that it says counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call[T]:
    """What is asked. `subject`: content that the cache knows it by. `check` reads the reply or raises Unreadable.

    `role`: canary, relevance or grade, by which the call is metered (webds.meter).
    """

    subject: Json
    messages: Callable[[Fence], Messages]
    check: Callable[[str, Fence], T]
    role: str = "grade"
    seed: int = 0
    form: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Said[T]:
    """What was read, what it cost (webds.prices), calls until it was readable, and whether canaries had passed.

    `usage` is of all those calls, the unreadable ones too.
    """

    value: T
    usage: Mapping[str, Any]
    tries: int
    sound: bool


@dataclass(frozen=True, slots=True)
class Replies:
    """All that was said of one try: the samples, in order of their seeds, and what steps matter."""

    samples: Sequence[Said[Reading]]
    relevance: Sequence[Said[dict[int, float]]]


type Gate = Callable[["Asking"], Awaitable[bool]]
"""Before the first uncached call: True where the canaries passed, False where they were left out. Raises Unsound."""


class Asking:
    """Asks through the cache. The endpoint's key and address are looked at when the first uncached call is made."""

    def __init__(self, table: Table, cache: Path, gate: Gate) -> None:
        self.table = table
        self._cache = cache
        self._gate = gate
        self._model: Model | None = None
        self._failed = 0
        self._last = ""
        self._formed = table.endpoint.dialect != "text"

    async def ask[T](self, call: Call[T]) -> Said[T]:
        """Unreadable, EndpointFault, AgentFault (the request was refused), InputFault (no key), Unsound."""
        path = self._path(call)
        if kept := self._kept(path, call):
            return kept
        sound = await self._gate(self)
        meter = current()
        if meter:
            meter.take()
        reply, fence, tries, value = await self._persist(call)
        usage = _of_call(meter.take() if meter else reply.usage)
        write_json(path, {"text": reply.text, "fence": asdict(fence), "usage": usage, "tries": tries, "sound": sound})
        return Said(value=value, usage=usage, tries=tries, sound=sound)

    async def fresh[T](self, call: Call[T]) -> T:
        """Past the cache, and not kept."""
        return (await self._persist(call))[3]

    def _path(self, call: Call[Any]) -> Path:
        name = digest({"who": self.table.identity, "what": call.subject, "seed": call.seed})
        return self._cache / name[:2] / f"{name}.json"

    def _kept[T](self, path: Path, call: Call[T]) -> Said[T] | None:
        """A kept reply, read again by the rules of today. A file that is not one is as good as none."""
        try:
            row = read_json(path) if path.is_file() else None
            if not isinstance(row, dict):
                return None
            value = call.check(str(row["text"]), load(Fence, row["fence"], path.name))
            return Said(value=value, usage=row["usage"], tries=int(row["tries"]), sound=row["sound"] is True)
        except (InputFault, Unreadable, KeyError, TypeError, ValueError):
            return None

    async def _persist[T](self, call: Call[T]) -> tuple[Reply, Fence, int, T]:
        why = ""
        for tries in range(1, self.table.asked.attempts + 1):
            fence = draw()
            reply = await self._reply(call, fence)
            try:
                return reply, fence, tries, call.check(_text(reply), fence)
            except Unreadable as error:
                why = str(error)
        raise Unreadable(f"{why} ({self.table.asked.attempts} replies)")

    async def _reply(self, call: Call[Any], fence: Fence) -> Reply:
        if self._failed >= _ENOUGH:
            raise EndpointFault(f"not asked any more after {_ENOUGH} failures: {self._last}")
        try:
            reply = await self._sent(call, fence)
        except EndpointFault as error:
            self._failed, self._last = self._failed + 1, str(error)
            raise
        self._failed = 0
        return reply

    async def _sent(self, call: Call[Any], fence: Fence) -> Reply:
        self._model = self._model or Model(self.table.endpoint, "rubric")
        more: dict[str, Any] = {**self.table.sampling, "seed": call.seed}
        messages = call.messages(fence)
        if call.form is not None and self._formed:
            try:
                return await self._model.ask(messages, role=call.role, response_format=call.form, **more)
            except AgentFault:  # an endpoint that knows no schema, or a request that is refused either way
                reply = await self._model.ask(messages, role=call.role, **more)
                self._formed = False
                return reply
        return await self._model.ask(messages, role=call.role, **more)


def _of_call(record: Mapping[str, Any]) -> dict[str, Any]:
    """The role is the call's."""
    return {name: value for name, value in record.items() if name != "roles"}


def _text(reply: Reply) -> str:
    if reply.refusal or reply.finish == "content_filter":
        raise Unreadable("the model refused")
    if reply.finish == "length":
        raise Unreadable("the reply was cut off at its longest")
    return reply.text
