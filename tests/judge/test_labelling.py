"""Labels against what the key shows: one rule a value, by check kind and evidence kind; all public tasks keep to it."""

from pathlib import Path

import pytest

from tests.conftest import ROOT
from webds.types import AnswerKey, Check, Json
from webds_judge import checkout, labelling
from webds_judge.checkout import Checkout

LABELS: dict[str, Json] = {"kind": "qa", "hops": "multi", "data": "structured", "media": "text"}
CELL: Json = {"kind": "cell", "url": "https://a.test/a.csv", "key": "x", "column": "y", "value": "1"}
OTHER: Json = {"kind": "text", "url": "https://a.test/b", "selector": "#row-1 .n", "value": "2"}
RULE: Json = {
    "kind": "text",
    "url": "https://a.test/method",
    "selector": "#rule-thin",
    "value": "Thin years do not count.",
}
POST: Json = {"kind": "text", "url": "https://a.test/threads/1", "selector": "#post-3 .body", "value": "It is 7."}
TIP: Json = {"kind": "tip", "url": "https://a.test/map", "x": 1, "y": 2, "value": "3"}
DRAWN: Json = {"kind": "drawn", "url": "https://a.test/p", "image": "/p.png", "series": "s", "key": "k", "value": "4"}
CAPTION: Json = {"kind": "text", "url": "https://a.test/p", "selector": "#caption-1", "value": "The mean is 5."}


def said(labels: dict[str, Json], *checks: Check) -> list[tuple[str, str]]:
    found = Checkout(Path())
    found.tasks["one"] = ("tasks.toml", {"id": "one", "labels": labels})
    found.keys["one"] = ("keys.toml", AnswerKey(task="one", revision=1, checks=checks, gold=""))
    return [(fault.field, fault.problem) for fault in labelling.faults(found)]


def check(kind: str = "answer", *evidence: Json) -> Check:
    return Check(name="c", kind=kind, params={"evidence": evidence} if evidence else {})


@pytest.mark.parametrize(
    ("evidence", "right"),
    [
        ((CELL, OTHER), {}),
        ((CELL, OTHER, RULE, POST), {}),
        ((CELL, RULE, POST), {"hops": "single"}),
        ((CELL, CELL), {"hops": "single"}),
        ((CELL, CAPTION), {"data": "unstructured"}),
        ((CELL, TIP), {"data": "unstructured", "media": "non_text"}),
        ((CELL, DRAWN), {"data": "unstructured", "media": "non_text"}),
        ((DRAWN, DRAWN), {"data": "unstructured", "media": "non_text", "hops": "single"}),
    ],
)
def test_evidence_decides_data_media_and_hops(evidence: tuple[Json, ...], right: dict[str, Json]) -> None:
    assert {field for field, _ in said(LABELS, check("answer", *evidence))} == {f"labels.{name}" for name in right}
    assert said({**LABELS, **right}, check("answer", *evidence)) == []


def test_what_is_left_behind_makes_an_action() -> None:
    for kind in ("sql", "csv_file", "picture", "report"):
        assert said(LABELS, check(), check(kind)) == [("labels.kind", f"'qa'; action, because check kind {kind}")]
        assert said({**LABELS, "kind": "action"}, check(), check(kind)) == []
    assert said({**LABELS, "kind": "action"}, check()) == [
        ("labels.kind", "'action'; qa, because only the answer is checked")
    ]


def test_what_is_missing_is_no_fault_of_a_label() -> None:
    assert said({}, check("answer", TIP)) == []
    assert said(LABELS, check()) == []


def test_the_labels_of_all_public_tasks() -> None:
    found = checkout.read(ROOT)
    assert len(found.keys) >= 60
    assert list(labelling.faults(found)) == []
