"""What is still to be run and what runs now, with the requests that other shells make of the run."""

import asyncio
from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from webds.control import Control
from webds.standing import Event, History, Key
from webds.store import RunFolder
from webds.types import Task


class Board:
    """Queue and running episodes of one run; `history` grows with each requeue."""

    def __init__(self, run: RunFolder, history: History) -> None:
        self.control = Control(run.path)
        self.history = history
        self._run = run
        self._queue: deque[tuple[Task, int]] = deque()
        self._running: dict[Key, dict[str, Any]] = {}
        self._again: set[Key] = set()
        self._state = "running"

    @property
    def queued(self) -> int:
        """Episodes that no slot has taken yet."""
        return len(self._queue)

    def begin(self) -> None:
        """The run starts or goes on: an old pause or cancel does not count any more."""
        self.control.begin()
        self.say("running")

    def put(self, task: Task, repeat: int) -> None:
        """Queue an episode at the end."""
        self._queue.append((task, repeat))

    def take(self) -> tuple[Task, int] | None:
        """The next episode, or None."""
        return self._queue.popleft() if self._queue else None

    def began(self, task: Task, repeat: int, attempt: int) -> None:
        """A try begins."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        self._running[task.id, repeat] = {"task": task.id, "repeat": repeat, "try": attempt, "since": at}
        self.say()

    def ended(self, key: Key) -> None:
        """No slot has the episode any more."""
        self._running.pop(key, None)
        self.say()

    def say(self, state: str = "") -> None:
        """Tell other shells; `state` stays until another one is given."""
        self._state = state or self._state
        shown = "pausing" if self._state == "paused" and self._running else self._state
        self.control.say(shown, running=list(self._running.values()), queued=self.queued)

    async def unpaused(self, seconds: float) -> None:
        """Wait for the end of a pause, looking every `seconds`."""
        self.say("paused")
        while self.control.paused and not self.control.cancelled:  # noqa: ASYNC110 - a file, perhaps of another host
            await asyncio.sleep(seconds)
        self.say("running")

    def take_requests(self, tasks: Mapping[Key, Task]) -> None:
        """Queue what is asked for. A request is on record in log.jsonl before its file goes."""
        for path, key in list(self.control.requeues()):
            if key in self._running:
                continue  # looked at again when it has ended
            if key in tasks and not self.history.has(path.stem):
                self._requeue(tasks[key], key, path.stem)
            path.unlink(missing_ok=True)

    def _requeue(self, task: Task, key: Key, request: str) -> None:
        last = self._run.last_try(*key)
        self._run.log("requeue", task=key[0], repeat=key[1], attempt=last, request=request)
        self.history = self.history.plus(Event("requeue", key, last, request=request))
        if all((queued.id, repeat) != key for queued, repeat in self._queue):
            self.put(task, key[1])
