"""T3: verdicts that peers are known to get wrong, each with its issue and other facts, and the breadth of our pairs."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from webds_judge.answers import compare
from webds_judge.answers.pairs import read

DATA = Path(__file__).parents[1] / "data"
STREET = "12 Harbour Road, Brint"
CASES: list[tuple[str, Any, str, bool, str]] = [
    ("list", ["shipped", "on hold"], "on hold and shipped", True, "webarena 139: the order of two states"),
    ("list", ["shipped", "on hold"], "shipped", False, "webarena 139"),
    ("currency", "$0.00", "$0", True, "webarena 211: no amount at all"),
    ("currency", "$0.00", "0.00", True, "webarena 211"),
    ("currency", "$0.00", "$0.01", False, "webarena 211"),
    ("currency", "$0.00", "", False, "an empty answer is no zero"),
    ("string", STREET, "12 harbour road, Brint.", True, "webarena pull 77: an address"),
    ("string", STREET, f"{STREET} xyzzy", False, "webarena pull 77: with a tail that means nothing"),
    ("string", STREET, f"x{STREET}", False, "webarena pull 77"),
    ("integer", 209, "000000209", True, "visualwebarena 71: a padded number"),
    ("integer", 209, "2090", False, "visualwebarena 71"),
    ("date", "2019-10-21", "Oct 21st, 2019", True, "webarena 134: spelling of a month"),
    ("date", "2019-10-21", "October 22, 2019", False, "webarena 134"),
    ("quantity", "21 inches", "21 in", True, "visualwebarena 41: a unit"),
    ("quantity", "21 inches", "21 cm", False, "visualwebarena 41"),
    ("name", "South Korea", "Korea, South", True, "country names"),
    ("name", "South Korea", "North Korea", False, "webarena-verified 1.2.3"),
    ("number", 11, "711", False, "PostTrainBench 44: the end of another number"),
    ("integer", 5, "25", False, "inspect 3916"),
    ("integer", -5, "5", False, "inspect 3916"),
    ("currency", "$0.05", "$0.14", False, "webarena-verified 1.2.3: a silent tolerance"),
    ("month", "2022-07", "July 2021", False, "webarena-verified 1.2.3"),
]
GROUPS: dict[str, tuple[str, ...]] = {
    "separators": ("thousand_separator", "locale_decimal"), "currency": ("currency",), "signs": ("sign",),
    "percent": ("percent_fraction",), "magnitude words": ("magnitude",), "rounding": ("rounding",),
    "dates and quarters": ("date", "quarter", "month", "fiscal_year"), "ranges": ("range",),
    "sets and order": ("list_unordered", "list_ordered", "list_duplicates"), "negation": ("negation",),
    "names of countries": ("alias", "name_order"), "not available": ("unachievable", "refusal"),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "reference", "candidate", "verdict", "why"), CASES)
def test_what_peers_get_wrong(kind: str, reference: Any, candidate: str, verdict: bool, why: str) -> None:
    found = compare(kind, reference, candidate)
    assert found.passed is verdict, f"{why}: {found.why}"


def test_three_hundred_pairs_and_more_in_every_group() -> None:
    pairs = [pair for path in sorted(DATA.glob("own_pairs_*.jsonl")) for pair in read(path)]
    kinds = Counter(pair.kind for pair in pairs)
    assert len(pairs) >= 300
    for group, names in GROUPS.items():
        assert sum(kinds[name] for name in names) >= 20, group
        assert {pair.verdict for pair in pairs if pair.kind in names} == {True, False}, group
