"""What a run will do: tasks chosen by name, the head that run.json keeps, and how to read it back."""

import fnmatch
import importlib.metadata
import platform
import secrets
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from webds import __version__, plugins
from webds.codec import load, plain
from webds.difficulty import difficulty
from webds.errors import InputFault
from webds.types import Task


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

    @property
    def episodes(self) -> list[tuple[Task, int]]:
        """Every (task, repeat) in order."""
        return [(task, number) for number in range(self.repeat) for task in self.tasks]


def choose(tasks: Sequence[Task], patterns: Iterable[str]) -> tuple[Task, ...]:
    """Tasks whose id is, or matches, one of the patterns; all of them where there is none."""
    wanted = [word for pattern in patterns for word in pattern.split(",") if word]
    chosen = [task for task in tasks if not wanted or any(fnmatch.fnmatchcase(task.id, w) for w in wanted)]
    for word in wanted:
        if not any(fnmatch.fnmatchcase(task.id, word) for task in tasks):
            raise InputFault(f"no task {word!r}; known: {', '.join(task.id for task in tasks) or 'none'}")
    return tuple(chosen)


def able(agent: str, config: Mapping[str, Any], tasks: Sequence[Task]) -> tuple[Task, ...]:
    """The tasks that this agent can try at all: an agent's module may say so with `able(config, task)`."""
    factory = plugins.find("webds.agents", agent)
    says = getattr(sys.modules[factory.__module__], "able", None)
    return tuple(task for task in tasks if says is None or says(config, task))


def run_id(agent: str) -> str:
    """`<utc>-<agent>-<4 hex>`."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{agent}-{secrets.token_hex(2)}"


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
    }


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
