"""T7 and exploit 32: agents that know nothing score under 3 % together, on the tasks of this checkout."""

import re

import pytest

from tests.conftest import ROOT
from tests.judge.test_validate import KEY, PAGES, TASK, found
from tests.judge.test_validate import tree as tree
from webds.errors import InputFault
from webds.tracks.siteapps import fetch_from
from webds_judge.constants import LIMIT, WHAT, as_markdown, tried

_ROW = r"^\| ([a-z ]+) \| .+ \| \d+ \| \d+\.\d% \|$"


def test_constant_agents_pass_under_three_percent_of_the_tasks():
    luck = tried(ROOT, fetch_from(ROOT))
    assert luck.tasks >= 20
    assert luck.share < LIMIT, luck.together


def test_the_table_in_the_documents_is_of_these_agents():
    rows = re.findall(
        r"^\| ([a-z ]+) \| .+ \| \d+ \| \d+\.\d% \|$", (ROOT / "docs" / "constants.md").read_text(), re.MULTILINE
    )
    assert rows == [*WHAT, "together"]


def test_a_constant_that_passes_is_seen(tree):
    assert found(tree) == []
    keys = tree / "tasks_public" / "toy" / "keys.toml"
    for reference, agent in (("0", "zero"), ("2.5", "")):
        keys.write_text(KEY.replace("reference = 2.5", f"reference = {reference}"))
        luck = tried(tree, PAGES.__getitem__)
        assert {name for name, passed in luck.passes.items() if passed} == ({agent} if agent else set())
        assert luck.share == bool(agent)
    prompt = TASK.replace("How much?", "2.5")
    (tree / "tasks_public" / "toy" / "tasks.toml").write_text(prompt)
    assert tried(tree, PAGES.__getitem__).passes["prompt"] == ("one",)
    assert "| prompt | the prompt's own words | 1 | 100.0% |" in as_markdown(tried(tree, PAGES.__getitem__))


def test_no_task_is_no_table(tmp_path):
    with pytest.raises(InputFault, match="no task has a key"):
        as_markdown(tried(tmp_path, PAGES.__getitem__))
