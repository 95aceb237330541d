"""Counts of a checkout's tasks: by every label, difficulty under both rules, answer types, check and evidence kinds."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from webds.difficulty import difficulty
from webds.errors import InputFault
from webds.types import AnswerKey, Json
from webds_judge import checkout, reviews
from webds_judge.fields import LABELS


def stats(root: Path) -> Mapping[str, Mapping[str, int]]:
    """Group -> value -> number of tasks (of `evidence`: of pieces). InputFault where a file cannot be read."""
    found = checkout.read(root)
    broken = next((f for f in found.findings if f.task == "-"), None)
    if broken:
        raise InputFault(f"{broken.file}: {broken.field}: {broken.problem}")
    counts: dict[str, Counter[str]] = {}
    for file, entry in found.tasks.values():
        labels = entry.get("labels")
        for group, value in _of_task(file, labels if isinstance(labels, Mapping) else {}):
            counts.setdefault(group, Counter())[value] += 1
    for _, key in found.keys.values():
        for group, value in _of_key(key):
            counts.setdefault(group, Counter())[value] += 1
    for _, _, review in reviews.read(found):
        counts.setdefault("reviews", Counter())["agree" if review.agrees else "differ"] += 1
        counts.setdefault("closed book", Counter())[review.closed_book] += 1
    return {group: dict(sorted(values.items())) for group, values in counts.items()}


def _of_task(file: str, labels: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "tasks", "all"
    yield "group", file.split("/")[1]
    yield "difficulty (non_text)", difficulty(labels)
    yield "difficulty (seed)", difficulty(labels, "seed")
    sites = labels.get("sites")
    named = sites if isinstance(sites, list | tuple) else ()
    yield "number of sites", str(len(named))
    for name in LABELS:
        for value in named if name == "sites" else (labels.get(name),):
            yield f"label {name}", str(value).lower() if isinstance(value, bool) else str(value)


def _of_key(key: AnswerKey) -> Iterator[tuple[str, str]]:
    for kind in sorted({check.kind for check in key.checks}):
        yield "check kind", kind
    for kind in sorted({str(check.params["type"]) for check in key.checks if "type" in check.params}):
        yield "answer type", kind
    for check in key.checks:
        for item in _listed(check.params.get("evidence")):
            yield "evidence (pieces)", str(item.get("kind"))


def _listed(evidence: Json) -> list[Mapping[str, Json]]:
    rows = evidence if isinstance(evidence, list | tuple) else ()
    return [row for row in rows if isinstance(row, Mapping)]
