"""One model behind an OpenAI-compatible endpoint: asked within its limits, metered, recorded or replayed.

What goes wrong is attributed here. EndpointFault: refused, 5xx, 429, 401-404 or silence beyond the retries,
replies that are cut, empty or in no known form every time. AgentFault: 400, 413, 422 (malformed request, context
overflow). No message holds the key.
"""

import asyncio
import inspect
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import httpx2
import openai
from openai.resources.chat import AsyncCompletions

from webds.errors import AgentFault, EndpointFault, one_line
from webds.meter import current
from webds.models import settings
from webds.models.cassette import Cassette, Recording
from webds.models.rates import Rates
from webds.models.replies import Parts, Reply, Unreadable, reading
from webds.models.settings import Endpoint

_LONGEST_WAIT = 30.0
_AGENTS = (400, 413, 422)
"""The endpoint found the request wrong: the fault of whoever wrote it."""


class _Again(Exception):
    """This try failed, another may not. `wait` is what the endpoint asked for, in seconds."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


@dataclass(slots=True)
class _Shared:
    """What the calls of one event loop share: connections, rates and cassettes cannot outlive it."""

    clients: dict[tuple[Any, ...], openai.AsyncOpenAI] = field(default_factory=dict)
    rates: dict[tuple[Any, ...], Rates] = field(default_factory=dict)
    cassettes: dict[str, Cassette] = field(default_factory=dict)


_LOOPS: WeakKeyDictionary[asyncio.AbstractEventLoop, _Shared] = WeakKeyDictionary()


def _shared() -> _Shared:
    return _LOOPS.setdefault(asyncio.get_running_loop(), _Shared())


async def close() -> None:
    """End the connections of this event loop."""
    for client in _LOOPS.pop(asyncio.get_running_loop(), _Shared()).clients.values():
        await client.close()


class Model:
    """Asks one endpoint. `where` names its config table in messages."""

    def __init__(self, endpoint: Endpoint, where: str) -> None:
        self.endpoint = endpoint
        self._key = settings.key(endpoint, where)
        self._prices = settings.prices(endpoint)
        self._recording = Recording(Path(endpoint.record), self._key) if endpoint.record else None

    async def ask(self, messages: Sequence[Mapping[str, Any]], *, role: str = "act", **more: Any) -> Reply:
        """One reply. `more` goes into the request body as it is (tools, tool_choice, response_format, seed, logprobs).

        EndpointFault, AgentFault as above; LimitReached before the call where tokens or dollars are used up.
        """
        request = {"model": self.endpoint.model, "messages": list(messages), **self.endpoint.sampling, **more}
        return await self.send(request, role)

    async def send(self, request: dict[str, Any], role: str) -> Reply:
        """One reply to a whole request body, metered under `role`, without the fields of the endpoint's `leave_out`."""
        request = {name: value for name, value in request.items() if name not in self.endpoint.leave_out}
        meter = current()
        scope = meter.scope if meter else ""
        if meter:
            meter.check()
        if self.endpoint.replay:
            reply = Reply.read(self._cassette().get(request, scope))
        else:
            reply = await self._persist(request, role)
            if self._recording:
                self._recording.put(request, scope, role, reply.plain())
        if meter:
            meter.charge(role, reply.usage)
        return reply

    async def _persist(self, request: dict[str, Any], role: str) -> Reply:
        wait = self.endpoint.backoff
        for left in range(self.endpoint.retries, -1, -1):
            try:
                async with self._rates().call():
                    return await self._try(request, role)
            except _Again as failed:
                if not left or (failed.wait or 0) > self.endpoint.patience:
                    raise EndpointFault(
                        f"{failed}{self._asked_for(failed)}", f"model {self.endpoint.model}"
                    ) from failed
                await asyncio.sleep(failed.wait if failed.wait is not None else wait)
                wait = min(2 * wait, _LONGEST_WAIT)
        raise AssertionError("unreachable: the last try returns or raises")

    def _asked_for(self, failed: _Again) -> str:
        return f" (it asks to wait {failed.wait:g} s)" if failed.wait else f" ({self.endpoint.retries + 1} tries)"

    async def _try(self, request: dict[str, Any], role: str) -> Reply:
        with_model = f"model {self.endpoint.model}"
        parts = Parts()
        try:
            async with asyncio.timeout(self.endpoint.whole):
                await (self._streamed(request, parts) if self.endpoint.stream else self._at_once(request, parts))
            reply = parts.reply(self.endpoint.model, self._prices, _length(request))
        except openai.APIStatusError as error:
            raise self._refused(error, with_model) from error
        except (openai.APIConnectionError, openai.APIError, httpx2.HTTPError, TimeoutError) as error:
            if parts.size or _was_sent(error):
                self._bill(parts, request, role)
            raise _Again(self._clean(one_line(error) if str(error) else "no answer in time")) from error
        except asyncio.CancelledError:  # the episode is over: what it was sent is paid for, whatever became of it
            self._bill(parts, request, role)
            raise
        except Unreadable as error:
            if error.begun:
                self._bill(parts, request, role)
            raise _Again(self._clean(str(error))) from error
        self._rates().used(sum(reply.usage.get(name, 0) for name in ("input", "cached_input", "output")))
        return reply

    def _refused(self, error: openai.APIStatusError, where: str) -> Exception:
        why = self._clean(f"status {error.status_code}: {one_line(error)}")
        if error.status_code in _AGENTS:
            return AgentFault(why, where)
        if error.status_code in (408, 409, 425, 429) or error.status_code >= 500:
            return _Again(why, _retry_after(error.response.headers))
        return EndpointFault(why, where)

    def _bill(self, parts: Parts, request: dict[str, Any], role: str) -> None:
        """What a reply without an end may have cost: as told so far, else its tokens by length, its price unknown."""
        meter = current()
        if meter:
            meter.charge(role, parts.used(self.endpoint.model, self._prices, _length(request)))

    def _clean(self, text: str) -> str:
        return text.replace(self._key, "[key]") if len(self._key) >= 8 else text

    def _client(self) -> openai.AsyncOpenAI:
        """One client a process and endpoint, so that connections are used again."""
        end = self.endpoint
        place = (end.base_url, self._key, end.connect, end.whole)
        known = _shared().clients
        if place not in known:
            timeout = openai.Timeout(end.whole, connect=end.connect)
            known[place] = openai.AsyncOpenAI(base_url=end.base_url, api_key=self._key, max_retries=0, timeout=timeout)
        return known[place]

    def _rates(self) -> Rates:
        end = self.endpoint
        place = (end.base_url, end.requests, end.tokens, end.parallel)
        return _shared().rates.setdefault(place, Rates(end.requests, end.tokens, end.parallel))

    def _cassette(self) -> Cassette:
        known = _shared().cassettes
        if self.endpoint.replay not in known:
            known[self.endpoint.replay] = Cassette(Path(self.endpoint.replay))
        return known[self.endpoint.replay]

    async def _at_once(self, request: dict[str, Any], parts: Parts) -> None:
        body = await self._client().chat.completions.with_raw_response.create(**_known(request))
        with reading():
            value = body.http_response.json()
        parts.add(value if isinstance(value, Mapping) else {}, "message")

    async def _streamed(self, request: dict[str, Any], parts: Parts) -> None:
        more = {"stream": True, "stream_options": {"include_usage": True}}
        body = {**request, **{name: value for name, value in more.items() if name not in self.endpoint.leave_out}}
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(self.endpoint.first):
                made = await self._client().chat.completions.create(**_known(body))
                chunks = aiter(await stack.enter_async_context(made))
                chunk = await _next(chunks)
            while chunk is not None:
                parts.add(chunk, "delta")
                if parts.size > self.endpoint.reply_chars:
                    parts.finish = "length"
                    break
                chunk = await _next(chunks)


