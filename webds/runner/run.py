"""The main loop: give episodes to worker slots, commit their evidence, have them judged. Safe to kill at any instant.

An episode is done when its evidence.json is there (see webds.store). On resume the folders say what is done; a try
without evidence was cut off and is left as it lies. Which try stands, and what starts again: webds.standing.
"""

import asyncio
import signal
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from webds import config, jail_groups, scratch
from webds.clock import awake
from webds.errors import Fault, InfraFault, InputFault
from webds.outcome import outcome
from webds.runner import capacity, caps
from webds.runner.attempt import KEYED, Attempts, worker_setup
from webds.runner.board import Board
from webds.runner.children import Worker
from webds.runner.endpoint import Patience
from webds.runner.judging import Judging
from webds.runner.plan import Plan
from webds.standing import TRIES, History, Key, is_endpoint, is_final, standing
from webds.store import RunFolder, read_try
from webds.types import Ending, Outcome, Task

POLL = 1.0
"""Seconds between two looks at the control files."""

CAPPED = "max-cost: "

type Listener = Callable[[str, str, int, Outcome | None], None]
"""Called with event (start, retry, done, wait, pause; note: a line for the reader instead of the task's id), task id,
repeat, and the outcome of a finished episode."""
type Hire = Callable[[dict[str, Any], Path], Worker]
"""Makes a worker from its setup and the path of its log: where another engine comes in."""


class Stopped(Exception):
    """Asked to stop: `cancel` or `SIGTERM`. What is finished is kept."""


