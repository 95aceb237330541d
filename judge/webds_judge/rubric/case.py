"""What the model is asked about one try, and the calls that ask it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from webds.codec import plain
from webds.types import AnswerKey, Json
from webds_judge.rubric import prompting
from webds_judge.rubric.asking import Asking, Call, Replies, Said
from webds_judge.rubric.criteria import Criterion, rubric
from webds_judge.rubric.fence import Fence
from webds_judge.rubric.fitting import fitted, length
from webds_judge.rubric.pictures import Picture, cited, handed, left_out, screenshots
from webds_judge.rubric.reader import Reading, Unreadable, parsed, read
from webds_judge.rubric.record import Record
from webds_judge.rubric.table import Asked
from webds_judge.rubric.triplets import Triplet, chosen, shown, triplets

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
    items = triplets(record.steps, record.served, record.posts | record.writers, asked.reasoning)
    subject, final, room = _subject(case, asked)
    is_tight = sum(item.size for item in items) > room
    seen = {item.image for item in items if item.image} if asked.mode == "vision" else set()
    relevance = await _relevance(asking, case, items) if is_tight or len(seen) > asked.images else []
    scores = {step: score for said in relevance for step, score in said.value.items()}
    kept = chosen(items, room, scores) if is_tight else items
    images = _images(case, kept, scores, asked)
    gone = left_out(kept, images) if seen else ()
    rows = fitted((*shown(items, kept, asked.field), *gone), room, asked.field)
    assert isinstance(rows, tuple)
    subject["evidence"] = (*rows, final)
    exhibits = record.exhibits(asked.reasoning, cited(kept, images))

    def check(text: str, fence: Fence) -> Reading:
        return read(text, fence, case.criteria, exhibits, vision=bool(images))

    names = [[picture.step, picture.name] for picture in images]
    call = Call(
        subject=plain({**subject, "criteria": [item.name for item in case.criteria], "images": names}),
        messages=lambda fence: prompting.grading(subject, case.criteria, images, fence),
        check=check,
        form=prompting.schema(case.criteria),
    )
    return Replies([await asking.ask(replace(call, seed=seed)) for seed in range(asked.samples)], relevance)


def _subject(case: Case, asked: Asked) -> tuple[dict[str, Any], Json, int]:
    """(what stands outside the fence, the last act, the room that is left for the steps): one budget over all."""
    subject: dict[str, Any] = {
        "tier": case.tier,
        "task": case.task,
        "reference": fitted(case.reference, asked.room // 4, asked.room // 4),
        "facts": fitted(case.facts, asked.room // 12, asked.field),
    }
    final = fitted(_final(case), asked.room // 4, asked.field)
    return subject, final, asked.room - sum(map(length, (subject["reference"], subject["facts"], final)))


def _final(case: Case) -> Json:
    """The last act apart: it is a claim."""
    found = case.record.evidence
    files = tuple({"name": name, "text": text} for name, text in case.record.handed.items())
    claim = {"answer": found.answer, "unachievable": found.unachievable}
    return {"final": {**claim, "files": files, "ending": found.ending.value}}


async def _relevance(asking: Asking, case: Case, items: list[Triplet]) -> list[Said[dict[int, float]]]:
    """How much every step matters, asked in batches."""
    found: list[Said[dict[int, float]]] = []
    for start in range(0, len(items), _BATCH):
        batch = items[start : start + _BATCH]
        rows = fitted(tuple(item.shown(_GLANCE) for item in batch), asking.table.asked.room, _GLANCE)
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


def _images(case: Case, kept: list[Triplet], scores: Mapping[int, float], asked: Asked) -> list[Picture]:
    """What was handed in, and screenshots of the kept steps."""
    if asked.mode != "vision" or case.blobs is None:
        return []
    return [*screenshots(case.blobs, kept, scores, asked.images), *handed(case.record)]
