"""How fast answers are compared on one core, and the longest time that a hostile answer takes."""

import time
from pathlib import Path
from typing import Any

from webds_judge.answers import compare
from webds_judge.answers.pairs import Pair, read

DATA = Path(__file__).parents[1] / "data"
PAIRS = ("answer_pairs.jsonl", "own_pairs_1.jsonl", "own_pairs_2.jsonl")
LONG = 2_000
"""Characters from which on an answer counts as hostile and is left out of the rate."""
REFERENCES: dict[str, Any] = {
    "boolean": True, "csv": "a,b\n1,2\n", "currency": "$1,250.00", "date": "2021-03-05", "duration": "90 minutes",
    "fiscal_year": "FY2023", "integer": 48, "list": ["a", "b"], "month": "2022-07", "name": "Kim Min-jun",
    "number": 3.14, "ordered_list": ["a", "b"], "ordinal": "3rd", "percent": "12.5%", "quantity": "72 °F",
    "quarter": "2023-Q2", "range": "10-15", "string": "Norvale", "table": {"columns": ["a"], "rows": [[1]]},
    "time": "14:30", "unachievable": "N/A", "year": 1998,
}  # fmt: skip
UNITS = (
    "9", "9,", "(", "a ", "not ", "~~", "**", "<b>", "is ", "1/", "9**9^", "2021-03-05 ", "x\t", "- \n", "\n", " ",
    "5 km ", "$5 ", "1:30 ", "Q2 2023 ", "FY23 ", "third ", "1-", "5 ft 3 in ", "five and ", "[", "|", "no ", "or ",
)  # fmt: skip
CHARACTERS = 100_000


def rate(rounds: int = 3) -> float:
    """Comparisons a second of CPU time over labelled pairs, the best of `rounds`, caches as they fall."""
    pairs: list[Pair] = [p for name in PAIRS for p in read(DATA / name) if len(p.candidate) < LONG]
    best = 0.0
    for _ in range(rounds):
        began = time.process_time()
        for pair in pairs:
            compare(pair.type, pair.reference, pair.candidate)
        best = max(best, len(pairs) / (time.process_time() - began))
    return best


def hostile() -> dict[str, str]:
    """Answers made to take long, by name."""
    repeated = {repr(unit): (unit * CHARACTERS)[:CHARACTERS] for unit in UNITS}
    return repeated | {
        "400 digits": "9" * 400, "10 MB": "4" * 10_000_000, "10 MB of words": "word " * 2_000_000,
        "JSON 10,000 deep": "[" * 10_000 + "]" * 10_000,
        "objects 10,000 deep": '{"answer":' * 10_000 + "1" + "}" * 10_000,
        "powers": "9**9**9**9", "exponent": "1e999999999",
    }  # fmt: skip


def worst() -> list[tuple[float, str, str]]:
    """(seconds of CPU time, type, name) of every hostile answer with every type, longest first."""
    out = []
    for name, text in hostile().items():
        for kind, reference in REFERENCES.items():
            began = time.process_time()
            compare(kind, reference, text)
            out.append((time.process_time() - began, kind, name))
    return sorted(out, reverse=True)


def lines() -> list[str]:
    """The figures, one a line."""
    compare("quantity", "5 km", "3 miles")  # the table of units is read once a process
    slowest = worst()
    shown = [f"{spent:7.3f} s  {kind} on {name}" for spent, kind, name in slowest[:3]]
    return [f"{rate():7.0f} comparisons a second on one core (bar: 5,000)", *shown, "          (bar: under 1 s each)"]