class Runner:
    """Runs a plan into a run folder that is open for writing."""

    def __init__(self, plan: Plan, run: RunFolder, needs: Any, listen: Listener, hire: Hire | None = None) -> None:
        """`hire`: default: processes of this machine, as many as its memory holds."""
        self._plan = plan
        self._run = run
        self._listen = listen
        self._hire = hire
        self._logs = run.path / "logs"
        self._logs.mkdir(exist_ok=True)
        self._limits = plan.config["limits"]
        self._setup = worker_setup(plan, run.path, needs)
        self._patience = Patience(float(self._limits.get("endpoint_wait", 1800)))
        self._board = Board(run, History.read(run.path))
        self._scratch = Path()
        self._capped = ""
        self.complaints: list[str] = []
        """Why the judge gave no verdict, one line an episode."""

    async def go(self) -> str:
        """Run everything that is not done yet; "" at the end of the plan, else what stopped it: cancel, SIGTERM, or
        CAPPED and the kind that is used up.

        InfraFault if no World can be had, InputFault for bad input.
        """
        loop = asyncio.get_running_loop()
        main = asyncio.current_task()
        assert main is not None
        terminated: list[str] = []

        def terminate() -> None:
            terminated.append("SIGTERM")
            main.cancel()

        loop.add_signal_handler(signal.SIGTERM, terminate)
        cgroup = str(self._plan.config["sandbox"].get("cgroup", ""))
        for line in await asyncio.to_thread(lambda: [*scratch.sweep(), *jail_groups.clean(cgroup)]):
            self._listen("note", line, 0, None)
        try:
            with ExitStack() as stack:
                self._scratch = stack.enter_context(scratch.scratch())
                async with awake.ticking():
                    return await self._judged()
        except asyncio.CancelledError:
            if not terminated:
                raise
            main.uncancel()
            return terminated[0]
        finally:
            loop.remove_signal_handler(signal.SIGTERM)

    async def _judged(self) -> str:
        env = config.child_environment(TMPDIR=str(self._scratch))
        keyed, log = self._plan.agent == KEYED, self._logs / "judge.log"
        judging = Judging(self._plan.root, self._run, self._plan.config, keyed, log, env)
        self.complaints = judging.complaints
        self._judging = judging
        self._purse = caps.Purse(caps.budget(self._plan.config, "run"), self._run, self._plan.concurrency)
        self._attempts = Attempts(self._plan, self._run, judging, self._board.began, self._purse)
        state = "broke off"
        try:
            stopped = await self._everything()
            state = "stopped" if stopped else "finished"
            return stopped
        except asyncio.CancelledError:
            state = "stopped"
            raise
        finally:
            await judging.stop()
            self._run.rebuild_index()
            self._board.say(state)

    async def _everything(self) -> str:
        self._board.begin()
        for task, repeat in self._plan.episodes:
            await self._resume(task, repeat)
        self._board.take_requests(self._tasks())
        slots = self._slots()
        word = ""
        try:
            while self._board.queued and not self._capped:  # an episode may be requeued when the slots have ended
                async with asyncio.TaskGroup() as group:
                    control = group.create_task(self._control())
                    working = [group.create_task(self._slot(number, group)) for number in range(slots)]
                    await asyncio.wait(working)
                    control.cancel()
                self._board.take_requests(self._tasks())
        except* Stopped as stopped:
            word = str(_first(stopped))
        except* InputFault as bad:
            raise _first(bad) from None
        except* Fault as broken:
            raise _first(broken) from None
        except* OSError as full:
            raise _first(full) from None
        return word or self._capped

    def _tasks(self) -> dict[Key, Task]:
        return {(task.id, repeat): task for task, repeat in self._plan.episodes}

    def _slots(self) -> int:
        wanted = max(1, min(self._plan.concurrency, self._board.queued))
        if self._hire is not None or wanted == 1:
            return wanted
        slots, line = capacity.slots(wanted, float(self._limits.get("slot_mb", 0)), capacity.free_mb())
        if line:
            self._listen("note", line, 0, None)
        return slots

    async def _resume(self, task: Task, repeat: int) -> None:
        """Queue an episode that is not done, have one judged that lacks its verdict."""
        tries = self._run.tries(task.id, repeat)
        if is_final(self._board.history.fresh((task.id, repeat), tries)):
            await self._finish(tries[-1].folder)
        else:
            self._board.put(task, repeat)

    async def _control(self) -> None:
        """Look at the control files for as long as slots work."""
        while True:
            if self._board.control.cancelled:
                self._board.control.begin()
                raise Stopped("cancel")
            self._board.take_requests(self._tasks())
            await asyncio.sleep(POLL)

    async def _slot(self, number: int, group: asyncio.TaskGroup) -> None:
        """Episodes one after the other; each is judged while the next one runs."""
        worker = self._worker(number)
        try:
            await self._open(worker)
            while self._board.queued and not self._at_cap():
                await self._clear(worker)
                if (item := self._board.take()) is not None:
                    folder = await self._episode(worker, *item)
                    group.create_task(self._finish(folder))
            await worker.stop()
        except caps.Capped as capped:
            self._capped = f"{CAPPED}{capped}"
        finally:
            await worker.cancel()

    async def _open(self, worker: Worker) -> None:
        """The slot's first World. One that cannot be had in TRIES attempts ends the run: then none can."""
        for left in reversed(range(TRIES)):
            try:
                await worker.ready(self._limits["world"] * 2)
                break
            except InfraFault:
                await worker.cancel()
                if not left:
                    raise
        self._note_world(worker.world)

    def _at_cap(self) -> bool:
        """Whether the run has used up a cap: no other episode begins, those that run go on to their end."""
        if not self._capped and (which := self._purse.reached()):
            self._capped = f"{CAPPED}{which}"
        return bool(self._capped)

    def _worker(self, number: int) -> Worker:
        log = self._logs / f"worker-{number}.log"
        if self._hire is not None:
            return self._hire(self._setup, log)
        folder = self._scratch / f"worker-{number}"
        return Worker(self._setup, log, config.child_environment(TMPDIR=str(folder)), folder)

    async def _clear(self, worker: Worker) -> None:
        """Wait while the run is paused, without a worker, and while the endpoint is down."""
        if self._board.control.paused:
            await worker.stop()
            self._listen("pause", "paused", 0, None)
            await self._board.unpaused(POLL)
        if self._patience.waiting:
            self._listen("wait", "waiting for the model endpoint", 0, None)
            self._board.say("waiting for the model endpoint")
            await self._patience.clear()
            self._board.say()

    async def _finish(self, folder: Path) -> None:
        await self._judging.grade(read_try(folder))
        self._done(folder)

    def _note_world(self, world: dict[str, Any]) -> None:
        facts = {**self._run.head.get("facts", {}), **world}
        if facts != self._run.head.get("facts"):
            self._run.write_head({**self._run.head, "facts": facts})

    async def _episode(self, worker: Worker, task: Task, repeat: int) -> Path:
        """Tries until one stands, or the endpoint has used up our patience; the folder of the last."""
        key = (task.id, repeat)
        self._listen("start", task.id, repeat, None)
        try:
            while True:
                evidence = await self._attempts.one(worker, task, repeat)
                tries = self._run.tries(task.id, repeat)
                if is_final(self._board.history.fresh(key, tries)):
                    break
                if is_endpoint(evidence) and not self._patience.down(key):
                    break
                self._listen("retry", task.id, repeat, None)
                await self._clear(worker)
        finally:
            self._board.ended(key)
        if evidence.ending is not Ending.INFRA:
            self._patience.up()
        return tries[-1].folder

    def _done(self, folder: Path) -> None:
        item = read_try(folder)
        word = outcome(item.evidence, item.verdicts)
        if item.evidence.ending is Ending.INFRA:
            tries = self._run.tries(*item.key)
            word = standing(tries, History.read(self._run.path))[0]
        self._listen("done", item.evidence.task, item.evidence.repeat, word)


def _first(group: BaseExceptionGroup[Any]) -> BaseException:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
