"""The counts that docs/tasks.md states are those of `webds tasks stats`, and the tiers keep their minima."""

import re

import pytest

from tests.conftest import ROOT
from webds_judge.stats import stats

LINES = {
    "difficulty (`non_text`, the one that counts)": "difficulty (non_text)",
    "difficulty (`seed`, unstructured data instead)": "difficulty (seed)",
    "sites of a task": "number of sites",
    "kind": "label kind",
    "hops": "label hops",
    "data": "label data",
    "media": "label media",
    "tools": "label tools",
    "check kinds": "check kind",
    "answer types": "answer type",
    "evidence": "evidence (pieces)",
}
"""First cell of a line of the table -> group of the counts."""


@pytest.fixture(scope="module")
def table() -> dict[str, str]:
    section = (
        (ROOT / "docs" / "tasks.md").read_text(encoding="utf-8").split("## The sixty")[1].split("What the work is")[0]
    )
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return dict(rows[1:])


def test_the_counts_of_the_documents(table: dict[str, str]) -> None:
    found = stats(ROOT)
    assert set(table) == set(LINES)
    for line, group in LINES.items():
        stated = {value: int(count) for value, count in re.findall(r"(\S+) (\d+)(?:,|$)", table[line])}
        assert stated == found[group], line


def test_the_tiers_keep_their_minima() -> None:
    held = stats(ROOT)["difficulty (non_text)"]
    assert held["easy"] >= 15
    assert held["medium"] >= 18
    assert held["hard"] >= 20
