"""Seconds that this process was awake. Limits count these: a lid that was closed, a stopped process or a starved one
must not end an episode.

On Linux and macOS the monotonic clock stands still while the machine sleeps, and no limit looks at the wall clock. A
process that was stopped (SIGSTOP, a frozen virtual machine) wakes up to find hours gone by at once. So a ticker looks
every TICK seconds, and what a gap between two looks has beyond that is left out.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

TICK = 2.0
GAP = 10.0
"""Seconds late that a tick may be before the process counts as having been away."""


class Awake:
    """Call it for the seconds awake so far. `away` is what was left out, in seconds."""

    def __init__(self, source: Callable[[], float] = time.monotonic) -> None:
        self._source = source
        self._last = source()
        self._ticking = False
        self.away = 0.0

    def __call__(self) -> float:
        """Seconds awake since an arbitrary begin, never set back."""
        now = self._source()
        if self._ticking:
            late = now - self._last - TICK
            if late > GAP:
                self.away += late
            self._last = now
        return now - self.away

    @asynccontextmanager
    async def ticking(self) -> AsyncIterator[None]:
        """Notice gaps for the length of a block. May be nested: the inner one does nothing."""
        if self._ticking:
            yield
            return
        self._last, self._ticking = self._source(), True
        task = asyncio.ensure_future(self._tick())
        try:
            yield
        finally:
            self._ticking = False
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _tick(self) -> None:
        while True:
            self()
            await asyncio.sleep(TICK)


awake = Awake()
"""The clock of this process."""


@asynccontextmanager
async def limit(seconds: float | None, clock: Callable[[], float] = awake) -> AsyncIterator[asyncio.Timeout]:
    """As asyncio.timeout, in seconds awake. TimeoutError when they are used up; None is no limit."""
    loop = asyncio.get_running_loop()
    begun = clock()
    handle: asyncio.TimerHandle | None = None
    async with asyncio.timeout(None) as inner:

        def look() -> None:
            nonlocal handle
            left = (seconds or 0) - (clock() - begun)
            if left > 0.001:
                handle = loop.call_later(left, look)
            else:
                inner.reschedule(loop.time())

        if seconds is not None:
            handle = loop.call_later(seconds, look)
        try:
            yield inner
        finally:
            if handle is not None:
                handle.cancel()
