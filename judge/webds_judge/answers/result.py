"""What every comparison returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from webds.types import Json
from webds_judge.answers.limits import SHOWN


@dataclass(frozen=True, slots=True)
class Compared:
    """Passed or not, one sentence why, and what was read: {"candidate": text, "reference": text}."""

    passed: bool
    why: str
    parsed: Mapping[str, Json] = field(default_factory=dict)


def shown(value: object) -> str:
    """A parsed value as text of bounded length, for a verdict."""
    text = "nothing" if value is None else str(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... ({len(text)} characters)"


def compared(passed: bool, why: str, candidate: object, reference: object) -> Compared:
    """A Compared with both values shown."""
    return Compared(passed, why, {"candidate": shown(candidate), "reference": shown(reference)})
