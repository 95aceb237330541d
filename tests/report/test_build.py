"""The report as a pure function of a run folder: rows, counts, files, broken episodes, size."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.report.build_run import Act, Episode, add_try, make_run, task
from webds.errors import InputFault
from webds.report.build import build
from webds.report.query import breakdown, connect
from webds.report.rows import read_run
from webds.stats import Share
from webds.store import RunFolder, append_line, write_json
from webds.types import Ending

EVIL = "\"<b>'" * 200
TASKS = [
    task("a", difficulty="easy", kind="qa", domain="energy", tools=["python", "sql"]),
    task("b", difficulty="hard", kind="qa", domain="prices", tools=["python"]),
    task("c", difficulty="hard", kind="action", domain="energy", tools=[]),
    task("d", difficulty="medium", kind="qa", domain="energy"),
    task("e", difficulty="easy", kind="qa", domain="energy"),
    task("f", difficulty="easy", kind="qa", domain="prices"),
    task("g", difficulty="easy", kind="qa", domain="prices"),
]
KINDS = "select labels ->> 'kind', count(*) from '{}' group by 1 order by 1"
EPISODES = [
    Episode(task="a", answer="42"),
    Episode(task="b", passed=False, reason="41 is not 42"),
    Episode(task="c", ending=Ending.AGENT_FAULT, why="KeyError: 'x'", passed=None),
    Episode(task="d", ending=Ending.INFRA, why="open environment: Chromium left", passed=None),
    Episode(task="e", ungraded="key", reason="the key has no checks"),
    Episode(task="f", ending=Ending.BLOCKED, why="403", passed=None),
]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """One episode of every outcome; g is planned and was never run."""
    return make_run(tmp_path / "run", TASKS, EPISODES)


def results_of(run: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((run / "results.json").read_text())
    return loaded


def test_every_planned_episode_has_a_row(run: Path) -> None:
    build(run)
    results = results_of(run)
    found = [(row["task"], row["outcome"], row["passed"], row["score"]) for row in results["episodes"]]
    assert found == [
        ("a", "pass", True, 1.0),
        ("b", "fail", False, 0.0),
        ("c", "fail", False, 0.0),
        ("d", "infra", None, None),
        ("e", "ungraded", None, None),
        ("f", "blocked", None, None),
        ("g", "not_run", None, None),
    ]
    assert results["run"]["counts"] == {"pass": 1, "fail": 2, "blocked": 1, "infra": 1, "ungraded": 1, "not_run": 1}
    assert results["run"]["planned"] == 7
    assert results["run"]["score"] == pytest.approx(1 / 3)
    assert (results["run"]["strict"]["passes"], results["run"]["strict"]["n"]) == (1, 7)


def test_a_row_says_what_and_why(run: Path) -> None:
    build(run)
    rows = {row["task"]: row for row in results_of(run)["episodes"]}
    assert rows["a"]["steps"] == 2
    assert rows["a"]["seconds"] == 3.0
    assert rows["a"]["answer"] == "42"
    assert rows["a"]["agent"] == "scripted"
    assert rows["a"]["labels"] == {"kind": "qa", "domain": "energy", "tools": ["python", "sql"]}
    assert rows["a"]["difficulty"] == "easy"
    assert rows["c"]["why"] == "KeyError: 'x'"
    assert rows["e"]["why"] == "the key has no checks"
    assert rows["g"]["ending"] is None
    assert rows["g"]["seconds"] is None


def test_limit_names_which_and_keeps_the_verdict(tmp_path: Path) -> None:
    episode = Episode(task="a", ending=Ending.LIMIT, why="steps", passed=False, reason="no file")
    run = make_run(tmp_path / "run", TASKS[:1], [episode])
    assert read_run(run).rows[0].why == "limit: steps; no file"


def test_same_folder_same_bytes(run: Path) -> None:
    first = build(run)
    files = [first.html, first.results, first.episodes, *first.pages]
    before = [file.read_bytes() for file in files]
    build(run)
    assert [file.read_bytes() for file in files] == before
    assert len(first.pages) == 6


def test_parquet_and_relations_agree(run: Path) -> None:
    paths = build(run)
    rows = read_run(run).rows
    with connect(rows) as db:
        inside = db.execute("select * from episodes order by task").fetchall()
        marks = db.execute("select value from marks where task = 'a' and label = 'tools' order by 1").fetchall()
    with duckdb.connect() as db:
        outside = db.execute(f"select * from '{paths.episodes}' order by task").fetchall()
        kinds = db.execute(KINDS.format(paths.episodes)).fetchall()
    assert inside == outside
    assert len(inside) == 7
    assert marks == [("python",), ("sql",)]
    assert kinds == [("action", 1), ("qa", 6)]


def test_breakdown_counts_graded_and_planned(run: Path) -> None:
    groups = breakdown(read_run(run).rows)
    assert list(groups)[:2] == ["difficulty", "domain"]
    assert [(g.value, g.planned, g.share) for g in groups["difficulty"]] == [
        ("easy", 4, Share(1, 1)),
        ("medium", 1, Share(0, 0)),
        ("hard", 2, Share(0, 2)),
    ]
    tools = {g.value: (g.planned, g.share) for g in groups["tools"]}
    assert tools == {"python": (2, Share(1, 2)), "sql": (1, Share(1, 1)), "none": (1, Share(0, 1))}


def test_last_committed_try_counts(tmp_path: Path) -> None:
    tries = [Episode(task="a", ending=Ending.INFRA, why="proxy died", passed=None), Episode(task="a")]
    run = make_run(tmp_path / "run", TASKS[:1], tries)
    (run / "episodes" / "a~0" / "try-3").mkdir()
    build(run)
    assert results_of(run)["episodes"][0]["outcome"] == "pass"
    page = (run / "episodes" / "a~0" / "index.html").read_text()
    assert 'href="try-1.html"' in page
    assert "proxy died" in (run / "episodes" / "a~0" / "try-1.html").read_text()


def test_broken_evidence_keeps_its_row(run: Path) -> None:
    (run / "episodes" / "a~0" / "try-1" / "evidence.json").write_text("{broken")
    build(run)
    results = results_of(run)
    assert results["episodes"][0]["outcome"] == "ungraded"
    assert [line for line in results["run"]["warnings"] if line.startswith("a~0/try-1: evidence.json: not JSON")]
    assert "a~0/try-1: evidence.json: not JSON" in (run / "report.html").read_text()
    assert len(results["episodes"]) == 7


def test_broken_verdict_steps_and_logs_are_told(run: Path) -> None:
    folder = run / "episodes" / "a~0" / "try-1"
    (folder / "verdicts" / "tier1.json").write_text('{"kind": "opinion"}')
    (folder / "trajectory.jsonl").write_text('{"index": 0}\n[\n')
    append_line(folder / "requests.jsonl", {"outcome": "blocked", "url": "https://other.example/x"})
    append_line(folder / "requests.jsonl", {"outcome": "served", "url": "https://[bad"})
    with (folder / "timings.jsonl").open("a") as file:
        file.write("nonsense\n")
    build(run)
    row = results_of(run)["episodes"][0]
    assert row["outcome"] == "ungraded"
    assert "kind: 'opinion'" in row["why"]
    assert str(run) not in (run / "report.html").read_text()
    page = (run / "episodes" / "a~0" / "index.html").read_text()
    assert "trajectory.jsonl:1: field saw" in page or "trajectory.jsonl:2: not JSON" in page
    assert "https://other.example/x" in page


def test_verdict_on_other_evidence_does_not_count(run: Path) -> None:
    path = run / "episodes" / "a~0" / "try-1" / "verdicts" / "tier1.json"
    verdict = json.loads(path.read_text())
    write_json(path, {**verdict, "evidence": "0" * 64})
    view = read_run(run)
    assert view.rows[0].outcome == "ungraded"
    assert "a~0/try-1: verdict tier1 was given on other evidence and does not count" in view.warnings


def test_changed_step_is_told(run: Path) -> None:
    assert "hash chain whole" in _page_after(run)
    steps = run / "episodes" / "a~0" / "try-1" / "trajectory.jsonl"
    steps.write_text(steps.read_text().replace("grid-workbook", "grid-notebook", 1))
    assert "Steps changed." in _page_after(run)


def _page_after(run: Path) -> str:
    build(run)
    return (run / "episodes" / "a~0" / "index.html").read_text()


def test_bare_head_is_read_as_unknown(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run", {})
    add_try(folder, Episode(task="a"))
    folder.release()
    paths = build(folder.path)
    row = results_of(folder.path)["episodes"][0]
    assert (row["outcome"], row["difficulty"]) == ("pass", "unknown")
    assert "unknown" in paths.html.read_text()


def test_run_json_of_a_stranger_leads_nowhere_else(tmp_path: Path) -> None:
    plan = [["../../out", 0], ["a", 0], ["a"], [7, "b"], ["a", 10**30]]
    run = make_run(tmp_path / "run", TASKS[:1], [Episode(task="a")], plan=plan)
    build(run)
    results = results_of(run)
    assert [(row["task"], row["outcome"]) for row in results["episodes"]] == [("../../out", "not_run"), ("a", "pass")]
    assert len(results["run"]["warnings"]) == 4
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run"]


def test_unplanned_episode_and_foreign_folder_are_told(run: Path) -> None:
    folder = RunFolder.open(run)
    add_try(folder, Episode(task="z"))
    folder.release()
    (run / "episodes" / "x~y").mkdir()
    view = read_run(run)
    assert view.rows[-1].task == "z"
    assert "z~0: not in the plan" in view.warnings
    assert "episodes/x~y: not the folder of an episode" in view.warnings


def test_long_texts_are_cut_with_a_mark(tmp_path: Path) -> None:
    acts = [Act(name="goto", text="x" * 30_000)]
    run = make_run(tmp_path / "run", TASKS[:1], [Episode(task="a", answer="y" * 3_000_000, acts=acts)])
    build(run)
    assert len(results_of(run)["episodes"][0]["answer"]) == 2000
    page = (run / "episodes" / "a~0" / "index.html").read_text()
    assert "[cut: 20,000 of 30,000 characters shown]" in page
    assert "[cut: 2,000 of 3,000,000 characters shown]" in page
    assert len(page) < 100_000


def test_text_that_no_file_can_hold_is_shown_as_such(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [task("a", prompt="NUL \0 here")], [Episode(task="a", answer="bell \a")])
    step = '{"did":{"args":{},"name":"goto"},"index":0,"saw":{"text":"lone \\ud800"},"then":{"view":{"n":NaN}}}\n'
    (run / "episodes" / "a~0" / "try-1" / "trajectory.jsonl").write_text(step)
    build(run)
    page = (run / "episodes" / "a~0" / "index.html").read_text(encoding="utf-8")
    assert "NUL \ufffd here" in page
    assert "bell \ufffd" in page
    assert "lone \ufffd" in page


@pytest.mark.parametrize(
    ("facts", "key_given", "headline"),
    [
        ({"sandbox": "none"}, False, "Sandbox: none"),
        ({"isolation": "none"}, False, "Isolation: none"),
        ({}, True, "Key given"),
    ],
)
def test_what_nobody_may_overlook(tmp_path: Path, facts: dict[str, str], key_given: bool, headline: str) -> None:
    run = make_run(tmp_path / "run", TASKS[:1], [Episode(task="a")], facts=facts, key_given=key_given)
    assert f"<strong>{headline}.</strong>" in build(run).html.read_text()


def test_report_of_870_hostile_episodes_stays_small(tmp_path: Path) -> None:
    tasks = [
        task(f"group-{k:03}-{'é' * 40}", "<\"'&>" * 900, "hard", **{f"{n}{EVIL}": f"{k % 50}{EVIL}" for n in range(45)})
        for k in range(870)
    ]
    many = {f"{n}{EVIL}": EVIL for n in range(900)}
    facts = {"sites": many, **many}
    run = make_run(tmp_path / "run", tasks, [], warnings=[EVIL] * 900, versions=many, facts=facts, config=many)
    for k, row in enumerate(tasks):
        folder = run / "episodes" / f"{row['id']}~0" / "try-1"
        folder.mkdir(parents=True)
        evidence = {"task": row["id"], "revision": 1, "repeat": 0, "attempt": 1, "agent": "llm", "steps": 30}
        fault = "agent_fault" if k % 3 else "submitted"
        (folder / "evidence.json").write_text(json.dumps({**evidence, "ending": fault, "why": "\"<b>'" * 800}))
    paths = build(run)
    assert len(paths.pages) == 870
    assert paths.html.stat().st_size < 2_000_000
    assert paths.html.read_text().count('<tr class="r-') == 870


def test_no_run_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputFault, match="no run here"):
        build(tmp_path)
    (tmp_path / "run.json").write_text('{"format": 99}')
    with pytest.raises(InputFault, match="field format: 99; this webds reads format 1"):
        build(tmp_path)
