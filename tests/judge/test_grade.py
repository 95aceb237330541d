"""Grading tries: verdicts, faults that are never zeros, broken evidence, and the judge as a process."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from webds.codec import canonical, digest, sha256
from webds.errors import InputFault
from webds.store import commit, read_verdict
from webds.types import Action, AnswerKey, Check, Ending, Evidence, File, Observation, Step, Ungraded, Verdict
from webds_judge.grade import TypedJudge, built_in
from webds_judge.keys import KeyRing

TABLE = "state,amount\nTexas,1.5\nNevada,\n"
KEYS = """
[[key]]
task = "t"
revision = 2
gold = "gold/table.csv"
[[key.checks]]
name = "amount"
kind = "answer"
[key.checks.params]
type = "number"
reference = 34.769
[[key.checks]]
name = "table"
kind = "csv_file"
[key.checks.params]
file = "out.csv"
key_columns = ["state"]
abs_tol = { amount = 0.1 }
"""
SUBMITTED = "\ufeffamount;state\r\n;Nevada\r\n1,45;Texas\r\n"
SECOND = """
[[key]]
task = "t"
revision = 2
checks = [{ name = "a", kind = "answer", params = { type = "number", reference = 1 } }]
[[key]]
"""


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root" / "tasks_public" / "group"
    (folder / "gold").mkdir(parents=True)
    (folder / "keys.toml").write_text(KEYS)
    (folder / "gold" / "table.csv").write_text(TABLE)
    return tmp_path / "root"


def made(
    folder: Path, answer: str = "34.769", table: str | None = SUBMITTED, steps: int = 2, **changes: Any
) -> Evidence:
    """A committed try with a trajectory and one file."""
    folder.mkdir(parents=True)
    last = ""
    with (folder / "trajectory.jsonl").open("wb") as file:
        for index in range(steps):
            step = Step(index=index, saw=Observation(), did=Action(name="goto"), then=Observation(text="x"), prev=last)
            file.write(canonical(step) + b"\n")
            last = digest(step)
    files: tuple[File, ...] = ()
    if table is not None:
        (folder / "files").mkdir()
        data = table.encode()
        (folder / "files" / "out.csv").write_bytes(data)
        files = (File(name="out.csv", path="files/out.csv", sha256=sha256(data), size=len(data)),)
    evidence = Evidence(task="t", revision=2, repeat=0, attempt=1, agent="a", ending=Ending.SUBMITTED, answer=answer,
                        files=files, steps=steps, digests={"trajectory": last})  # fmt: skip
    evidence = replace(evidence, **changes)
    commit(folder, evidence)
    return evidence


async def test_a_right_try_passes_and_every_check_is_named(tmp_path, root):
    evidence = made(tmp_path / "try-1")
    word = await TypedJudge().grade(evidence, tmp_path / "try-1", KeyRing(root).key("t"))
    assert isinstance(word, Verdict)
    assert (word.passed, [part.name for part in word.parts], word.stars) == (True, ["amount", "table"], None)
    assert word.evidence == sha256((tmp_path / "try-1" / "evidence.json").read_bytes())


@pytest.mark.parametrize(("change", "said"), [
    ({"answer": "34.8"}, "amount: 34.8 is not 34.769"),
    ({"table": None}, "table: no file named out.csv"),
    ({"table": "state,amount\nTexas,1.7\nNevada,\n"}, "table: out.csv: row (Texas), column 'amount': '1.7' is"),
    ({"table": "state,amount\nTexas,1.5\nNevada,0\n"}, "table: out.csv: row (Nevada), column 'amount': '0' is"),
    ({"table": "state,amount\nTexas,=1.5\nNevada,\n"}, "table: out.csv: row (Texas), column 'amount': '=1.5'"),
    ({"table": ""}, "table: out.csv: no header line"),
])  # fmt: skip
async def test_a_wrong_try_fails_with_its_reason(tmp_path, root, change, said):
    evidence = made(tmp_path / "try-1", **change)
    word = await TypedJudge().grade(evidence, tmp_path / "try-1", KeyRing(root).key("t"))
    assert isinstance(word, Verdict)
    assert word.passed is False
    assert word.why.startswith(said)


async def test_a_check_that_raises_is_ungraded_and_names_what_is_missing(tmp_path, root):
    def broken(evidence, folder, params):
        raise ZeroDivisionError("boom")

    evidence = made(tmp_path / "try-1")
    judge = TypedJudge({**built_in(), "csv_file": broken})
    word = await judge.grade(evidence, tmp_path / "try-1", KeyRing(root).key("t"))
    assert isinstance(word, Ungraded)
    assert (word.blame, word.missing) == ("judge", ("table",))
    assert "boom" in word.why


@pytest.mark.parametrize(("key", "said"), [
    (AnswerKey(task="t", revision=1, checks=(Check(name="a", kind="answer"),)), "revision 1"),
    (AnswerKey(task="t", revision=2), "no checks"),
    (AnswerKey(task="t", revision=2, checks=(Check(name="a", kind="guess"),)), "no check kind 'guess'"),
    (AnswerKey(task="t", revision=2, checks=(Check(name="a", kind="answer", params={"type": "x", "reference": 1}),)),
     "known: "),
])  # fmt: skip
async def test_a_faulty_key_is_to_blame(tmp_path, key, said):
    word = await TypedJudge().grade(made(tmp_path / "try-1"), tmp_path / "try-1", key)
    assert isinstance(word, Ungraded)
    assert word.blame == "key"
    assert said in word.why


def _flip(path: Path, old: bytes, new: bytes) -> None:
    path.write_bytes(path.read_bytes().replace(old, new, 1))


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes().split(b"\n")[0] + b"\n")


@pytest.mark.parametrize("damage", [
    lambda folder: _flip(folder / "files" / "out.csv", b"1,45", b"1,46"),
    lambda folder: (folder / "files" / "out.csv").unlink(),
    lambda folder: _flip(folder / "trajectory.jsonl", b'"goto"', b'"gone"'),
    lambda folder: _cut(folder / "trajectory.jsonl"),
    lambda folder: (folder / "trajectory.jsonl").unlink(),
    lambda folder: (folder / "trajectory.jsonl").write_bytes(b"{}\n{}\n"),
])  # fmt: skip
async def test_damaged_evidence_is_ungraded(tmp_path, root, damage):
    evidence = made(tmp_path / "try-1")
    damage(tmp_path / "try-1")
    word = await TypedJudge().grade(evidence, tmp_path / "try-1", KeyRing(root).key("t"))
    assert isinstance(word, Ungraded)
    assert word.blame == "evidence"
    assert word.missing == ("amount", "table")


def _served(root: Path, requests: list[Any], *flags: str) -> tuple[subprocess.CompletedProcess[bytes], list[Any]]:
    lines = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in requests)
    done = subprocess.run([sys.executable, "-m", "webds_judge", "--root", str(root), *flags], input=lines.encode(),
                          capture_output=True, timeout=120)  # fmt: skip
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def test_the_process_grades_refuses_keys_and_drops_no_request(tmp_path, root):
    made(tmp_path / "good")
    made(tmp_path / "bad", answer="1")
    bad = ["not json", "[" * 50_000, {"key": "t"}, {"grade": "relative"}, {}, {"shout": "x"}, "x" * 3_000_000]
    bad.append({"grade": str(tmp_path / "nowhere")})
    requests = [{"grade": str(tmp_path / "good")}, *bad, {"grade": str(tmp_path / "bad")}]
    done, replies = _served(root, requests)
    assert done.returncode == 0
    assert len(replies) == len(requests)
    assert replies[0] == {"graded": str(tmp_path / "good"), "kind": "verdict", "passed": True, "why": replies[0]["why"]}
    assert all(set(reply) == {"error"} and "\n" not in reply["error"] for reply in replies[1:9])
    assert replies[9]["passed"] is False
    assert "--key-given" in replies[3]["error"]
    kept = read_verdict(tmp_path / "good" / "verdicts" / "tier1.json")
    assert isinstance(kept, Verdict)
    assert kept.passed is True
    assert b"34.769" not in done.stdout.splitlines()[3]


def test_one_broken_key_file_leaves_the_other_tasks_graded(tmp_path, root):
    other = root / "tasks_public" / "other"
    other.mkdir()
    (other / "keys.toml").write_text("[[key]\n")
    made(tmp_path / "good")
    made(tmp_path / "lost", task="elsewhere")
    done, replies = _served(root, [{"grade": str(tmp_path / "good")}, {"grade": str(tmp_path / "lost")}])
    assert replies[0]["passed"] is True
    assert (replies[1]["kind"], replies[1]["passed"]) == ("ungraded", None)
    assert b"other/keys.toml: not TOML" in done.stderr
    kept = read_verdict(tmp_path / "lost" / "verdicts" / "tier1.json")
    assert isinstance(kept, Ungraded)
    assert kept.blame == "key"


def test_the_key_is_given_only_when_asked_for_at_the_start(root):
    _, replies = _served(root, [{"key": "t"}, {"key": "u"}], "--key-given")
    assert replies[0]["key"]["checks"][0]["params"]["reference"] == 34.769
    assert "known: t" in replies[1]["error"]


@pytest.mark.parametrize(("old", "new", "said"), [
    ('task = "t"', "task = ", "not TOML"),
    ('revision = 2\n', "", "task t: field revision: missing"),
    ('revision = 2\n', "revision = 2\nhint = 1\n", "task t: field hint: unknown; known: task"),
    ('kind = "answer"', 'kind = "guess"', "field kind: 'guess'; known: answer, csv_file"),
    ('type = "number"', 'type = "colour"', "field type: 'colour'; known: boolean"),
    ("reference = 34.769\n", "", "check amount: field reference: missing"),
    ("gold/table.csv", "../../../secret.csv", "field gold: '../../../secret.csv' leads out"),
    ("gold/table.csv", "gold/none.csv", "cannot be read"),
    ('name = "table"', 'name = "amount"', "one name twice"),
    ("[[key]]", SECOND, "has a key already"),
])  # fmt: skip
def test_faulty_key_files_say_file_task_and_field(root, old, new, said):
    path = root / "tasks_public" / "group" / "keys.toml"
    path.write_text(KEYS.replace(old, new, 1))
    with pytest.raises(InputFault) as caught:
        KeyRing(root)
    assert said in str(caught.value)
    assert "keys.toml" in str(caught.value)
    assert "\n" not in str(caught.value)
