"""Provenance of every value of an answer: `seen`, `derived` or `unexplained`."""

from dataclasses import dataclass
from decimal import Decimal

from webds_judge.provenance.literals import unseen, written
from webds_judge.provenance.rerun import SHIFTED, VARIANTS, Call, Outcome, outcomes
from webds_judge.provenance.seen import sight
from webds_judge.provenance.values import Value, holds, numbers, values
from webds_judge.rubric.record import Record
from webds_judge.rubric.triplets import TOOLS

SEEN, DERIVED, UNEXPLAINED = "seen", "derived", "unexplained"
_SOURCES = {"python": "code", "sql": "query"}
MOST = 200
"""Values of one answer that are looked at: a list of thousands says nothing that its first ones do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where one value comes from. `step` is None where it is unexplained."""

    value: str
    word: str
    why: str
    step: int | None = None


async def origins(record: Record, unsteady: frozenset[int] = frozenset()) -> tuple[Origin, ...]:
    """One Origin a value, in order, of the first MOST. Runs the sandbox only for what a recorded call had printed.

    `unsteady`: steps of calls whose output is known to differ from itself: they explain nothing.
    """
    trace = _Trace(record, unsteady)
    return tuple([await trace.origin(value) for value in values(record.evidence.answer)[:MOST]])


class _Trace:
    def __init__(self, record: Record, unsteady: frozenset[int]) -> None:
        self._record = record
        self._unsteady = unsteady
        self._calls = [
            Call(step.index, step.did.name, str(step.did.args.get(_SOURCES[step.did.name], "")))
            for step in record.steps
            if step.did.name in _SOURCES
        ]
        self._printed = {step.index: str(step.then.view.get("result", step.then.text)) for step in record.steps}
        self._ran: dict[str, list[Outcome]] = {}

    async def origin(self, value: Value) -> Origin:
        found = sight(self._record, value)
        if found:
            return Origin(value=value.text, word=SEEN, why=f"step {found.step}: {found.where}", step=found.step)
        why = "neither on a page nor in a served file, and no call printed it"
        for place, call in enumerate(self._calls):
            if holds(self._printed[call.step], value, rounding=True):
                fault = await self._fault(place, value)
                if not fault:
                    return Origin(value=value.text, word=DERIVED, why=self._how(place), step=call.step)
                why = f"step {call.step} printed it, but {fault}"
        return Origin(value=value.text, word=UNEXPLAINED, why=why)

    def _how(self, place: int) -> str:
        call = self._calls[place]
        unknown = sorted(self._unseen(place))
        beside = f"; numbers of its own: {', '.join(map(str, unknown[:5]))}" if unknown else ""
        return f"step {call.step}: {call.kind} gives it again on the recorded files{beside}"

    async def _fault(self, place: int, value: Value) -> str:
        """Why what a call printed does not explain the value, or ""."""
        if self._calls[place].step in self._unsteady:
            return "its output differs from itself"
        if any(written(call.source, value) for call in self._calls[: place + 1]):
            return "it is a constant in the code"
        if not _gives(await self._outcome(place, ""), value):
            return "run again on the recorded files it does not give it"
        for variant in VARIANTS:
            if variant == SHIFTED and self._unseen(place):
                return f"it does not depend on the files, and {min(self._unseen(place))} in the code was never shown"
            outcome = await self._outcome(place, variant)
            if not outcome.error and not _gives(outcome, value):
                return ""
        return "it comes out whatever the data are"

    async def _outcome(self, place: int, variant: str) -> Outcome:
        if variant not in self._ran:
            files = [path for paths in self._record.downloads.values() for path in paths]
            self._ran[variant] = await outcomes(self._calls, files, variant)
        return self._ran[variant][place]

    def _unseen(self, place: int) -> frozenset[Decimal]:
        """Numbers in the code up to a call that no page or file had shown."""
        until = self._calls[place].step
        texts = [step.then.text for step in self._record.steps[:until] if step.did.name not in TOOLS]
        texts += [step.saw.text for step in self._record.steps[:1]]
        texts += [text for index, text in self._record.served.items() if index < until]
        seen = frozenset(number for text in texts for number in numbers(text))
        return frozenset(
            number for call in self._calls[: place + 1] for number in unseen(call.source, seen)
        )  # fmt: skip


def _gives(outcome: Outcome, value: Value) -> bool:
    return holds(outcome.text, value, rounding=True)
