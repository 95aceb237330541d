"""The two logs beside a trajectory, from strangers: rows as the recorder writes them, for whoever reads them later."""

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from webds.codec import sha256
from webds.errors import InputFault
from webds.submit import strict
from webds.types import Evidence

type Kind = tuple[str, Callable[[Any], bool]]


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _instant(value: Any) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except (ValueError, TypeError):
        return False


_NUMBER: Kind = ("a number", _number)
_TEXT: Kind = ("a text", _text)
_ROWS: dict[str, Mapping[str, Kind]] = {
    "requests.jsonl": {"at": _NUMBER, "method": _TEXT, "url": _TEXT, "outcome": _TEXT},
    "timings.jsonl": {
        "index": ("a whole number", _count),
        "at": ("an instant of ISO 8601 with its zone", _instant),
        "seconds": _NUMBER,
    },
}


def check(evidence: Evidence, base: str, folder: Path) -> None:
    """InputFault where the proxy's log is not the one `evidence` names, or a row of either lacks what a row has."""
    log = folder / "requests.jsonl"
    if (sha256(log.read_bytes()) if log.is_file() else "") != evidence.digests.get("requests", ""):
        raise InputFault(f"{base}: requests.jsonl is not the log that evidence.json names")
    for name, wanted in _ROWS.items():
        rows = strict.lines(folder / name, f"{base}/{name}") if (folder / name).is_file() else ()
        for number, (_, row) in enumerate(rows, start=1):
            _row(row, wanted, f"{base}/{name}:{number}")


def _row(row: Any, wanted: Mapping[str, Kind], where: str) -> None:
    if not isinstance(row, Mapping):
        raise InputFault(f"{where}: a row is an object with {', '.join(wanted)}")
    for field, (what, right) in wanted.items():
        if not right(row.get(field)):
            raise InputFault(f"{where}: field {field}: {what} is wanted, not {row.get(field)!r:.60}")
