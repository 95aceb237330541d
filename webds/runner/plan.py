"""What a run will do: its tasks and episodes, the head that run.json keeps, and how to read it back."""

import importlib.metadata
import platform
import re
import secrets
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from webds import __version__, plugins
from webds.codec import load, plain
from webds.difficulty import difficulty
from webds.prices import read_prices
from webds.runner.choosing import Selection, Shard
from webds.session import SUBMIT
from webds.types import Budget, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A run before it starts. `config` is the resolved configuration, `warnings` what a reader has to know."""

    root: Path
    suite: str
    track: str
    agent: str
    tasks: tuple[Task, ...]
    repeat: int
    concurrency: int
    config: Mapping[str, Any]
    isolation: str
    sandbox: str
    warnings: tuple[str, ...] = ()
    selection: Selection = field(default_factory=Selection)
    shard: Shard = field(default_factory=Shard)
    declares: Mapping[str, Any] = field(default_factory=dict)
    """What suite and agent say of themselves: tools, observations, actions, model, sampling. Only what they have."""

    @property
    def episodes(self) -> list[tuple[Task, int]]:
        """Every (task, repeat) of this shard in order."""
        return self.shard.part([(task, number) for number in range(self.repeat) for task in self.tasks])


def able(agent: str, config: Mapping[str, Any], tasks: Sequence[Task]) -> tuple[Task, ...]:
    """The tasks that this agent can try at all: an agent's module may say so with `able(config, task)`."""
    factory = plugins.find("webds.agents", agent)
    says = getattr(sys.modules[factory.__module__], "able", None)
    return tuple(task for task in tasks if says is None or says(config, task))


ID = re.compile(r"[0-9]{8}T[0-9]{6}Z-[a-z0-9_-]{1,40}-[0-9a-f]{4,16}")
"""A run's id: see `run_id`."""


def needed(agent: str, config: Mapping[str, Any]) -> tuple[str, ...]:
    """What the suite has to open for this agent, by its module's `needs(config)`: `cdp`, `person`."""
    says = getattr(sys.modules[plugins.find("webds.agents", agent).__module__], "needs", None)
    return tuple(says(config)) if says else ()


def run_id(agent: str) -> str:
    """`<utc>-<agent>-<4 hex>`, a match of `ID` for any name that an agent's entry point may have."""
    word = re.sub(r"[^a-z0-9_-]+", "-", agent.lower()).strip("-")[:40] or "agent"
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{word}-{secrets.token_hex(2)}"


def head(plan: Plan, name: str, world: Mapping[str, Any]) -> dict[str, Any]:
    """run.json without its format number."""
    tasks = [{**_dict(task), "difficulty": difficulty(task.labels)} for task in plan.tasks]
    return {
        "id": name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "suite": plan.suite,
        "track": plan.track,
        "agent": plan.agent,
        "repeat": plan.repeat,
        "concurrency": plan.concurrency,
        "tasks": tasks,
        "plan": [[task.id, number] for task, number in plan.episodes],
        "facts": {**world, "isolation": plan.isolation, "sandbox": plan.sandbox},
        "key_given": plan.agent == "oracle",
        "versions": versions(str(plan.config["chromium"])),
        "config": plain(plan.config),
        "warnings": list(plan.warnings),
        "declares": {**plan.declares, "budget": _budgets(plan.tasks)},
        **({"selection": plan.selection.plain()} if plan.selection.plain() else {}),
        **({"shard": str(plan.shard)} if plan.shard.of > 1 else {}),
    }


def _budgets(tasks: Sequence[Task]) -> dict[str, list[float]]:
    """[least, most] of each limit that any task sets."""
    found = {name: [getattr(task.budget, name) for task in tasks] for name in (f.name for f in fields(Budget))}
    return {name: [min(limits), max(limits)] for name, limits in found.items() if any(limits)}


SAMPLING = ("temperature", "top_p", "seed", "max_tokens")
"""Fields of an agent's table that say how its model is sampled (docs/models.md)."""


def declared(suite: Any, agent: str, config: Mapping[str, Any], prices: str = "") -> dict[str, Any]:
    """What run.json declares beside versions and budgets: the suite's word, and over it that of the agent's module.

    Either may have `declares`, the agent's with its config table; without, its table's model and sampling are told.
    `prices` is a price table's file, whose version is told. What nobody says is left out: nothing is made up.
    """
    ours = plain(suite.declares()) if hasattr(suite, "declares") else {}
    says = getattr(sys.modules[plugins.find("webds.agents", agent).__module__], "declares", None)
    theirs = plain(says(config)) if says else _from_table(config)
    assert isinstance(ours, dict)
    assert isinstance(theirs, dict)
    if isinstance(ours.get("actions"), tuple):
        ours = {**ours, "actions": (*ours["actions"], SUBMIT["name"])}
    return {**ours, **theirs, **({"prices": read_prices(Path(prices)).version} if prices else {})}


def _from_table(config: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: config[name] for name in ("model", "profile") if name in config}
    sampling = {name: config[name] for name in SAMPLING if name in config}
    return found | ({"sampling": sampling} if sampling else {})


def _dict(task: Task) -> dict[str, Any]:
    value = plain(task)
    assert isinstance(value, dict)
    return value


def versions(chromium: str) -> dict[str, str]:
    """Versions that a reader needs to repeat the run."""
    named = ("playwright", "mitmproxy", "duckdb", "pandas", "openpyxl")
    found = {name: importlib.metadata.version(name) for name in named}
    said = _version_of(chromium) if chromium else ""
    return {"webds": __version__, "python": platform.python_version(), "chromium": said, **found}


def _version_of(program: str) -> str:
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=30)
    return (done.stdout.strip().splitlines() or [""])[0]


def read_tasks(run: Mapping[str, Any], where: str) -> tuple[Task, ...]:
    """The tasks of a run.json."""
    rows = [{key: value for key, value in row.items() if key != "difficulty"} for row in run.get("tasks", ())]
    return tuple(load(Task, row, where) for row in rows)
