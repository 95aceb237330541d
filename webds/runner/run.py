"""The main loop: give episodes to worker slots, commit their evidence, have them judged. Safe to kill at any instant.

An episode is done when its evidence.json is there (see webds.store). On resume the folders say what is done; a try
without evidence was cut off and is left as it lies. INFRA starts again from nothing, at most MAX_TRIES in all.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from webds.codec import load, plain
from webds.errors import DiskFull, Fault, InfraFault, InputFault
from webds.outcome import outcome
from webds.runner.children import Child, Worker, refuse
from webds.runner.plan import Plan
from webds.store import Committed, RunFolder, append_line, commit, index_row, read_try
from webds.types import Ending, Evidence, Outcome, Task

MAX_TRIES = 3
KEYED = "oracle"
"""The one agent that is given keys, by the judge's process."""
_GRACE = 120
LIVE = ("live", "archive", "viewport", "locale", "zone")
"""What a track needs of the config beside its own fields."""
GRADED = (Ending.SUBMITTED, Ending.GAVE_UP, Ending.LIMIT)
"""Endings whose outcome a verdict decides."""

type Listener = Callable[[str, str, int, Outcome | None], None]
"""Called with event (start, retry, done), task id, repeat, and the outcome of a finished episode."""


class Runner:
    """Runs a plan into a run folder that is open for writing."""

    def __init__(self, plan: Plan, run: RunFolder, needs: Any, listen: Listener) -> None:
        self._plan = plan
        self._run = run
        self._listen = listen
        self._keyed = plan.agent == KEYED
        self._logs = run.path / "logs"
        self._logs.mkdir(exist_ok=True)
        words = ["webds_judge", "--root", str(plan.root), *keys_beside(plan.config)]
        words += ["--key-given"] if self._keyed else []
        self._judge = Child(words, self._logs / "judge.log")
        self._setup = self._worker_setup(needs)
        self.complaints: list[str] = []
        """Why the judge gave no verdict, one line an episode."""
        self._queue: asyncio.Queue[tuple[Task, int]] = asyncio.Queue()

    def _worker_setup(self, needs: Any) -> dict[str, Any]:
        plan, config = self._plan, self._plan.config
        root = str(plan.root)
        agent = {"root": root, **config["agents"].get(plan.agent, {})}
        kept = ("chromium", "viewport", "locale", "zone", "limits", "sandbox")
        value = plain(
            {
                "suite": plan.suite,
                "suite_config": {"root": root, **{name: config[name] for name in kept}},
                "track": plan.track,
                "track_config": {
                    "root": root,
                    "isolation": plan.isolation,
                    "seconds": config["limits"]["world"],
                    "provider": config.get("provider", "process"),
                    "docker": config.get("docker", {}),
                    **{name: config[name] for name in LIVE if name in config},
                    "run": str(self._run.path),
                },
                "needs": needs,
                "agent": plan.agent,
                "agent_config": agent,
                "blobs": str(self._run.path / "blobs"),
            }
        )
        assert isinstance(value, dict)
        return value

    async def go(self) -> None:
        """Run everything that is not done yet. InfraFault if no World can be had, InputFault for bad input."""
        for task, repeat in self._plan.episodes:
            await self._resume(task, repeat)
        slots = max(1, min(self._plan.concurrency, self._queue.qsize()))
        try:
            if self._queue.qsize():
                async with asyncio.TaskGroup() as group:
                    for number in range(slots):
                        group.create_task(self._slot(number, group))
        except* InputFault as bad:
            raise _first(bad) from None
        except* Fault as broken:
            raise _first(broken) from None
        except* OSError as full:
            raise _first(full) from None
        finally:
            await self._judge.stop()
            self._run.rebuild_index()

    async def _resume(self, task: Task, repeat: int) -> None:
        """Queue an episode that is not done, have one judged that lacks its verdict."""
        tries = self._run.tries(task.id, repeat)
        if tries and is_final(tries):
            await self._finish(tries[-1].folder)
        else:
            self._queue.put_nowait((task, repeat))

    async def _slot(self, number: int, group: asyncio.TaskGroup) -> None:
        """Episodes one after the other; each is judged while the next one runs."""
        worker = Worker(self._setup, self._logs / f"worker-{number}.log")
        try:
            await worker.ready(self._plan.config["limits"]["world"] * 2)
            self._note_world(worker.world)
            while not self._queue.empty():
                task, repeat = self._queue.get_nowait()
                folder = await self._episode(worker, task, repeat)
                group.create_task(self._finish(folder))
            await worker.stop()
        finally:
            await worker.cancel()

    async def _finish(self, folder: Path) -> None:
        await self._grade(read_try(folder))
        self._done(folder)

    def _note_world(self, world: dict[str, Any]) -> None:
        facts = {**self._run.head.get("facts", {}), **world}
        if facts != self._run.head.get("facts"):
            self._run.write_head({**self._run.head, "facts": facts})

    async def _episode(self, worker: Worker, task: Task, repeat: int) -> Path:
        """Tries until one is not INFRA, or they are used up; the folder of the last."""
        self._listen("start", task.id, repeat, None)
        while True:
            folder = await self._try(worker, task, repeat)
            tries = self._run.tries(task.id, repeat)
            if is_final(tries):
                return folder
            self._listen("retry", task.id, repeat, None)

    async def _try(self, worker: Worker, task: Task, repeat: int) -> Path:
        folder = self._run.new_try(task.id, repeat)
        attempt = int(folder.name.removeprefix("try-"))
        self._run.log("start", task=task.id, repeat=repeat, attempt=attempt)
        order = {"task": plain(task), "repeat": repeat, "attempt": attempt, "folder": str(folder)}
        if self._keyed:
            order["key"] = refuse_error(await self._ask_judge({"key": task.id}))["key"]
        try:
            await worker.ready(self._plan.config["limits"]["world"] * 2)
            seconds = (task.budget.seconds or 86_400) + _GRACE
            answer = refuse(await worker.ask(order, seconds))
            evidence = load(Evidence, answer["evidence"], "worker: evidence")
        except DiskFull:
            raise
        except InfraFault as fault:
            evidence = _broken(task, repeat, attempt, self._plan.agent, str(fault))
        commit(folder, evidence)
        append_line(self._run.path / "episodes.jsonl", index_row(self._run.path, read_try(folder)))
        self._run.log("commit", task=task.id, repeat=repeat, attempt=attempt, ending=evidence.ending)
        return folder

    async def _grade(self, item: Committed) -> None:
        if item.evidence.ending not in GRADED or "tier1" in item.verdicts:
            return
        answer = await self._ask_judge({"grade": str(item.folder.resolve())})
        word = {key: answer[key] for key in ("kind", "passed", "error") if key in answer}
        if "error" in answer:
            self.complaints.append(f"{item.evidence.task}: {answer['error']}")
        self._run.log("verdict", task=item.evidence.task, repeat=item.evidence.repeat, **word)

    async def _ask_judge(self, question: dict[str, Any]) -> dict[str, Any]:
        """The judge's answer. A judge that dies is started again once; an outage leaves the episode ungraded."""
        for _ in range(2):
            try:
                if not self._judge.alive:
                    await self._judge.start()
                return await self._judge.ask(question, self._plan.config["limits"]["judge"])
            except InfraFault as fault:
                why = str(fault)
        return {"error": f"the judge gave no answer: {why}"}

    def _done(self, folder: Path) -> None:
        item = read_try(folder)
        self._listen("done", item.evidence.task, item.evidence.repeat, outcome(item.evidence, item.verdicts))


def keys_beside(config: Mapping[str, Any]) -> list[str]:
    """The judge's words for keys of a user's own tasks: keys.toml beside each task file, and no others."""
    files = [Path(name).with_name("keys.toml") for name in config.get("task_files", ())]
    return [word for file in files for word in ("--keys", str(file))]


def is_final(tries: list[Committed]) -> bool:
    """Whether the last committed try stands: it is not INFRA, or the tries are used up."""
    broken = sum(item.evidence.ending is Ending.INFRA for item in tries)
    return bool(tries) and (tries[-1].evidence.ending is not Ending.INFRA or broken >= MAX_TRIES)


def refuse_error(answer: dict[str, Any]) -> dict[str, Any]:
    """The judge's answer, unless it is an error: then that is bad input (a key that is missing or malformed)."""
    if "error" in answer:
        raise InputFault(str(answer["error"]))
    return answer


def _broken(task: Task, repeat: int, attempt: int, agent: str, why: str) -> Evidence:
    """Evidence of a try whose worker was lost."""
    return Evidence(
        task=task.id, revision=task.revision, repeat=repeat, attempt=attempt, agent=agent, ending=Ending.INFRA, why=why
    )


def _first(group: BaseExceptionGroup[Any]) -> BaseException:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
