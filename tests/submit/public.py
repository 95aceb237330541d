"""Runs of the three public tasks of the package's own fixture, made by hand; people's labels of them."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.submit.made import episode
from webds.agents.selftest import FIXTURE
from webds.codec import plain
from webds.difficulty import difficulty
from webds.store import RunFolder, write_verdict
from webds.suites import taskfiles
from webds.tracks.sites import all_sites, data_of
from webds_judge.grade import TypedJudge
from webds_judge.keys import KeyRing
from webds_judge.rubric.criteria import rubric_hash

TASKS = {entry.id: entry.task() for _, entry in taskfiles.entries(FIXTURE)}
PAGE = "a page of the fixture"
RIGHT = {"check-read": "233", "check-form": "55", "check-file": "4"}


def public_run(to: Path, said: Mapping[str, str], *, agent: str = "human", number: int = 0) -> Path:
    """A finished, judged run of the tasks that `said` answers; a live one: it is not replayed, and needs no browser."""
    run = begun(to, said, agent=agent, number=number)
    for name, answer in said.items():
        episode(run, TASKS[name], answer, PAGE, "")
    ring = KeyRing(FIXTURE)
    for item in run.committed():
        word = TypedJudge().judged(item.evidence, item.folder, ring.key(item.evidence.task))
        write_verdict(item.folder, word)
    run.release()
    return to


def begun(to: Path, names: Iterable[str], *, agent: str = "human", number: int = 0, track: str = "live") -> RunFolder:
    """A run of these tasks without an episode yet."""
    tasks = [TASKS[name] for name in names]
    head = {
        "id": f"20261130T1010{number:02d}Z-{agent}-ab12", "created": "2026-11-30T10:10:10+00:00", "suite": "web",
        "track": track, "agent": agent, "repeat": 1, "concurrency": 1,
        "tasks": [{**_dict(task), "difficulty": difficulty(task.labels)} for task in tasks],
        "plan": [[task.id, 0] for task in tasks], "key_given": False, "versions": {"webds": "0.1.0"},
        "facts": {"sites": {name: data_of(site) for name, site in all_sites(FIXTURE).items()}, "archives": {}},
        "declares": {}, "config": {"split": "public"},
    }  # fmt: skip
    return RunFolder.create(to, head)


def _dict(value: object) -> dict[str, Any]:
    found = plain(value)
    assert isinstance(found, dict)
    return found


def labels(to: Path, said: Mapping[Path, Mapping[str, str]]) -> Path:
    """A file of labels by one person: run -> task -> label."""
    rows = []
    for run in said:
        view = RunFolder.view(run)
        for item in view.committed():
            task = item.evidence.task
            if task in said[run]:
                rows.append({
                    "run": view.head["id"], "episode": f"{task}~0", "rater": "human:ada", "rubric": rubric_hash(),
                    "trajectory": item.evidence.digests["trajectory"], "label": said[run][task],
                    "tier": difficulty(TASKS[task].labels), "site": "three-pages",
                })  # fmt: skip
    to.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return to
