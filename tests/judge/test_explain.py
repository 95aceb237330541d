"""`webds judge explain`: the chain from evidence to verdict, and the facts that need no model."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.judge.rubric.bot import ACTS, PAGE, bot, built, judge
from tests.models.endpoint import serving
from tests.report.build_run import Act
from webds.cli.judge import app
from webds.store import RunFolder
from webds.types import Ending, Verdict
from webds_judge.grade import TypedJudge
from webds_judge.keys import KeyRing
from webds_judge.rubric import facts
from webds_judge.rubric.record import Record


def record(run: Path) -> Record:
    (item,) = RunFolder.view(run).committed()
    return Record(item.evidence, item.folder)


def at(path: str, text: str = "page") -> Act:
    url = f"https://grid-workbook.test{path}"
    return Act(name="goto", args={"url": url}, text=text, view={"url": url})


def test_the_chain_is_printed(tmp_path: Path) -> None:
    run, root = built(tmp_path)
    with serving([bot()]) as endpoint:
        judge(run, root, endpoint.url, canaries=False)
    done = CliRunner().invoke(app, ["explain", str(run), "t", "--root", str(root)])
    assert done.exit_code == 0, done.output
    for line in (
        "'42': seen (step 0: page https://grid-workbook.test/output)",
        "rubric: pass, 5 stars",
        'met  source: 3 of 3 samples say met "plant in 1999: 42 gigawatt" at [0]',
        "tier1: pass",
    ):
        assert line in done.output
    told: Any = json.loads(CliRunner().invoke(app, ["explain", str(run), "t~0", "--root", str(root), "--json"]).output)
    assert told["values"][0]["word"] == "seen"
    assert told["actions_after_the_answer_was_seen"] == 0
    assert told["never_visited"] == []


def test_an_unknown_episode_is_one_line(tmp_path: Path) -> None:
    run, root = built(tmp_path)
    done = CliRunner().invoke(app, ["explain", str(run), "nothing", "--root", str(root)])
    assert "no episode 'nothing'; known: t~0" in str(done.exception)


def test_pages_that_the_evidence_needs_and_that_were_never_loaded(tmp_path: Path) -> None:
    run, root = built(tmp_path)
    keys = root / "tasks_public" / "group" / "keys.toml"
    rows = (
        '[{ kind = "text", url = "https://grid-workbook.test/output/" }, { url = "https://grid-workbook.test/notes" }]'
    )
    keys.write_text(keys.read_text().replace("evidence = []", f"evidence = {rows}"))
    assert facts.unvisited(record(run), KeyRing(root).key("t")) == ("https://grid-workbook.test/notes",)


@pytest.mark.parametrize(("paths", "missing"), [
    (("/output", "/notes", "/decoy"), []),
    (("/notes", "/output", "/decoy"), []),
    (("/notes", "/decoy", "/output"), []),
    (("/decoy", "/output", "/decoy"), ["https://grid-workbook.test/notes"]),
])  # fmt: skip
def test_two_needed_pages_count_in_any_order_and_the_last_page_decides_nothing(
    tmp_path: Path, paths: tuple[str, ...], missing: list[str]
) -> None:
    """T5: of two required pages neither hides the other, whatever was loaded last."""
    acts = (*(at(path, PAGE if path == "/output" else "page") for path in paths), ACTS[-1])
    run, root = built(tmp_path, acts=acts)
    keys = root / "tasks_public" / "group" / "keys.toml"
    rows = '[{ url = "https://grid-workbook.test/output" }, { url = "https://grid-workbook.test/notes" }]'
    keys.write_text(keys.read_text().replace("evidence = []", f"evidence = {rows}"))
    (item,) = RunFolder.view(run).committed()
    verdict = TypedJudge().judged(item.evidence, item.folder, KeyRing(root).key("t"))
    assert isinstance(verdict, Verdict)
    assert verdict.passed
    assert list(facts.unvisited(record(run), KeyRing(root).key("t"))) == missing
    if missing:
        done = CliRunner().invoke(app, ["explain", str(run), "t", "--root", str(root), "--json"])
        assert json.loads(done.output)["never_visited"] == missing


def test_loops_are_found_and_steady_work_is_none(tmp_path: Path) -> None:
    same = [Act(name="scroll", args={"by": 1}, text="[7] end of page")] * 4
    around = [at("/a", "A"), at("/b", "B")] * 3
    straight = [at(f"/{n}", f"page {n}") for n in range(12)]
    (tmp_path / "a").mkdir()
    run, _ = built(tmp_path / "a", acts=(at("/"), *same, *around))
    told = facts.loops(record(run))
    assert any("are the same" in line for line in told)
    assert any("go round 2 pages 3 times" in line for line in told)
    (tmp_path / "b").mkdir()
    run, _ = built(tmp_path / "b", acts=tuple(straight))
    assert facts.loops(record(run)) == ()


def test_actions_after_the_answer_and_deaths_at_a_limit(tmp_path: Path) -> None:
    acts = (at("/output", PAGE), at("/a"), at("/b"), ACTS[-1])
    run, _ = built(tmp_path, acts=acts, ending=Ending.LIMIT, why="steps")
    assert facts.after_seen(record(run)) == 2
    told: Any = facts.told(record(run))
    assert told["ended_by_limit"] == "steps"
