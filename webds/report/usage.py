"""Usage of an episode's tries as they lie on disk. Every try was paid for, those that a kill cut off too."""

from dataclasses import dataclass
from pathlib import Path

from webds.errors import InputFault
from webds.prices import Usage, read_usage, total
from webds.store import read_lines
from webds.types import Params


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What an episode took. `counted` is the try that counts; `lost` are the earlier ones and those cut off."""

    counted: Usage
    lost: Usage
    tries: int
    """Committed ones."""
    cut_off: int
    """Begun and never committed."""


NOTHING = Spent(counted=Usage(), lost=Usage(), tries=0, cut_off=0)


def of_try(folder: Path, said: Params) -> Usage:
    """Usage of one try: the evidence's own total where it has one, else the sum of its steps' records."""
    whole = read_usage(said)
    return whole if whole.calls else of_steps(folder)


def of_steps(folder: Path) -> Usage:
    """The sum over timings.jsonl up to its first bad line."""
    found = []
    try:
        for line in read_lines(folder / "timings.jsonl"):
            found.append(read_usage(line.get("usage") if isinstance(line, dict) else None))  # noqa: PERF401 - keep what was read before a bad line
    except (InputFault, OSError):
        pass
    return total(found)
