"""How often one endpoint is asked, over everything in this process that asks it."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

_MINUTE = 60.0


class Rates:
    """Requests and tokens a minute, and calls at a time; 0 means no limit. Waiting is in the order of asking."""

    def __init__(self, requests: float, tokens: float, parallel: int) -> None:
        self._gap = _MINUTE / requests if requests else 0.0
        self._token = _MINUTE / tokens if tokens else 0.0
        self._places = asyncio.Semaphore(parallel) if parallel else None
        self._turn = asyncio.Lock()
        self._next = 0.0

    @asynccontextmanager
    async def call(self) -> AsyncIterator[None]:
        """A place, once the rates allow the call."""
        async with self._places or nullcontext():
            await self._wait()
            yield

    async def _wait(self) -> None:
        async with self._turn:
            now = time.monotonic()
            if self._next > now:
                await asyncio.sleep(self._next - now)
            self._next = max(self._next, now) + self._gap

    def used(self, tokens: int) -> None:
        """Tokens that a call took: the next call waits until they fit the rate."""
        self._next = max(self._next, time.monotonic()) + tokens * self._token
