"""The validator on a small tree of its own: a right one has no findings, every planted fault is named."""

from pathlib import Path

import duckdb
import pytest

from webds_judge.validate import validate

CANARY = "3f0a1c52-7c1e-4a55-9d0e-8f1f5a3c9b77"
SITE = f"""name = "toy-site"
title = "Toy"
frozen = "2024-03-15T12:00:00Z"
serve = "app"
domain = "energy"
canary = "{CANARY}"
"""
TASK = (
    f"# Canary {CANARY}\n"
    """
[[task]]
id = "one"
suite = "web"
revision = 1
prompt = "How much?"
start = { url = "https://toy-site.test/" }
budget = { steps = 10, seconds = 60 }
guard = "Units are thousands."
[task.labels]
kind = "qa"
hops = "single"
data = "structured"
media = "text"
tools = false
navigation = true
sites = ["toy-site"]
domain = "energy"
"""
)
ACTION = TASK.replace('"qa"', '"action"')
KEY = (
    f"# Canary {CANARY}\n"
    """
[[key]]
task = "one"
revision = 1
[[key.checks]]
name = "amount"
kind = "answer"
[key.checks.params]
type = "number"
reference = 2.5
oracle = { sql = "SELECT amount / 1000 FROM figures WHERE state = 'Texas'" }
evidence = [
  { kind = "text", url = "https://toy-site.test/", selector = "#a", value = "2.5 million" },
  { kind = "cell", url = "https://toy-site.test/a.csv", key = "Texas", column = "amount", value = "2500" },
]
"""
)
PAGES = {
    "https://toy-site.test/": b"<p id=a>2.5\n million</p><p class=b>1</p><p class=b>2</p>",
    "https://toy-site.test/a.csv": b"state,amount\nTexas,2500\nNevada,7\n",
}


@pytest.fixture
def tree(tmp_path):
    data = tmp_path / "sites_docker" / "toy" / "data"
    data.mkdir(parents=True)
    (tmp_path / "sites_docker" / "toy" / "site.toml").write_text(SITE)
    with duckdb.connect() as database:
        database.execute("CREATE TABLE f AS SELECT 'Texas' AS state, 2500.0 AS amount")
        database.table("f").write_parquet(str(data / "figures.parquet"))
    group = tmp_path / "tasks_public" / "toy"
    (group / "solutions").mkdir(parents=True)
    (group / "solutions" / "one.py").write_text("async def solve(session):\n    await session.submit('2.5')\n")
    return tmp_path


def found(tree: Path, task: str = TASK, key: str = KEY) -> list[tuple[str, str, str, str]]:
    group = tree / "tasks_public" / "toy"
    (group / "tasks.toml").write_text(task)
    (group / "keys.toml").write_text(key)
    return [(f.file.rpartition("/")[2], f.task, f.field, f.problem) for f in validate(tree, PAGES.__getitem__)]


def test_a_right_tree_has_no_findings(tree):
    assert found(tree) == []


@pytest.mark.parametrize(("old", "new", "field", "said"), [
    ('kind = "qa"\nhops = "single"', 'kind = "single"\nhops = "qa"', "labels.kind",
     "row 1, column labels.kind: 'single'; known: qa, action ('single' is a value of hops: swapped?)"),
    ('media = "text"\n', "", "labels.media", "row 1, column labels.media: missing"),
    ("tools = false", 'tools = "no"', "labels.tools", "known: true, false"),
    ('domain = "energy"', 'domain = "health"', "labels.domain", "known: energy"),
    ('["toy-site"]', '["toy-site", "other"]', "labels.sites", "'other'; known: toy-site"),
    ("https://toy-site.test/", "https://elsewhere.test/", "start.url", "no known site; known: toy-site"),
    ('https://toy-site.test/"', 'https://toy-site.test/ a"', "start.url", "white space in an address"),
    ("steps = 10", "steps = -1", "budget.steps", "out of range"),
    ("revision = 1", "revision = 2", "revision", "the key is of revision 1"),
    ('guard = "Units are thousands."', 'guard = "Units\\nare"', "guard", "more than one line"),
    ('guard = "Units are thousands."', "", "guard", "missing"),
    ('suite = "web"', 'suite = "web"\nhint = "2.5"', "hint", "unknown; known: id"),
    ('id = "one"', 'id = "two"', "id", "no key"),
    (TASK, TASK + TASK, "id", "row 2, column id: stands twice"),
    (TASK, "[[task]\n", "-", "not TOML"),
    ('suite = "web"', 'suite = "wbe"', "suite", "row 1, column suite: 'wbe'; known: web"),
    ('id = "one"', 'id = "One"', "id", "wanted small letters"),
    ('["toy-site"]', '["far-site"]', "labels.sites", "without 'toy-site', on which the task starts"),
    ("steps = 10", "steps = 1.5", "budget.steps", "valid integer"),
    ("steps = 10", "stepz = 10", "budget.stepz", "unknown; known: steps, seconds, tokens, dollars"),
    ('suite = "web"', 'suite = "web"\ninputs = [3]', "inputs.0", "valid string"),
    ('suite = "web"', 'suite = "web"\ncollect = [{ kind = "state" }]', "collect.0.name", "required"),
    ('suite = "web"', 'suite = "web"\ncollect = [{ name = "f", kind = "stat", params = { site = "toy-site" } }]',
     "collect[1].kind", "row 1, column collect[1].kind: 'stat'; known: state"),
    ('suite = "web"', 'suite = "web"\ncollect = [{ name = "f", kind = "state", params = { site = "nowhere" } }]',
     "collect[1].params.site", "'nowhere'; known: toy-site"),
    ('suite = "web"', 'suite = "web"\ncollect = [{ name = "A b", kind = "state", params = { site = "toy-site" } }]',
     "collect[1].name", "wanted small letters"),
])  # fmt: skip
def test_task_faults_name_row_and_column(tree, old, new, field, said):
    findings = found(tree, task=TASK.replace(old, new, 1))
    assert any(f == ("tasks.toml", f[1], field, f[3]) and said in f[3] for f in findings), findings


