"""Check kind sql: what it passes, what it may not do, and whose fault a wrong database or query is."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from webds.codec import sha256
from webds.errors import InputFault
from webds.types import AnswerKey, Check, Ending, Evidence, Params, Ungraded, Verdict
from webds_judge.checks import sql
from webds_judge.grade import TypedJudge
from webds_judge.keys import read_keys

BODY = "SELECT body FROM posts WHERE author = 'ada'"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "collected").mkdir()
    base = sqlite3.connect(tmp_path / "collected" / "forum.sqlite")
    base.execute("CREATE TABLE posts (author, body)")
    base.executemany("INSERT INTO posts VALUES (?, ?)", [("ada", "It is 12.31"), ("bo", "x"), ("bo", None)])
    base.commit()
    base.close()
    (tmp_path / "trajectory.jsonl").touch()
    return tmp_path


def evidence(folder: Path, **findings: Any) -> Evidence:
    path = "collected/forum.sqlite"
    entry = {"path": path, "sha256": sha256((folder / path).read_bytes()), "size": 1}
    collected = {"collected": {"forum": entry}} | findings
    return Evidence(
        task="t", revision=1, repeat=0, attempt=1, agent="a", ending=Ending.SUBMITTED, findings=collected, digests={}
    )


def asked(folder: Path, query: str, **params: Any) -> tuple[bool, str]:
    passed, why, parsed = sql.check(evidence(folder), folder, {"collect": "forum", "query": query, **params})
    assert set(parsed) == {"candidate", "reference"}
    return passed, why


@pytest.mark.parametrize(
    ("query", "params", "passed"),
    [
        (BODY, {"type": "number", "reference": 12.31}, True),
        (BODY, {"type": "number", "reference": 12.5}, False),
        (BODY.replace("ada", "nobody"), {"type": "number", "reference": 12.31}, False),
        (BODY.replace("ada", "bo"), {"type": "string", "reference": "x"}, False),
        ("SELECT count(*) = 3 FROM posts", {"expect_true": True}, True),
        ("SELECT count(*) FROM posts", {"expect_true": True}, False),
        ("SELECT NULL", {"expect_true": True}, False),
        ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT sum(i) = 45 FROM n",
            {"expect_true": True}, True),
    ],
)  # fmt: skip
def test_one_value_decides(folder: Path, query: str, params: dict[str, Any], passed: bool) -> None:
    assert asked(folder, query, **params)[0] is passed


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM posts",
        "ATTACH 'other.sqlite' AS other",
        "PRAGMA writable_schema = 1",
        "SELECT load_extension('x')",
        "SELECT body FROM nowhere",
        "SELECT 1; SELECT 2",
        "CREATE TABLE t (x)",
    ],
)
def test_a_query_that_does_more_than_read_is_the_keys_fault(folder: Path, query: str) -> None:
    before = (folder / "collected" / "forum.sqlite").read_bytes()
    with pytest.raises(InputFault, match="the query fails"):
        asked(folder, query, expect_true=True)
    assert (folder / "collected" / "forum.sqlite").read_bytes() == before


def test_an_endless_query_is_stopped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "SECONDS", 0.1)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(InputFault, match=r"stopped after 0\.1 s"):
        asked(folder, endless, expect_true=True)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"query": "SELECT 1", "expect_true": True}, "field collect"),
        ({"collect": "forum", "expect_true": True}, "field query"),
        ({"collect": "forum", "query": "SELECT 1"}, "needs type and reference, or expect_true"),
        ({"collect": "forum", "query": "SELECT 1", "expect_true": False}, "can only be true"),
        ({"collect": "forum", "query": "SELECT 1", "type": "number"}, "they come together"),
        ({"collect": "forum", "query": "SELECT 1", "type": "number", "reference": "x"}, "x"),
        ({"collect": "forum", "query": "SELECT 1", "type": "number", "reference": 1, "expect_true": True}, "not both"),
    ],
)
def test_wrong_params_are_named(params: dict[str, Any], said: str) -> None:
    with pytest.raises(InputFault, match=said):
        sql.settings(params)


def graded(folder: Path, found: Evidence, query: str = BODY) -> Verdict | Ungraded:
    params: Params = {"collect": "forum", "query": query, "type": "number", "reference": 12.31}
    key = AnswerKey(task="t", revision=1, checks=(Check(name="figure", kind="sql", params=params),))
    return TypedJudge().judged(found, folder, key)


def test_blame(folder: Path) -> None:
    whole = evidence(folder)
    passed = graded(folder, whole)
    assert isinstance(passed, Verdict)
    assert passed.passed
    for query, found, blame in (
        (BODY, evidence(folder, collected={}), "evidence"),
        (BODY, evidence(folder, collected={"forum": {"path": "../forum.sqlite", "sha256": ""}}), "evidence"),
        ("SELECT nothing", whole, "key"),
    ):
        verdict = graded(folder, found, query)
        assert isinstance(verdict, Ungraded)
        assert verdict.blame == blame
    with (folder / "collected" / "forum.sqlite").open("ab") as file:
        file.write(b"x")
    changed = graded(folder, whole)
    assert isinstance(changed, Ungraded)
    assert changed.blame == "evidence"


def test_a_key_file_may_hold_it(tmp_path: Path) -> None:
    path = tmp_path / "keys.toml"
    table = '[[key]]\ntask = "t"\nrevision = 1\n[[key.checks]]\nname = "f"\nkind = "sql"\n[key.checks.params]\n'
    path.write_text(table + 'collect = "forum"\nquery = "SELECT 1"\nexpect_true = true\n')
    assert next(read_keys(path)).checks[0].kind == "sql"
    path.write_text(table + 'collect = "forum"\nexpect_true = true\n')
    with pytest.raises(InputFault, match="field query: missing"):
        list(read_keys(path))