async def _next(chunks: AsyncIterator[Any]) -> dict[str, Any] | None:
    """The next chunk; None at the end. Unreadable where it is none."""
    with reading():
        chunk = await anext(chunks, None)
        return None if chunk is None else dict(chunk.model_dump(warnings=False))


_PICTURE = re.compile(r"data:image/[\w.+-]+;base64,[\w+/=]+")
_PICTURE_LENGTH = 4000


def _length(request: Mapping[str, Any]) -> int:
    """Characters of what a model reads of a request; a picture counts as much as a page of text, whatever its bytes."""
    read = "".join(str(request[name]) for name in ("messages", "tools", "response_format") if name in request)
    return len(_PICTURE.sub(" " * _PICTURE_LENGTH, read))


def _was_sent(error: BaseException) -> bool:
    """Whether our own patience ended with the endpoint at work, whose reply is paid for all the same."""
    if isinstance(error, openai.APITimeoutError):
        return not isinstance(error.__cause__, httpx2.ConnectTimeout)
    return isinstance(error, TimeoutError)


def _known(request: dict[str, Any]) -> dict[str, Any]:
    """The request as arguments: fields that the library has no name for go into the body beside them."""
    named = {name: value for name, value in request.items() if name in _NAMED}
    rest = {name: value for name, value in request.items() if name not in _NAMED}
    return {**named, "extra_body": rest} if rest else named


_NAMED = frozenset(inspect.signature(AsyncCompletions.create).parameters) - {"self", "extra_body", "extra_headers"}
"""What the library has an argument for."""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a Retry-After asks for: a number, or a date as the endpoint's own clock sees it, if it tells it."""
    told = headers.get("retry-after", "")
    try:
        return max(0.0, float(told))
    except ValueError:
        pass
    until, now = _moment(told), _moment(headers.get("date", "")) or datetime.now(UTC)
    return max(0.0, (until - now).total_seconds()) if until else None


def _moment(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
