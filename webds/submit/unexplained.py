"""Values of answers that the trajectory does not explain, by the judge's provenance (docs/judge.md).

Calls run again in the judge's sandbox, under a process of its own: the scorer holds keys and runs nobody's code. No
reference comes in here. Of a private task only the count is told.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

from webds import interpreter
from webds.config import child_environment
from webds.runner.plan import read_tasks
from webds.store import Committed, RunFolder, read_steps
from webds.submit.replay import Replayed
from webds.types import Task
from webds_judge.provenance.trace import UNEXPLAINED
from webds_judge.provenance.values import Value, holds, values

SECONDS = 3600.0
"""For all tries of a submission."""
_SHOWN = 5
"""Values that are named of one answer."""
_UNPROVED = " (not replayed, and its downloads are not in the bundle: what it computed from them was not run again)"


def unexplained(run: RunFolder, replayed: Replayed | None) -> Iterator[tuple[tuple[str, int], str]]:
    """((task, repeat), text) of each answer with such values. `run`: the unpacked bundle.

    Where the run was replayed, the replay's own try is looked at: it has the same steps, and the downloads.
    """
    proved = replayed is not None and not replayed.wrong
    private = run.head.get("config", {}).get("split") == "private"
    pairs = [(item, _looked_at(item, replayed if proved else None)) for item in run.committed()]
    loose: dict[tuple[str, int], list[int]] = {}
    for call in replayed.unstable if replayed is not None else ():
        loose.setdefault((call.task, call.repeat), []).append(call.step)
    tasks = {task.id: task for task in read_tasks(run.head, str(run.path))}
    asked = [{"folder": str(seen.folder), "unsteady": loose.get(item.key, [])} for item, seen in pairs]
    for (item, _), row in zip(pairs, _rows(asked), strict=True):
        known = {value.text: value for value in values(item.evidence.answer)}
        found = [known.get(name) or Value(name) for name in _unexplained(row)]
        found = [value for value in found if not _asked_for(tasks[item.evidence.task], value)]
        if text := _text(item, row, found, loose.get(item.key, []), private):
            yield item.key, text + ("" if proved else _UNPROVED)


def _unexplained(row: Mapping[str, Any]) -> list[str]:
    return [str(value["value"]) for value in row.get("values", ()) if value["word"] == UNEXPLAINED]


def _asked_for(task: Task, value: Value) -> bool:
    """Whether a task that is judged by what was done names the value itself: hand in the word done."""
    return task.labels.get("kind") == "action" and holds(task.prompt, value, rounding=False)


def _looked_at(item: Committed, replayed: Replayed | None) -> Committed:
    return item if replayed is None else replayed.tries.get(item.key, item)


def _rows(asked: list[dict[str, Any]]) -> list[Mapping[str, Any]]:
    """An answer for each; a fault where the process ended or ran out of time before it."""
    words = interpreter.module("webds_judge.provenance")
    text = "".join(f"{json.dumps(row)}\n" for row in asked)
    try:
        done = subprocess.run(
            words, input=text, capture_output=True, text=True, timeout=SECONDS, env=child_environment(), check=False
        )
        out, why = done.stdout, "its values cannot be looked at"
    except subprocess.TimeoutExpired as late:
        out, why = (late.stdout or b"").decode("utf-8", "replace"), f"not looked at within {SECONDS:g} s"
    rows = [json.loads(line) for line in out.splitlines(keepends=True) if line.endswith("\n")]
    return [*rows, *({"fault": why} for _ in asked[len(rows) :])]


def _text(item: Committed, row: Mapping[str, Any], found: list[Value], loose: list[int], private: bool) -> str:
    """What is told of one answer, or ""."""
    if "fault" in row:
        return f"where its values come from is not known: {row['fault']}"
    if not found:
        return ""
    count = f"{len(found)} of {len(row['values'])} values of the answer are unexplained"
    if private:
        return count
    said = {value["value"]: value["why"] for value in row["values"]}
    shown = [f"{value.text!r:.60} ({_why(item, value, loose) or said[value.text]})" for value in found[:_SHOWN]]
    return f"{count}: {'; '.join(shown)}"


def _why(item: Committed, value: Value, loose: list[int]) -> str:
    """Where a call showed the value whose output differs from itself, that."""
    for step in read_steps(item.folder) if loose else ():
        said = str(step.then.view.get("result") or step.then.text)
        if step.index in loose and holds(said, value, rounding=True):
            return f"rests on step {step.index}, whose output differs from itself"
    return ""
