"""The rubric over the tries of a run. Whatever keeps it from a verdict is Ungraded with a reason, never a zero."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import webds
from webds.errors import AgentFault, EndpointFault, Fault, InputFault, blame
from webds.meter import Meter, metering
from webds.models.client import close
from webds.store import Committed, RunFolder, write_verdict
from webds.types import Budget, JudgeStamp, Step, Ungraded, Verdict
from webds_judge import trail
from webds_judge.keys import KeyRing
from webds_judge.rubric import facts, tally
from webds_judge.rubric.asking import Asking, Unsound
from webds_judge.rubric.case import Case, criteria, graded, reference
from webds_judge.rubric.criteria import TIERS
from webds_judge.rubric.reader import Unreadable
from webds_judge.rubric.record import Record
from webds_judge.rubric.standing import NAME, standing


class JudgeFault(Fault):
    """The judge's own code raised."""


@dataclass(frozen=True, slots=True)
class Batch:
    """`runs`: by path, those that the tries lie in."""

    asking: Asking
    ring: KeyRing
    runs: Mapping[Path, RunFolder]

    async def judged(self, items: Sequence[Committed]) -> AsyncIterator[tuple[Committed, Verdict | Ungraded]]:
        """Every try as it is done, its verdict on disk."""
        places = asyncio.Semaphore(self.asking.table.asked.at_once)

        async def one(item: Committed) -> tuple[Committed, Verdict | Ungraded]:
            async with places:
                word = await self.grade(item)
            write_verdict(item.folder, word)
            return item, word

        try:
            for done in asyncio.as_completed([one(item) for item in items]):
                yield await done
        finally:
            await close()

    async def grade(self, item: Committed) -> Verdict | Ungraded:
        """The verdict on one try; an Ungraded says what was spent on it now."""
        with metering(Meter(Budget())) as meter:
            word = await self._word(item)
        return replace(word, usage=meter.total) if isinstance(word, Ungraded) else word

    async def _word(self, item: Committed) -> Verdict | Ungraded:
        stamp = JudgeStamp(name=NAME, version=webds.__version__, settings=self.asking.table.stamp)

        def ungraded(who: str, why: str) -> Ungraded:
            return Ungraded(judge=stamp, evidence=item.digest, blame=who, why=why)

        steps, fault = trail.read(item.evidence, item.folder)
        if fault := fault or self._picture_fault(steps, item):
            return ungraded("evidence", fault)
        try:
            with blame(JudgeFault, "rubric"):
                case = self._case(Record(item.evidence, item.folder, steps), self.runs[item.run])
        except InputFault as error:
            return ungraded("key", str(error))
        except JudgeFault as error:
            return ungraded("judge", str(error))
        try:
            with blame(JudgeFault, "rubric"):
                return await self._verdict(stamp, item, case)
        except (EndpointFault, AgentFault, InputFault, JudgeFault) as error:
            return ungraded("judge", str(error))

    async def _verdict(self, stamp: JudgeStamp, item: Committed, case: Case) -> Verdict | Ungraded:
        try:
            said = await graded(self.asking, case)
        except Unreadable as error:
            return Ungraded(judge=stamp, evidence=item.digest, blame="judge", why=f"no readable reply: {error}")
        except Unsound as error:
            return Ungraded(judge=stamp, evidence=item.digest, blame="judge_unsound", why=str(error))
        if not all(reply.sound for reply in (*said.samples, *said.relevance)):
            stamp = JudgeStamp(name=stamp.name, version=f"{stamp.version} unsound", settings=stamp.settings)
        return tally.verdict(stamp, item.digest, case.criteria, said, standing(item, self.ring.key(item.evidence.task)))

    def _picture_fault(self, steps: Sequence[Step], item: Committed) -> str:
        return trail.blob_fault(steps, item.run / "blobs") if self.asking.table.asked.mode == "vision" else ""

    def _case(self, record: Record, run: RunFolder) -> Case:
        """InputFault: the run does not know the task, or there is no key for it."""
        evidence = record.evidence
        rows = run.head.get("tasks", ())
        entry: Mapping[str, Any] | None = next((row for row in rows if row["id"] == evidence.task), None)
        if entry is None:
            raise InputFault(f"run.json: no task {evidence.task!r:.100}")
        key = self.ring.key(evidence.task)
        if key.revision != evidence.revision:
            raise InputFault(f"the key is of revision {key.revision}, the try of revision {evidence.revision}")
        tier = str(entry.get("difficulty", ""))
        if tier not in TIERS:
            raise InputFault(f"run.json: task {evidence.task}: field difficulty: {tier!r}; known: {', '.join(TIERS)}")
        return Case(
            record=record,
            task=str(entry.get("prompt", "")),
            tier=tier,
            reference=reference(key),
            criteria=criteria(key, tier, str(entry.get("labels", {}).get("kind", ""))),
            facts=facts.told(record),
            blobs=run.path / "blobs",
        )
