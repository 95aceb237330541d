"""`webds tasks validate` on broken files (T6): every fault with file, task, field and known values; exit code 1."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.judge.test_tasks_verbs import said

SITE = "contagion_ledger"
TASK = """
[[task]]
id = "{name}"
suite = "web"
revision = 1
prompt = "Which years?"
start = {{ url = "https://contagion-ledger.test/" }}
budget = {{ steps = 10, seconds = 60 }}
guard = "A silent year is no zero."
[task.labels]
kind = "qa"
hops = "single"
data = "structured"
media = "text"
tools = false
navigation = true
sites = ["contagion-ledger"]
domain = "public health"
"""
KEY = """
[[key]]
task = "{name}"
revision = 1
[[key.checks]]
name = "years"
kind = "answer"
[key.checks.params]
type = "integer"
reference = 2
oracle = {{ sql = "SELECT 2" }}
evidence = [
  {{ kind = "text", url = "{area}", selector = "#rubella .thin", value = "1968, 1999" }},
]
"""
SOLUTION = "async def solve(session):\n    await session.submit('2')\n"
AREA = "https://contagion-ledger.test/areas/mississippi"
NAMES = ("one", "two", "three")


class Checkout:
    """Three tasks on a site of this checkout, which all hold; `write` breaks them."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.root = folder
        (folder / "sites_docker").mkdir()
        (folder / "sites_docker" / SITE).symlink_to(root / "sites_docker" / SITE)
        self.canary = tomllib.loads((root / "sites_docker" / SITE / "site.toml").read_text())["canary"]
        self.group = folder / "tasks_public" / SITE
        (self.group / "solutions").mkdir(parents=True)
        for name in NAMES:
            (self.group / "solutions" / f"{name}.py").write_text(SOLUTION)
        self.write()

    def write(self, **changes: tuple[tuple[str, str], ...]) -> None:
        """Task and key files; `changes`: of a task's tables, what is replaced by what."""
        for file, table in (("tasks.toml", TASK), ("keys.toml", KEY)):
            text = f"# Canary {self.canary}\n"
            for name in NAMES:
                own = table.format(name=name, area=AREA)
                for old, new in changes.get(name, ()):
                    own = own.replace(old, new)
                text += own
            (self.group / file).write_text(text)


@pytest.fixture
def checkout(tmp_path: Path, root: Path) -> Checkout:
    return Checkout(tmp_path, root)


def told(checkout: Checkout, capsys: pytest.CaptureFixture[str]) -> tuple[object, Any, list[str]]:
    """(exit code, what --json says, the lines without it): both say the same."""
    words = ["tasks", "validate", "--no-tips", "--no-reviews", "--root", str(checkout.root)]
    code, out, err = said([*words, "--json"], capsys)
    assert not err
    as_json = json.loads(out)
    plain_code, lines, _ = said(words, capsys)
    assert plain_code == code
    rows = [f"{row['file']}: {row['task']}: {row['field']}: {row['problem']}" for row in as_json["findings"]]
    assert lines.splitlines()[:-1] == rows
    return code, as_json, lines.splitlines()


def test_right_files_are_told_with_their_count(checkout: Checkout, capsys: pytest.CaptureFixture[str]) -> None:
    code, as_json, lines = told(checkout, capsys)
    assert (code, as_json) == (0, {"tasks": 3, "tasks_with_faults": 0, "findings": []})
    assert lines == ["3 tasks, 0 with faults, 0 faults (left out: reviews, tips)"]


def test_swapped_missing_and_out_of_range_columns_name_row_and_column(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout.write(
        one=(('kind = "qa"\nhops = "single"', 'kind = "single"\nhops = "qa"'), ("guard =", "# guard =")),
        two=(("revision = 1\nprompt", 'revision = "two"\nprompt'), ("steps = 10", "stepz = -10")),
        three=(('id = "three"', ""), ('suite = "web"', 'suite = "wbe"'), ("seconds = 60", "seconds = -1")),
    )
    code, _, lines = told(checkout, capsys)
    assert code == 1
    fields = "id, suite, revision, prompt, start, labels, guard, inputs, budget, collect"
    swapped = " ({!r} is a value of {}: swapped?)"
    wanted = [
        "one: guard: row 1, column guard: missing; known: " + fields,
        "one: labels.kind: row 1, column labels.kind: 'single'; known: qa, action" + swapped.format("single", "hops"),
        "one: labels.hops: row 1, column labels.hops: 'qa'; known: single, multi" + swapped.format("qa", "kind"),
        "one: labels.kind: 'single'; qa, because only the answer is checked",
        f"one: labels.hops: 'qa'; single, because all values are from {AREA}",
        "two: revision: 'two', the key is of revision 1",
        "two: revision: row 2, column revision: 'two'; a whole number from 1 is needed",
        "two: budget.stepz: row 2, column budget.stepz: unknown; known: steps, seconds, tokens, dollars",
        "row 3: id: row 3, column id: missing; known: " + fields,
        "row 3: budget.seconds: row 3, column budget.seconds: -1 is out of range; a number from 0 (no limit)",
        "row 3: suite: row 3, column suite: 'wbe'; known: web",
    ]
    of_keys = [
        "three: task: no such task in any tasks.toml",
        "three: years.oracle: the task starts on no known site, so there is no data to ask",
    ]
    file = f"tasks_public/{SITE}"
    assert sorted(lines[:-1]) == sorted(
        [f"{file}/tasks.toml: {line}" for line in wanted] + [f"{file}/keys.toml: {line}" for line in of_keys]
    )
    assert lines[-1] == "3 tasks, 3 with faults, 13 faults (left out: reviews, tips)"


def test_a_file_that_is_no_toml_hides_nothing_of_another(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    other = checkout.root / "tasks_public" / "notes"
    other.mkdir()
    (other / "tasks.toml").write_text("[[task]\n")
    (checkout.root / "sites_docker" / "broken").mkdir()
    (checkout.root / "sites_docker" / "broken" / "site.toml").write_text("title = 'x\n")
    checkout.write(one=(("guard =", "# guard ="), ("SELECT 2", "SELECT 3"), ("1968, 1999", "1968")))
    code, as_json, _ = told(checkout, capsys)
    assert code == 1
    assert as_json["tasks_with_faults"] == 1
    assert [(row["file"].partition("/")[2], row["task"], row["field"]) for row in as_json["findings"]] == [
        ("broken/site.toml", "-", "-"),
        ("notes/tasks.toml", "-", "-"),
        (f"{SITE}/tasks.toml", "one", "guard"),
        (f"{SITE}/keys.toml", "one", "years.oracle"),
        (f"{SITE}/keys.toml", "one", "years.evidence[1].value"),
        ("notes/tasks.toml", "-", "canary"),
    ]
