"""What a try used, as it lies on disk: committed, tried again, or cut off by a kill. Every try was paid for."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from webds.errors import InputFault
from webds.files import read_lines
from webds.prices import Usage, read_usage, total
from webds.types import Params


def of_try(folder: Path, said: Params) -> Usage:
    """Usage of one try: the evidence's own total, `said`, where it has one, else the sum of its steps' records."""
    whole = read_usage(said)
    return whole if whole.calls else of_steps(folder)


def of_steps(folder: Path) -> Usage:
    """The sum over the steps' records up to the first bad line."""
    return total(read_usage(row.get("usage")) for row in timed(folder))


def timed(folder: Path) -> Iterator[Mapping[str, Any]]:
    """timings.jsonl up to its first bad line: a row for each step that was taken."""
    try:
        for line in read_lines(folder / "timings.jsonl"):
            yield line if isinstance(line, Mapping) else {}
    except (InputFault, OSError):
        return
