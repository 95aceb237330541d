"""How long a run waits for a model endpoint that is down. An episode that it ended costs no try and starts again."""

import asyncio
from collections import Counter
from collections.abc import Callable

from webds.clock import awake

FIRST, LONGEST = 1.0, 60.0
"""Seconds between two attempts, doubled from the first to the longest."""
ALONE = 3
"""An endpoint that fails one episode this often while it serves others in between is not waited for."""

type Key = tuple[str, int]


class Patience:
    """One a run, shared by its slots. `wait` in seconds awake."""

    def __init__(self, wait: float, clock: Callable[[], float] = awake) -> None:
        self._wait = wait
        self._clock = clock
        self._since: float | None = None
        self._until = 0.0
        self._pause = FIRST
        self._served = 0
        self._seen: dict[Key, int] = {}
        self._alone: Counter[Key] = Counter()

    @property
    def waiting(self) -> float:
        """Seconds until the next attempt; 0 where the endpoint is not known to be down."""
        return max(0.0, self._until - self._clock()) if self._since is not None else 0.0

    def up(self) -> None:
        """An episode got its answers."""
        self._served += 1
        self._since, self._pause = None, FIRST

    def down(self, key: Key) -> bool:
        """The endpoint ended a try of this episode. Whether to start it again, after `clear`."""
        self._alone[key] += self._seen.get(key, self._served) != self._served
        self._seen[key] = self._served
        now = self._clock()
        if self._since is None:
            self._since, self._until = now, 0.0
        left = self._since + self._wait - now
        if left <= 0 or self._alone[key] >= ALONE:
            return False
        if now >= self._until:  # else another slot has met it in this round
            self._until = now + min(self._pause, left)
            self._pause = min(self._pause * 2, LONGEST)
        return True

    async def clear(self) -> None:
        """Wait until the next attempt may be made."""
        while seconds := self.waiting:  # noqa: ASYNC110 - a time, not an event: another slot may put it off
            await asyncio.sleep(seconds)