def prompted(tree: Path, prompt: str) -> list[str]:
    """What is said of a prompt, as it stands between three quotation marks of the file."""
    findings = found(tree, task=TASK.replace('"How much?"', f'"""\n{prompt}"""'))
    assert all((file, task, field) == ("tasks.toml", "one", "prompt") for file, task, field, _ in findings), findings
    return [problem for _, _, _, problem in findings]


@pytest.mark.parametrize(("prompt", "said"), [
    ("See https://toy- \\\nsite.test/.", "'https://toy-': an address of no known site; known: toy-site.test"),
    ("See https://toy- site.test/.", "'https://toy- site.test/.': a word broken after its hyphen"),
    ("See https://toy- site.test/.", "'site.test': no known site; known: toy-site.test"),
    ("See https://toy -site.test/.", "'https://toy': an address of no known site"),
    ("See https:// toy-site.test/.", "'https://': an address of no known site"),
    ("See https://toy-site. test/.", "'https://toy-site': an address of no known site"),
    ("See http://toy-site.test/.", "'http://toy-site.test/': an address of no known site"),
    ("See https://toy-site.test/a/ b/c", "'https://toy-site.test/a/ b/c': white space in an address"),
    ("See https://toy-site.test/a- b.csv", "'https://toy-site.test/a- b.csv': a word broken after its hyphen"),
    ("See toy-sight.test for it.", "'toy-sight.test': no known site"),
    ("Of the seven- \\\nday figures?", "'seven- day': a word broken after its hyphen"),
])  # fmt: skip
def test_a_torn_address_or_word_of_a_prompt_is_named(tree, prompt, said):
    problems = prompted(tree, prompt)
    assert any(f"row 1, column prompt: {said}" in problem for problem in problems), problems


@pytest.mark.parametrize("prompt", [
    "See (https://toy-site.test/), https://toy-site.test/a.csv, or https://toy-site.test. How much?",
    "Compare the 7- and 28-day figures - all of them - of toy-site.test's table.",
    "From https://toy-site.test/ and a/b: what is 3 - 2 - 1?",
    "From https://toy-site.test/ \\\nand on a line of its own \\\nhttps://toy-site.test/a.csv",
])  # fmt: skip
def test_whole_addresses_and_hyphens_that_belong_are_no_fault(tree, prompt):
    assert prompted(tree, prompt) == []


