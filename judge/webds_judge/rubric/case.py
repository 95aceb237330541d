"""What the model is asked about one try, and the calls that ask it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webds.codec import plain
from webds.types import AnswerKey, Json
from webds_judge.rubric import prompting
from webds_judge.rubric.asking import Asking, Call, Replies, Said
from webds_judge.rubric.criteria import Criterion, rubric
from webds_judge.rubric.fence import Fence
from webds_judge.rubric.reader import Reading, Unreadable, parsed, read
from webds_judge.rubric.record import Record
from webds_judge.rubric.table import Asked
from webds_judge.rubric.triplets import Triplet, chosen, shorter, shown, triplets

_BATCH = 24
"""Steps scored for relevance in one call."""
_GLANCE = 900
"""Characters of each text that relevance is judged by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A try with its task's words, tier and reference. `blobs`: the run's folder of screenshots."""

    record: Record
    task: str
    tier: str
    reference: Json
    criteria: tuple[Criterion, ...]
    facts: Json = None
    blobs: Path | None = None


def reference(key: AnswerKey) -> Json:
    """What the model may know of the key: each check's kind and params, no paths and no oracle."""
    hidden = ("oracle", "evidence")
    return tuple(
        {"check": check.name, "kind": check.kind, **{k: v for k, v in check.params.items() if k not in hidden}}
        for check in key.checks
    )


def criteria(key: AnswerKey, tier: str, kind: str) -> tuple[Criterion, ...]:
    """The tier's criteria; those about an artefact where the key or the task's kind asks for one."""
    return rubric().asked(tier, kind == "action" or any(check.kind != "answer" for check in key.checks))


async def graded(asking: Asking, case: Case) -> Replies:
    """What the model says of one try."""
    asked = asking.table.asked
    record = case.record
    items = triplets(record.steps, record.served, record.posts, asked.reasoning)
    relevance = await _relevance(asking, case, items) if sum(item.size for item in items) > asked.room else []
    scores = {step: score for said in relevance for step, score in said.value.items()}
    kept = chosen(items, asked.room, scores) if scores else items
    images = _images(case, kept, asked)
    evidence = (*shown(items, kept, asked.room, asked.field), _final(record, asked))
    subject: dict[str, Any] = {"tier": case.tier, "task": case.task, "reference": case.reference, "facts": case.facts}
    subject["evidence"] = evidence
    exhibits = record.exhibits(asked.reasoning)
    names = {str(step): item.image for step in images for item in kept if item.step == step}

    def check(text: str, fence: Fence) -> Reading:
        return read(text, fence, case.criteria, exhibits, vision=bool(images))

    samples = [
        await asking.ask(
            Call(
                subject=plain({**subject, "criteria": [item.name for item in case.criteria], "images": names}),
                messages=lambda fence: prompting.grading(subject, case.criteria, images, fence),
                check=check,
                seed=seed,
                form=prompting.schema(case.criteria),
            )
        )
        for seed in range(asked.samples)
    ]
    return Replies(samples, relevance)


def _final(record: Record, asked: Asked) -> Json:
    """The last act apart: it is a claim."""
    found = record.evidence
    files = tuple({"name": name, "text": shorter(text, asked.field)} for name, text in record.handed.items())
    claim = {"answer": shorter(found.answer, asked.field), "unachievable": shorter(found.unachievable, asked.field)}
    return {"final": {**claim, "files": files, "ending": found.ending.value}}


async def _relevance(asking: Asking, case: Case, items: list[Triplet]) -> list[Said[dict[int, float]]]:
    """How much every step matters, asked in batches."""
    found: list[Said[dict[int, float]]] = []
    for start in range(0, len(items), _BATCH):
        batch = items[start : start + _BATCH]
        rows = tuple(item.shown(_GLANCE) for item in batch)
        wanted = {item.step for item in batch}
        found.append(await asking.ask(_asked_relevance(case.task, rows, wanted)))
    return found


def _asked_relevance(task: str, rows: Json, wanted: set[int]) -> Call[dict[int, float]]:
    def check(text: str, fence: Fence) -> dict[int, float]:
        steps = parsed(text, fence, frozenset(("nonce", "steps"))).get("steps")
        if not isinstance(steps, dict) or {str(step) for step in wanted} != set(steps):
            raise Unreadable("field steps: every step once is needed")
        if not all(type(value) in (int, float) and 1 <= value <= 5 for value in steps.values()):
            raise Unreadable("field steps: numbers from 1 to 5 are needed")
        return {int(step): float(value) for step, value in steps.items()}

    subject: dict[str, Json] = {"kind": "relevance", "task": task, "steps": rows}
    return Call(
        subject=subject, messages=lambda fence: prompting.relevance(task, rows, fence), check=check, role="relevance"
    )


def _images(case: Case, kept: list[Triplet], asked: Asked) -> dict[int, bytes]:
    """Screenshots of the kept steps, each picture once, the newest `images` of them and the first."""
    if asked.mode != "vision" or case.blobs is None:
        return {}
    once = {item.image: item.step for item in reversed(kept) if item.image}
    steps = sorted((step, name) for name, step in once.items())
    steps = [*steps[:1], *steps[1:][-asked.images + 1 :]] if len(steps) > asked.images else steps
    paths = {step: case.blobs / name[:2] / name for step, name in steps}
    return {step: path.read_bytes() for step, path in paths.items() if path.is_file()}
