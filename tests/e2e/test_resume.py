"""A run that goes on: what is left of it, what may be changed, and on which archives."""

import json
from pathlib import Path

import pytest

from tests.e2e.runs import log, results, webds
from webds.store import read_json, write_json

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("resume") / "a run"
    assert webds("run", "--agent", "nop", "--tasks", "mini-square,mini-hostile", "--out", str(run)).returncode == 0
    return run


def told(*words: str) -> str:
    """The one line of bad input."""
    said = webds("run", *words)
    assert (said.returncode, said.stdout) == (2, ""), said.stderr
    return said.stderr.strip()


def test_a_dry_run_says_what_is_left_and_runs_nothing(done: Path) -> None:
    before = (done / "log.jsonl").read_bytes()
    nothing = webds("run", "--resume", str(done), "--dry-run", "--json")
    assert json.loads(nothing.stdout)["tasks"] == []
    assert webds("requeue", str(done), "mini-square", root=None).returncode == 0
    left = webds("run", "--resume", str(done), "--dry-run")
    assert left.stdout.splitlines()[0] == "nop on dockerized: 1 episodes of 1 tasks (1 easy)"
    assert (done / "log.jsonl").read_bytes() == before


def test_words_that_would_be_passed_over_are_refused(done: Path) -> None:
    line = told("--resume", str(done), "--agent", "oracle", "--concurrency", "3", "--set", "viewport.width=9")
    assert line.startswith("webds: --agent, --concurrency, --set: a run goes on as it began; beside --resume there may")
    assert "--max-cost" in line


def test_a_run_goes_on_only_on_the_sites_that_it_began_with(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ["run", "--agent", "nop", "--tasks", "contagion-ledger-five-lakes", "--out", str(run)]
    assert webds(*words, root=ROOT).returncode == 0
    head = read_json(run / "run.json")
    for kind, other in (("archives", "sha256:" + "0" * 64), ("sites", {"a.csv": "sha256:00"})):
        write_json(run / "run.json", {**head, "facts": {**head["facts"], kind: {"contagion-ledger": other}}})
        said = webds("run", "--resume", str(run), root=ROOT)
        assert said.returncode == 2
        assert f"field facts.{kind}.contagion-ledger: the run began on other data of this site" in said.stderr
    write_json(run / "run.json", head)
    assert webds("run", "--resume", str(run), root=ROOT).returncode == 0


@pytest.mark.long
def test_a_matrix_with_a_cap_goes_on_under_a_higher_one(tmp_path: Path) -> None:
    config, out = tmp_path / "matrix.toml", tmp_path / "matrix"
    config.write_text('[matrix]\nagents = ["scripted"]\nbaselines = ["nop"]\n')
    words = ["run", "--config", str(config), "--tasks", "mini-square", "--out", str(out)]
    capped = webds(*words, "--max-cost", "run.steps=1")
    assert capped.returncode == 1, capped.stderr
    assert "a higher --max-cost goes with it" in " ".join(capped.stderr.split())
    left = json.loads(webds("run", "--resume", str(out), "--dry-run", "--json").stdout)
    assert [(row["agent"], row["tasks"]) for row in left] == [("scripted", ["mini-square"]), ("nop", ["mini-square"])]
    again = webds("run", "--resume", str(out), "--max-cost", "run.steps=500")
    assert again.returncode == 0, again.stderr
    assert results(out / "scripted")["run"]["counts"]["pass"] == 1
    stands = json.loads(webds("status", str(out), "--json", root=None).stdout)
    assert [(Path(row["run"]).name, row["state"], row["done"]) for row in stands] == [
        ("scripted", "finished", 1), ("nop", "finished", 1),
    ]  # fmt: skip
    assert [row["event"] for row in log(out / "scripted")].count("commit") == 1
    paused = webds("pause", str(out), root=None)
    assert paused.returncode == 2
    assert "no runner works on any of its cells" in paused.stderr
