"""Tables of answers in tests of remarks: a type, a reference, and answers that are all right or all wrong."""

from webds.types import Json
from webds_judge.answers import compare

type Case = tuple[str, Json, str]
type Table = tuple[tuple[str, Json, tuple[str, ...]], ...]


def cases(table: Table) -> list[Case]:
    return [(kind, reference, answer) for kind, reference, answers in table for answer in answers]


def assert_right(kind: str, reference: Json, answer: str) -> None:
    found = compare(kind, reference, answer)
    assert found.passed, found.why


def assert_wrong(kind: str, reference: Json, answer: str) -> None:
    assert not compare(kind, reference, answer).passed
