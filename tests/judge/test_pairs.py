"""The labelled answer pairs: a third of the reference set, and our own of the same kinds."""

import json
from collections import Counter
from pathlib import Path

import pytest

from webds.errors import InputFault
from webds_judge.answers import compare, known

TESTS = Path(__file__).parents[1]
GIVEN = [json.loads(line) for line in (TESTS / "data" / "answer_pairs.jsonl").read_text("utf-8").splitlines()]
OWN = [json.loads(line) for line in (TESTS / "judge" / "data" / "own_pairs.jsonl").read_text("utf-8").splitlines()]
BUILT = [pair for pair in GIVEN if pair["type"] in known()]


@pytest.mark.parametrize("pair", BUILT, ids=lambda pair: pair["id"])
def test_given_pair(pair):
    result = compare(pair["type"], pair["reference"], pair["candidate"])
    assert result.passed is pair["verdict"], result.why
    assert result.why
    assert set(result.parsed) == {"candidate", "reference"}


def test_every_built_type_has_given_pairs():
    counts = Counter(pair["type"] for pair in BUILT)
    assert set(counts) == set(known())
    assert sum(counts.values()) == 165


def test_own_pairs_have_no_false_accept_and_only_the_listed_faults():
    wrong = []
    for pair in OWN:
        passed = compare(pair["type"], pair["reference"], pair["candidate"]).passed
        if passed is not pair["verdict"]:
            wrong.append((pair["type"], pair["candidate"], passed))
    assert [row for row in wrong if row[2]] == []
    listed = {(p["type"], p["candidate"], not p["verdict"]) for p in OWN if p.get("known_fault")}
    assert set(wrong) <= listed
    assert len(listed) <= 12  # right answers in wordings that are not read yet; never a wrong answer accepted


def test_unknown_type_lists_the_known_ones():
    with pytest.raises(InputFault, match=r"no answer type 'colour'; known: boolean, csv, date"):
        compare("colour", 1, "1")
