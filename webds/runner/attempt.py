"""One try: an order to a worker, its evidence, and the commit. What a worker cannot say any more is INFRA."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from webds.codec import load, plain
from webds.errors import DiskFull, InfraFault
from webds.runner.caps import EVENT, Capped, Purse
from webds.runner.children import Worker, refuse
from webds.runner.judging import Judging
from webds.runner.plan import Plan, needed
from webds.store import RunFolder, append_line, commit, index_row, read_try
from webds.types import Ending, Evidence, Task

KEYED = "oracle"
"""The one agent that is given keys, by the judge's process."""
LIVE = ("live", "archive", "viewport", "locale", "zone")
"""What a track needs of the config beside its own fields."""
GRACE = 60
"""Seconds for starting and closing a browser, on top of what agent and environment may take."""


def worker_setup(plan: Plan, run: Path, needs: Any) -> dict[str, Any]:
    """The first line that every worker of the run gets."""
    config = plan.config
    root = str(plan.root)
    kept = ("chromium", "viewport", "device_scale", "launch_ahead", "colour_scheme", "screenshot", "locale", "zone",
            "limits", "sandbox")  # fmt: skip
    value = plain(
        {
            "suite": plan.suite,
            "suite_config": {
                "root": root,
                **{name: config[name] for name in kept if name in config},
                "agent_needs": needed(plan.agent, config["agents"].get(plan.agent, {})),
            },
            "track": plan.track,
            "track_config": {
                "root": root,
                "isolation": plan.isolation,
                "seconds": config["limits"]["world"],
                "provider": config.get("provider", "process"),
                "docker": config.get("docker", {}),
                **{name: config[name] for name in LIVE if name in config},
                "run": str(run),
            },
            "needs": needs,
            "agent": plan.agent,
            "agent_config": {"root": root, **config["agents"].get(plan.agent, {})},
            "blobs": str(run / "blobs"),
            "limits": limits(config),
        }
    )
    assert isinstance(value, dict)
    return value


def limits(config: Mapping[str, Any]) -> dict[str, float]:
    """Seconds for one act and for an episode without a budget of its own. An act may be a call of the sandbox."""
    given, tool = config["limits"], config["sandbox"]["seconds"]
    return {"action": max(given.get("action", 180), tool + 60), "episode": given.get("episode", 7200)}


class Attempts:
    """Makes tries of one run, one at a time on each worker."""

    def __init__(
        self,
        plan: Plan,
        run: RunFolder,
        judging: Judging,
        began: Callable[[Task, int, int], None],
        purse: Purse,
    ) -> None:
        """`began`: called with task, repeat and try number as each begins. `purse`: what the run may still use."""
        self._plan = plan
        self._run = run
        self._judging = judging
        self._began = began
        self._limits = limits(plan.config)
        self._purse = purse

    async def one(self, worker: Worker, task: Task, repeat: int) -> Evidence:
        """Run, commit and log one try. DiskFull, InputFault and Capped are raised, the rest is in the evidence."""
        folder = self._run.new_try(task.id, repeat)
        attempt = int(folder.name.removeprefix("try-"))
        self._run.log("start", task=task.id, repeat=repeat, attempt=attempt)
        self._began(task, repeat, attempt)
        own, task = task, self._purse.lend(task)
        order = {"task": plain(task), "repeat": repeat, "attempt": attempt, "folder": str(folder)}
        if self._plan.agent == KEYED:
            order["key"] = await self._judging.key(task.id)
        try:
            evidence = await self._ask(worker, task, order)
        except DiskFull:
            raise
        except InfraFault as fault:
            evidence = _broken(task, repeat, attempt, self._plan.agent, str(fault))
            await worker.cancel()
        self._purse.charge(evidence)
        if self._purse.cut(own, task, evidence):
            used = {"usage": plain(evidence.usage), "steps": evidence.steps}
            self._run.log(EVENT, task=task.id, repeat=repeat, attempt=attempt, **used)
            raise Capped(evidence.why)
        commit(folder, evidence)
        append_line(self._run.path / "episodes.jsonl", index_row(self._run.path, read_try(folder)))
        words = {"ending": evidence.ending, **({"blame": evidence.blame} if evidence.blame else {})}
        self._run.log("commit", task=task.id, repeat=repeat, attempt=attempt, **words)
        return evidence

    async def _ask(self, worker: Worker, task: Task, order: dict[str, Any]) -> Evidence:
        await worker.ready(self._plan.config["limits"]["world"] * 2)
        # The worker keeps the limits itself; this is for one that hangs. An act may be under way when time is up, then
        # comes a look, then what the task says to collect.
        seconds = (task.budget.seconds or self._limits["episode"]) + 3 * self._limits["action"] + GRACE
        answer = refuse(await worker.ask(order, seconds))
        evidence = load(Evidence, answer["evidence"], "worker: evidence")
        if answer.get("worn"):
            await worker.cancel()
        return evidence


def _broken(task: Task, repeat: int, attempt: int, agent: str, why: str) -> Evidence:
    """Evidence of a try whose worker was lost."""
    return Evidence(
        task=task.id, revision=task.revision, repeat=repeat, attempt=attempt, agent=agent, ending=Ending.INFRA, why=why
    )
