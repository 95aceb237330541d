"""What a maintainer should look at in a submission. A flag decides nothing by itself."""

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from webds.store import Committed, RunFolder, read_lines, read_steps
from webds.submit.bundle import named
from webds.submit.replay import Replayed
from webds.submit.unexplained import unexplained
from webds.types import Ending, Step

_BENCHMARK = re.compile(r"(?i)\bwebds\b|tasks_(?:private|public)|keys\.toml|canary|sealed\.json")
QUICK = 0.02
"""Seconds in which no step of a browser is done."""


def flags(bundle: Path, replayed: Replayed | None, reserved_at: str) -> Iterator[tuple[str, str]]:
    """(kind, text) of what is remarkable: times, network, steps, blocks, values. `reserved_at`: "" where it was not."""
    run = RunFolder.view(bundle)
    several = int(run.head["repeat"]) > 1
    for item in run.committed():
        name = named(*item.key, several)
        yield from (("times", f"{name}: {text}") for text in _times(item, reserved_at))
        steps = read_steps(item.folder)
        yield from (("network", f"{name}: {text}") for text in _network(item, steps))
        yield from (("benchmark", f"{name}: {text}") for text in _names(steps))
        if item.evidence.ending is Ending.BLOCKED:
            yield "blocked", f"{name}: {item.evidence.why[:200]}, by the run's own word: no replay shows it"
    for found in replayed.wrong if replayed is not None else ():
        yield "steps", f"{named(found.task, found.repeat, several)}: step {found.step}: {found.what}"
    for found in replayed.unstable if replayed is not None else ():
        where = f"{named(found.task, found.repeat, several)}: step {found.step}"
        yield "unstable", f"{where}: {found.what}, and differs from itself"
    for key, text in unexplained(run, replayed):
        yield "unexplained", f"{named(*key, several)}: {text}"


def _times(item: Committed, reserved_at: str) -> Iterator[str]:
    rows: list[dict[str, Any]] = list(read_lines(item.folder / "timings.jsonl"))
    if len(rows) != item.evidence.steps:
        yield f"{len(rows)} timings for {item.evidence.steps} steps"
        return
    instants = [datetime.fromisoformat(row["at"]) for row in rows]
    if reserved_at and instants and instants[0] < datetime.fromisoformat(reserved_at):
        yield "began before its id was reserved"
    if any(later < earlier for earlier, later in pairwise(instants)):
        yield "its clock goes back"
    quick = sum(1 for row in rows[:-1] if row["seconds"] < QUICK)
    if quick:
        yield f"{quick} steps in under {QUICK} s"


def _network(item: Committed, steps: list[Step]) -> Iterator[str]:
    rows: list[dict[str, Any]] = list(read_lines(item.folder / "requests.jsonl"))
    pages = sum(1 for step in steps if step.did.name == "goto" and not step.then.refused)
    if pages and not rows:
        yield f"{pages} pages opened, and no request logged"
    blocked = sorted({str(row.get("host") or row.get("url"))[:80] for row in rows if row.get("outcome") == "blocked"})
    if blocked:
        yield f"asked for hosts that are blocked: {', '.join(blocked[:5])}"


def _names(steps: list[Step]) -> Iterator[str]:
    """Steps that look for the benchmark itself: its name, its files' names."""
    for step in steps:
        if step.did.name != "submit" and (found := _BENCHMARK.search(str(step.did.args))):
            yield f"step {step.index}: {step.did.name} speaks of {found[0]}"