@pytest.mark.parametrize(("old", "new", "field", "said"), [
    ("reference = 2.5", 'reference = "soon"', "amount.reference", "'soon' is not one number"),
    ("reference = 2.5", "reference = 2.6", "amount.oracle", "gives another answer: 2.5 is not 2.6"),
    ("FROM figures", "FROM figurs", "amount.oracle", "the SQL fails"),
    ("'Texas'", "'Maine'", "amount.oracle", "no rows"),
    ("#a", "#z", "amount.evidence[1]", "finds no elements"),
    ("#a", ".b", "amount.evidence[1]", "finds 2 elements"),
    ("2.5 million", "2.6 million", "amount.evidence[1].value", "serves '2.5 million', not '2.6 million'"),
    ('value = "2500"', 'value = "2501"', "amount.evidence[2].value", "serves '2500', not '2501'"),
    ('column = "amount"', 'column = "sum"', "amount.evidence[2]", "sum"),
    ('kind = "cell"', 'kind = "page"', "amount.evidence[2]", "known: text, cell, tip, drawn"),
    ("a.csv", "b.csv", "amount.evidence[2]", "b.csv"),
    ('task = "one"', 'task = "nine"', "task", "no such task"),
    ('kind = "answer"', 'kind = "guess"', "amount.kind", "known: answer, csv_file, picture, report"),
    ("oracle = {", "# oracle = {", "amount.oracle", "missing; known: sql"),
    (KEY[KEY.index("evidence"):], "", "amount.evidence", "missing; known kinds: text, cell, tip, drawn"),
    (KEY[KEY.index("evidence"):], "evidence = []\n", "amount.evidence", "missing; known kinds"),
    ("revision = 1", 'revision = "two"', "revision", "valid integer"),
    ('type = "number"', 'type = "colour"', "amount.type", "known: boolean"),
    ("reference = 2.5\n", "", "amount.reference", "missing; known: type, reference"),
    ('kind = "answer"', 'kind = "answer"\nweight = "x"', "amount.weight", "valid number"),
])  # fmt: skip
def test_key_faults_are_named(tree, old, new, field, said):
    findings = found(tree, key=KEY.replace(old, new, 1))
    assert any(f[2] == field and said in f[3] for f in findings), findings


QUERY = """
[[key.checks]]
name = "left"
kind = "sql"
[key.checks.params]
collect = "forum"
query = "SELECT 1"
expect_true = true
"""


def test_what_is_missing_need_not_be_there_for_what_has_no_reference(tree):
    picture = '[[key.checks]]\nname = "chart"\nkind = "picture"\n[key.checks.params]\nfile = "a.png"\n'
    absent = KEY.replace('"number"', '"unachievable"').replace("2.5\noracle", '"deaths"\n# oracle')
    forum = 'suite = "web"\ncollect = [{ name = "forum", kind = "state", params = { site = "toy-site" } }]'
    assert found(tree, task=ACTION.replace('suite = "web"', forum), key=absent + picture + QUERY) == []


def test_a_check_of_a_database_needs_it_collected(tree):
    said = "'forum': the task does not collect it; known: none"
    assert found(tree, task=ACTION, key=KEY + QUERY) == [("keys.toml", "one", "left.collect", said)]


def test_a_label_that_the_key_contradicts_is_named(tree):
    said = "'qa'; action, because check kind sql"
    assert ("tasks.toml", "one", "labels.kind", said) in found(tree, key=KEY + QUERY)


@pytest.mark.parametrize("script", [None, "", "def solve(session): ...", "async def solve(:"])
def test_a_site_needs_scripted_solutions(tree, script):
    path = tree / "tasks_public" / "toy" / "solutions" / "one.py"
    path.unlink() if script is None else path.write_text(script)
    said = "0 scripted solutions of its tasks, 1 are needed; for example one.py"
    assert found(tree) == [("tasks.toml", "-", "solutions", said)]
    two = (TASK + TASK.replace('"one"', '"two"'), KEY + KEY.replace('"one"', '"two"'))
    assert found(tree, *two)[0][3].startswith("0 scripted solutions of its tasks, 2 are needed")
    (tree / "sites_docker" / "toy").rename(tree / "sites_docker" / "other")  # a folder of private tasks is no site's
    assert "solutions" not in {item[2] for item in found(tree)}


def test_every_fault_of_a_keys_file_is_told_and_hides_no_other(tree):
    """Two keys with three faults: the tasks are not said to lack a key."""
    keys = KEY.replace('"number"', '"colour"').replace("revision = 1", "revision = 1\nhint = 2")
    keys += KEY.replace('task = "one"', 'task = "two"').replace('kind = "answer"', 'kind = "guess"')
    findings = found(tree, task=TASK + TASK.replace('"one"', '"two"'), key=keys)
    assert [item[:3] for item in findings if item[0] == "keys.toml"] == [
        ("keys.toml", "one", "hint"), ("keys.toml", "one", "amount.type"), ("keys.toml", "two", "amount.kind"),
    ]  # fmt: skip
    assert not [item for item in findings if "no key" in item[3]]


def test_a_site_that_cannot_be_served_is_a_fault(tree):
    path = tree / "sites_docker" / "toy" / "site.toml"
    path.write_text(SITE.replace('title = "Toy"\n', "").replace("2024-03-15", "2024-33-15"))
    assert [(item[0], item[2]) for item in found(tree)] == [("site.toml", "title"), ("site.toml", "frozen")]
