"""Labelled answer pairs: read from JSON lines, judged, and counted over all and by kind (`webds judge answers`)."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webds.errors import Fault, InputFault, blame
from webds.types import Json
from webds_judge.answers.registry import compare, known, sample

FIELDS = ("id", "kind", "reference", "type", "candidate", "verdict")
LONGEST_LINE = 16 * 1024 * 1024
"""Characters of one line; no pair needs more."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One labelled pair; `verdict` is whether `candidate` is right by the contract."""

    id: str
    kind: str
    reference: Json
    type: str
    candidate: str
    verdict: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair with what the comparison said."""

    pair: Pair
    passed: bool
    why: str
    broke: bool = False
    """The comparison raised: a fault of the judge, never a pass."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over pairs. `wrong`: pairs whose true verdict is false. Ids are in the file's order."""

    n: int
    right: int
    wrong: int
    accuracy: float
    false_accepts: tuple[str, ...]
    false_rejects: tuple[str, ...]

    def plain(self) -> dict[str, Json]:
        """As JSON."""
        return {
            "n": self.n,
            "right": self.right,
            "wrong": self.wrong,
            "accuracy": self.accuracy,
            "false_accepts": self.false_accepts,
            "false_rejects": self.false_rejects,
        }


def read(path: Path) -> list[Pair]:
    """The pairs of a file. InputFault names the line and the field that are wrong."""
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputFault(f"{path}: cannot be read as UTF-8 text: {error}") from error
    pairs = [_pair(line, f"{path.name} line {n}") for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not pairs:
        raise InputFault(f"{path.name}: holds no pairs; one JSON object a line with {', '.join(FIELDS)}")
    twice = next((name for name, count in Counter(pair.id for pair in pairs).items() if count > 1), None)
    if twice is not None:
        raise InputFault(f"{path.name}: field id: {twice!r:.80} stands twice")
    return pairs


def _pair(line: str, where: str) -> Pair:
    try:
        row: Any = json.loads(line) if len(line) <= LONGEST_LINE else None
    except (ValueError, RecursionError) as error:
        raise InputFault(f"{where}: not JSON: {str(error)[:120]}") from error
    problem = _problem(row)
    if problem:
        raise InputFault(f"{where}: {problem}")
    try:
        sample(row["type"], row["reference"])
    except InputFault as error:
        raise InputFault(f"{where}: field {error}") from error
    return Pair(*(row[name] for name in FIELDS))


def _problem(row: object) -> str:
    """What is wrong with the fields of a row, or empty."""
    if not isinstance(row, dict):
        return f"a JSON object is needed with {', '.join(FIELDS)}"
    missing = [name for name in FIELDS if name not in row]
    if missing:
        return f"field {missing[0]} is missing; needed: {', '.join(FIELDS)}"
    no_text = next((name for name in ("id", "kind", "type", "candidate") if not isinstance(row[name], str)), None)
    if no_text:
        return f"field {no_text}: {row[no_text]!r:.80} is not text"
    if not isinstance(row["verdict"], bool):
        return f"field verdict: {row['verdict']!r:.80} is not true or false"
    return "" if row["type"] in known() else f"field type: {row['type']!r:.80}; known: {', '.join(known())}"


def judged(pairs: Sequence[Pair]) -> Iterator[Judged]:
    """Each pair compared, in order."""
    for pair in pairs:
        try:
            with blame(Fault, "comparison"):
                result = compare(pair.type, pair.reference, pair.candidate)
            yield Judged(pair, result.passed, result.why)
        except Fault as fault:
            yield Judged(pair, passed=False, why=str(fault), broke=True)


def tally(rows: Sequence[Judged]) -> Tally:
    """The counts over `rows`, which must not be empty."""
    accepts = tuple(row.pair.id for row in rows if row.passed and not row.pair.verdict)
    rejects = tuple(row.pair.id for row in rows if not row.passed and row.pair.verdict)
    return Tally(
        n=len(rows),
        right=sum(row.pair.verdict for row in rows),
        wrong=sum(not row.pair.verdict for row in rows),
        accuracy=1 - (len(accepts) + len(rejects)) / len(rows),
        false_accepts=accepts,
        false_rejects=rejects,
    )


def by_kind(rows: Sequence[Judged]) -> dict[str, Tally]:
    """The counts of each kind, by name."""
    kinds = sorted({row.pair.kind for row in rows})
    return {kind: tally([row for row in rows if row.pair.kind == kind]) for kind in kinds}
