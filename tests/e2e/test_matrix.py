"""Dry runs, matrices and shards on the fixture site, as a person calls them."""

import json
import shutil
from pathlib import Path

import pytest

from tests.e2e.runs import log, results, webds

MATRIX = """
[matrix]
agents = ["scripted"]
baselines = ["nop"]

[limits]
page = 21
"""


def test_dry_run_says_what_would_run_and_writes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ["run", "--agent", "nop", "--tasks", "difficulty:easy,site:mini", "--repeat", "3", "--dry-run"]
    done = webds(*words, "--out", str(out))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "nop on dockerized: 6 episodes of 2 tasks (2 easy)"
    assert lines[1] == "tasks:   mini-square, mini-hostile"
    assert lines[3].startswith("cost:    unknown: ")
    assert not out.exists()


def test_matrix_runs_every_cell_and_resumes(tmp_path: Path) -> None:
    config, out = tmp_path / "matrix.toml", tmp_path / "matrix"
    config.write_text(MATRIX)
    words = ["run", "--config", str(config), "--tasks", "mini-square", "--out", str(out)]
    done = webds(*words)
    assert done.returncode == 0, done.stderr
    assert (
        "| nop less scripted | -100 points (95 % interval -100 points to +12 points; 1 task) | 0 | 1 |" in done.stdout
    )
    assert done.stdout.splitlines()[-1] == f"summary: {out / 'summary.md'}"
    heads = {name: json.loads((out / name / "run.json").read_text()) for name in ("scripted", "nop")}
    assert {name: head["config"]["limits"]["page"] for name, head in heads.items()} == {"scripted": 21, "nop": 21}
    assert heads["nop"]["selection"] == {"tasks": ["mini-square"]}
    assert {"goto", "click", "submit"} <= set(heads["nop"]["declares"]["actions"])
    assert heads["nop"]["declares"]["tools"] == ["python", "sql", "files"]
    assert heads["nop"]["declares"]["budget"] == {"steps": [20, 20], "seconds": [120.0, 120.0]}
    shutil.rmtree(out / "nop")
    again = webds("run", "--resume", str(out), "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout) == json.loads((out / "summary.json").read_text())
    assert [event["event"] for event in log(out / "scripted")].count("start") == 1
    assert {row["name"]: row["counts"]["pass"] for row in json.loads(again.stdout)["runs"]} == {"scripted": 1, "nop": 0}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[matrix]\n", "field agents: no cell"),
        ('[matrix]\nagents = ["nonesuch"]\n', "no agent 'nonesuch'"),
        ('[matrix]\nagents = ["nop"]\nmodels = ["../x"]\n', "field models: '../x'"),
        ('[matrix]\nagents = ["nop"]\nmodel.x = {}\n', "field model.x: not in models"),
        ('[matrix]\nagent = ["nop"]\n', "field agent: "),
        ('[matrix]\nagents = ["nop"]\n[limit]\npage = 3\n', "field limit: unknown"),
    ],
)
def test_a_matrix_that_is_none(tmp_path: Path, text: str, told: str) -> None:
    config = tmp_path / "matrix.toml"
    config.write_text(text)
    done = webds("run", "--config", str(config), "--out", str(tmp_path / "out"))
    assert done.returncode == 2
    assert told in done.stderr.strip()
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.long
def test_merged_shards_equal_the_whole_run(tmp_path: Path) -> None:
    words = ["run", "--agent", "scripted", "--repeat", "2"]
    parts = [tmp_path / f"part-{k}" for k in (1, 2)]
    for k, part in enumerate(parts, start=1):
        assert webds(*words, "--shard", f"{k}/2", "--out", str(part)).returncode == 0
    assert [len(results(part)["episodes"]) for part in parts] == [3, 3]
    assert webds(*words, "--out", str(tmp_path / "whole")).returncode == 0
    done = webds("merge", *map(str, parts), "--out", str(tmp_path / "merged"), root=None)
    assert done.returncode == 0, done.stderr
    assert results(tmp_path / "merged") == results(tmp_path / "whole")
    assert webds("run", "--resume", str(tmp_path / "merged")).returncode == 0
