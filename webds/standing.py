"""What an episode counts as, from all its tries and from how the rest of the run went. Pure functions of both.

    INFRA                 starts again from nothing, TRIES in all. All of them INFRA: fail and flagged where other tasks
                          got through meanwhile, so that wrecking the world does not pay; ungraded where nothing
                          did, because then the machine is broken
    INFRA by endpoint     costs no try; ungraded where it is the last word
    BLOCKED               one more try
    anything else         is final, and counts by webds.outcome

A requeued episode begins with fresh tries; those before stay for the ledger, and the last committed one counts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webds.outcome import outcome
from webds.store import Committed, read_lines
from webds.types import Ending, Evidence, Outcome

TRIES = 3
BLOCKED_TRIES = 2
ENDPOINT = "endpoint"
"""Evidence.blame where the model endpoint was down."""
WRECKED = f"broke its world {TRIES} times in a row while other tasks got through: counted as a fail"
BROKEN = f"broke {TRIES} times in a row, and so did the rest: ungraded"
UNANSWERED = "the model endpoint stayed down: ungraded"
REQUEUED = "was requeued after it had ended"

type Key = tuple[str, int]
"""(task, repeat)"""


def is_final(tries: Sequence[Evidence]) -> bool:
    """Whether the last of these committed tries, oldest first, stands. The caller leaves out those before a requeue."""
    if not tries:
        return False
    last = tries[-1]
    if last.ending is Ending.BLOCKED:
        return sum(item.ending is Ending.BLOCKED for item in tries) >= BLOCKED_TRIES
    return last.ending is not Ending.INFRA or (not is_endpoint(last) and broken(tries) >= TRIES)


def is_endpoint(evidence: Evidence) -> bool:
    """Whether the model endpoint ended this try."""
    return evidence.ending is Ending.INFRA and evidence.blame == ENDPOINT


def broken(tries: Iterable[Evidence]) -> int:
    """Tries that the harness or the agent broke: INFRA, but not by the endpoint."""
    return sum(item.ending is Ending.INFRA and not is_endpoint(item) for item in tries)


@dataclass(frozen=True, slots=True)
class Event:
    """One start or commit of the run's log, or a requeue."""

    kind: str
    key: Key
    attempt: int
    ending: str = ""
    blame: str = ""
    request: str = ""


class History:
    """The order in which tries began and ended, from log.jsonl."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._events = tuple(events)
        self._requeued: dict[Key, int] = {}
        for event in self._events:
            if event.kind == "requeue":
                self._requeued[event.key] = event.attempt

    @classmethod
    def read(cls, run: Path) -> "History":
        """The history of the run in `run`; lines that are no such event are passed over."""
        rows = (row for row in read_lines(run / "log.jsonl") if isinstance(row, Mapping))
        return cls(event for row in rows if (event := _event(row)) is not None)

    def plus(self, event: Event) -> "History":
        """This history and one more event."""
        return History((*self._events, event))

    def has(self, request: str) -> bool:
        """Whether a requeue with this id is on record."""
        return any(event.request == request for event in self._events if event.kind == "requeue")

    def requeued(self, key: Key) -> int:
        """The number of the last try before the latest requeue; 0 where there was none."""
        return self._requeued.get(key, 0)

    def fresh(self, key: Key, tries: Iterable[Committed]) -> list[Evidence]:
        """The tries that count towards the limits: those after the latest requeue."""
        return [item.evidence for item in tries if item.evidence.attempt > self.requeued(key)]

    def others_got_through(self, key: Key, attempts: Sequence[int]) -> bool:
        """Whether other tasks went well while the tries `attempts` of one episode broke.

        What counts is tries of other tasks that began after the first of them had broken. Where none did (the run's
        last episode), the commit of another task before it decides. Endpoint faults say nothing either way.
        """
        at = {(e.kind, e.key, e.attempt): number for number, e in enumerate(self._events)}
        own = [at[mark] for attempt in attempts if (mark := ("commit", key, attempt)) in at]
        ended = [
            (number, at.get(("start", e.key, e.attempt), number), e.ending != Ending.INFRA)
            for number, e in enumerate(self._events)
            if e.kind == "commit" and e.key[0] != key[0] and e.blame != ENDPOINT
        ]
        if not own:  # a run whose log is not with it
            return any(well for *_, well in ended)
        later = [well for _, began, well in ended if began > own[0]]
        before = [well for number, _, well in ended if number < own[0]]
        return any(later) if later else bool(before) and before[-1]


def _event(row: Mapping[str, Any]) -> Event | None:
    match row:
        case {"event": ("start" | "commit" | "requeue") as kind, "task": str(task), "repeat": int(repeat)}:
            attempt = row.get("attempt")
            words = (str(row.get(name, "")) for name in ("ending", "blame", "request"))
            return Event(kind, (task, repeat), attempt if isinstance(attempt, int) else 0, *words)
    return None


def standing(tries: Sequence[Committed], history: History) -> tuple[Outcome, tuple[str, ...]]:
    """What an episode counts as after these tries (at least one, oldest first), and its flags, a sentence each."""
    last = tries[-1]
    key = last.key
    flags = (REQUEUED,) if history.requeued(key) else ()
    fresh = history.fresh(key, tries) or [last.evidence]
    if is_endpoint(last.evidence):
        return Outcome.UNGRADED, (*flags, UNANSWERED)
    if last.evidence.ending is Ending.INFRA and broken(fresh) >= TRIES:
        attempts = [item.attempt for item in fresh if item.ending is Ending.INFRA and not is_endpoint(item)]
        if history.others_got_through(key, attempts):
            return Outcome.FAIL, (*flags, WRECKED)
        return Outcome.UNGRADED, (*flags, BROKEN)
    return outcome(last.evidence, last.verdicts), flags
