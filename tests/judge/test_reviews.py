"""Reviews and canaries: a task counts with an agreeing review of its revision; the judge says what agrees."""

from pathlib import Path
from typing import Any

import pytest

from tests.judge.test_validate import CANARY, KEY, PAGES, TASK, found
from tests.judge.test_validate import tree as tree
from webds.errors import InputFault
from webds.types import AnswerKey, Check
from webds_judge import checkout, reviews
from webds_judge.reviews import Review
from webds_judge.validate import validate

SAID = Review(
    task="one", revision=0, reviewer="A", closed_book="unknown", answer="about 2.5", minutes=12, path="home, file",
    doubts='"million"?\n', agrees=False,
)  # fmt: skip


@pytest.fixture
def group(tree):
    assert found(tree) == []
    return tree / "tasks_public" / "toy"


def faults(tree: Path) -> list[str]:
    listed = validate(tree, PAGES.__getitem__, with_reviews=True)
    return [f"{f.file.rpartition('/')[2]}: {f.task}: {f.field}: {f.problem}" for f in listed]


def added(tree: Path, copies: dict[str, bytes] | None = None, **changes: Any) -> tuple[Path, Review, str]:
    said = Review(**{**{name: getattr(SAID, name) for name in SAID.__slots__}, **changes})
    return reviews.append(checkout.read(tree), said, copies or {})


def test_a_task_without_a_review_does_not_count(tree, group):
    assert faults(tree) == ["tasks.toml: one: review: no agreeing review of revision 1"]


def test_an_agreeing_review_makes_it_count(tree, group):
    target, kept, why = added(tree)
    assert (target, kept.agrees, kept.revision) == (group / "reviews.toml", True, 1)
    assert "agrees" in why
    assert CANARY in target.read_text()
    assert faults(tree) == []
    ((_, _, read),) = reviews.read(checkout.read(tree))
    assert read == kept


def test_another_answer_differs_and_a_second_review_may_agree(tree, group):
    assert not added(tree, answer="2.7")[1].agrees
    assert faults(tree) == ["tasks.toml: one: review: no agreeing review of revision 1"]
    assert added(tree, reviewer="B")[1].agrees
    assert faults(tree) == []


def test_the_reviewers_own_word_does_not_count(tree, group):
    target, _, _ = added(tree, answer="2.7")
    target.write_text(target.read_text().replace("agrees = false", "agrees = true"))
    assert [line for line in faults(tree) if "agrees: true, but the judge says false: amount: 2.7 is not 2.5" in line]


def test_right_from_memory_sends_the_task_back(tree, group):
    added(tree, closed_book="right")
    assert any("closed_book: right without opening the site" in line for line in faults(tree))


def test_a_review_of_an_older_revision_is_none(tree, group):
    added(tree)
    (group / "tasks.toml").write_text(TASK.replace("revision = 1", "revision = 2"))
    (group / "keys.toml").write_text(KEY.replace("revision = 1", "revision = 2"))
    assert faults(tree) == ["tasks.toml: one: review: no agreeing review of revision 2"]


def test_files_are_kept_and_compared(tree, group):
    params = KEY[KEY.index("evidence") :]
    key = KEY + '[[key.checks]]\nname = "t"\nkind = "csv_file"\n[key.checks.params]\nfile = "t.csv"\n'
    key += f'reference = "a\\n1\\n"\noracle = {{ sql = "SELECT 1 AS a" }}\n{params}'
    (group / "keys.toml").write_text(key)
    (group / "tasks.toml").write_text(TASK.replace('kind = "qa"', 'kind = "action"'))
    assert not added(tree)[1].agrees
    _, kept, _ = added(tree, {"t.csv": b"a\n1\n"})
    assert kept.files == ("reviews/one-1-A/t.csv",)
    assert kept.agrees
    assert faults(tree) == []


@pytest.mark.parametrize(("change", "said"), [
    ({"task": "nine"}, "no task 'nine'"), ({"closed_book": "no"}, "known: wrong, unknown, right"),
    ({"minutes": 0}, "field minutes"), ({"answer": " "}, "field answer"), ({"path": ""}, "field path"),
])  # fmt: skip
def test_what_no_review_can_have(tree, group, change, said):
    with pytest.raises(InputFault, match=said):
        added(tree, **change)


@pytest.mark.parametrize(("old", "new", "said"), [
    (f"# Canary {CANARY}\n", "", f"no comment line with `Canary <UUID>`; of its site: {CANARY}"),
    (CANARY, "0f0a1c52-7c1e-4a55-9d0e-8f1f5a3c9b77", f"is not the canary of this group: {CANARY}"),
])  # fmt: skip
def test_canaries_of_task_files(tree, old, new, said):
    assert any(said in f[3] for f in found(tree, task=TASK.replace(old, new)))


def test_a_canary_anywhere_else_is_reported(tree, group):
    (tree / "docs").mkdir()
    (tree / "docs" / "page.md").write_text(f"see {CANARY}")
    assert [f for f in faults(tree) if f.startswith("page.md") and "belongs to toy only" in f]


def test_a_site_needs_a_canary_of_its_own(tree, group):
    site = tree / "sites_docker" / "toy" / "site.toml"
    site.write_text(site.read_text().replace(CANARY, "none"))
    assert any("site.toml: -: canary: 'none'; a UUID of its own is needed" in line for line in faults(tree))


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("15907 GWh; 7.5 percent", True),
        ("15907 GWh; 7.9 percent", False),
        ("7.5 percent; 15907 GWh", False),
        ("15907 GWh", False),
        ("15907 GWh; 7.5 percent; 8", False),
    ],
)
def test_values_of_several_queries_are_given_in_order(said: str, right: bool, tmp_path: Path) -> None:
    rows = [
        ("amount", {"type": "quantity", "reference": "15907 GWh"}),
        ("rise", {"type": "percent", "reference": "7.5%"}),
        ("nothing-else", {"query": "SELECT 1"}),
    ]
    checks = tuple(Check(name=name, kind="sql", params=params) for name, params in rows)
    assert reviews.agrees(AnswerKey(task="one", revision=1, checks=checks), said, tmp_path)[0] is right
