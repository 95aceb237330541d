"""What a maintainer should look at in a submission. A flag decides nothing by itself."""

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from webds.store import Committed, RunFolder, read_lines
from webds.submit.replay import Replayed, read_steps
from webds.types import Step
from webds_judge.provenance.values import holds, values

_BENCHMARK = re.compile(r"(?i)\bwebds\b|tasks_(?:private|public)|keys\.toml|canary|sealed\.json")
QUICK = 0.02
"""Seconds in which no step of a browser is done."""


def flags(bundle: Path, replayed: Replayed | None, reserved_at: str) -> Iterator[tuple[str, str]]:
    """(kind, text) of everything remarkable: times, network, steps, unexplained. `reserved_at`: "" where it was not."""
    if not reserved_at:
        yield "reservation", "the run's id was not reserved before the run"
    run = RunFolder.view(bundle)
    for item in run.committed():
        task = item.evidence.task
        yield from (("times", f"{task}: {text}") for text in _times(item, reserved_at))
        steps = read_steps(item.folder)
        yield from (("network", f"{task}: {text}") for text in _network(item, steps))
        yield from (("benchmark", f"{task}: {text}") for text in _names(steps))
    for found in replayed.wrong if replayed is not None else ():
        yield "steps", f"{found.task}: step {found.step}: {found.what}"
    for found in replayed.unstable if replayed is not None else ():
        yield "unstable", f"{found.task}: step {found.step}: {found.what}, and differs from itself"
    if replayed is not None:
        yield from _unexplained(run, replayed)


def _times(item: Committed, reserved_at: str) -> Iterator[str]:
    rows: list[dict[str, Any]] = list(read_lines(item.folder / "timings.jsonl"))
    if len(rows) != item.evidence.steps:
        yield f"{len(rows)} timings for {item.evidence.steps} steps"
        return
    stamps = [str(row.get("at", "")) for row in rows]
    try:
        instants = [datetime.fromisoformat(text) for text in stamps]
        early = bool(reserved_at) and bool(instants) and instants[0] < datetime.fromisoformat(reserved_at)
        back = any(later < earlier for earlier, later in pairwise(instants))
    except (ValueError, TypeError):
        yield "timings that are no instants"
        return
    if early:
        yield "began before its id was reserved"
    if back:
        yield "its clock goes back"
    quick = sum(1 for row in rows[:-1] if not _number(row.get("seconds")) >= QUICK)
    if quick:
        yield f"{quick} steps in under {QUICK} s"


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else -1.0


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


def _unexplained(run: RunFolder, replayed: Replayed) -> Iterator[tuple[str, str]]:
    """Values of an answer that only calls show whose output differs from itself."""
    for item in run.committed():
        task = item.evidence.task
        unstable = {found.step for found in replayed.unstable if found.task == task}
        if not unstable:
            continue
        steps = read_steps(item.folder)
        sound = "\n".join(_shown(step) for step in steps if step.index not in unstable and step.did.name != "submit")
        loose = "\n".join(_shown(step) for step in steps if step.index in unstable)
        for value in values(item.evidence.answer):
            if holds(loose, value, rounding=True) and not holds(sound, value, rounding=True):
                yield (
                    "unexplained",
                    f"{task}: {value.text} rests on step {min(unstable)}, whose output differs from itself",
                )


def _shown(step: Step) -> str:
    return str(step.then.view.get("result") or step.then.text)
