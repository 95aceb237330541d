"""`webds merge`: the parts equal the whole, and what does not belong together is refused in one line."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.runs import results
from tests.report.build_run import Episode, make_run, task
from tests.report.test_verbs import called
from webds.report.build import build
from webds.runner.choosing import Shard

TASKS = [{**task(name), "suite": "web", "inputs": [], "collect": [], "budget": {}} for name in "abcd"]
EVERY = [(name, repeat) for repeat in range(2) for name in "abcd"]
SAME: dict[str, Any] = {"suite": "web", "repeat": 2}


def made(path: Path, keys: list[tuple[str, int]], **more: Any) -> Path:
    """A run of these episodes; `a` and every second repeat pass."""
    episodes = [Episode(task=t, repeat=k, answer=f"{t}{k}", passed=t == "a" or k == 1) for t, k in keys]
    tasks = more.pop("tasks", TASKS)
    return make_run(path, tasks, episodes, plan=[list(key) for key in keys], **{**SAME, **more})


@pytest.fixture
def shards(tmp_path: Path) -> list[Path]:
    return [made(tmp_path / f"s{k}", Shard(k, 3).part(EVERY), shard=f"{k}/3", id=f"part {k}") for k in (1, 2, 3)]


def merged(capsys: pytest.CaptureFixture[str], out: Path, *parts: Path) -> tuple[int, str, str]:
    return called(capsys, "merge", *map(str, parts), "--out", str(out))


def test_merged_shards_equal_the_whole_run(
    tmp_path: Path, shards: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    whole = made(tmp_path / "whole", EVERY)
    build(whole)
    out = tmp_path / "merged"
    # Merging in another order changes nothing.
    assert merged(capsys, out, shards[1], shards[0], shards[2]) == (
        0,
        f"8 episodes of 3 runs\nreport: {out}/report.html\n",
        "",
    )
    assert results(out) == results(whole)
    head = json.loads((out / "run.json").read_text())
    assert head["plan"] == [list(key) for key in EVERY]
    assert "shard" not in head
    assert [part["shard"] for part in head["merged"]] == ["2/3", "1/3", "3/3"]
    assert (out / "episodes.jsonl").read_bytes() == (whole / "episodes.jsonl").read_bytes()
    assert {p.name for p in (out / "blobs").glob("*/*")} == {p.name for p in (whole / "blobs").glob("*/*")}


def test_a_missing_shard_is_told_and_stays_planned(
    tmp_path: Path, shards: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = merged(capsys, tmp_path / "out", *shards[:2])
    assert code == 0
    assert err == f"2 planned episodes are in none of them; run them with: webds run --resume {tmp_path / 'out'}\n"
    assert results(tmp_path / "out")["run"]["counts"]["not_run"] == 2


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"agent": "nop"}, "agent"),
        ({"repeat": 3}, "repeat"),
        ({"tasks": [{**TASKS[0], "revision": 2}, *TASKS[1:]]}, "tasks"),
        ({"config": {"limits": {"steps": 31}, "agent": {"name": "scripted"}}}, "config.limits"),
        ({"facts": {"isolation": "none", "sandbox": "bubblewrap"}}, "facts.isolation"),
        (
            {"facts": {"isolation": "namespace", "sandbox": "bubblewrap", "sites": {"grid-workbook": "sha256:00"}}},
            "facts.sites.grid-workbook",
        ),
    ],
)
def test_another_plan_or_digest_is_refused_in_one_line(
    tmp_path: Path, shards: list[Path], capsys: pytest.CaptureFixture[str], more: dict[str, Any], field: str
) -> None:
    other = tmp_path / "other"
    made(other, EVERY[1::2], **more)
    code, out, err = merged(capsys, tmp_path / "out", shards[0], other)
    assert (code, out) == (2, "")
    assert err == f"webds: {other}: field {field}: not that of {shards[0]}; these are not parts of one run\n"
    assert not (tmp_path / "out").exists()


def test_another_archive_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts = [{"archives": {"mini": f"sha256:{k}", **more}} for k, more in ((1, {}), (2, {"only here": "sha256:0"}))]
    parts = [made(tmp_path / f"p{k}", EVERY[k::2], facts=facts[k]) for k in (0, 1)]
    code, _, err = merged(capsys, tmp_path / "out", *parts)
    assert code == 2
    assert "field facts.archives.mini: not that of" in err


def test_machines_may_differ_in_place_and_hour(
    tmp_path: Path, shards: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Files are compared by name where they may lie elsewhere; the tasks of a file of one's own are compared anyway."""
    config = {"agent": {"name": "scripted"}, "limits": {"steps": 30}, "chromium": "/elsewhere/chromium"}
    config |= {"task_files": ["/elsewhere/tasks.toml"], "engine": {"name": "ray"}, "prices": "/elsewhere/p.toml"}
    versions = {"webds": "0.1.0", "python": "3.12.3", "chromium": "143.0"}
    more: dict[str, Any] = {"config": config, "versions": versions, "created": "2026-11-29T01:00:00Z"}
    second = made(tmp_path / "m2", Shard(2, 3).part(EVERY), concurrency=4, **more)
    code, _, err = merged(capsys, tmp_path / "out", shards[0], second)
    assert code == 0
    assert f"warning: {second}: other versions than in {shards[0]}: chromium" in err
    assert json.loads((tmp_path / "out" / "run.json").read_text())["created"] == "2026-11-29T01:00:00Z"


def test_one_episode_twice(tmp_path: Path, shards: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    """The same evidence is the same episode; other evidence is somebody's mistake."""
    same = made(tmp_path / "same", Shard(1, 3).part(EVERY))
    assert merged(capsys, tmp_path / "out", shards[0], same)[0] == 0
    other = make_run(tmp_path / "other", TASKS, [Episode(task="a", answer="else")], plan=[["a", 0]], **SAME)
    code, _, err = merged(capsys, tmp_path / "out2", shards[0], other)
    assert code == 2
    assert err == f"webds: {other}: episode a~0: also in {shards[0]}, with other evidence\n"
    assert sorted(p.name for p in tmp_path.iterdir() if "out2" in p.name) == []


def test_out_must_not_be_there(tmp_path: Path, shards: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = merged(capsys, shards[0], *shards)
    assert (code, err) == (2, f"webds: {shards[0]}: is there already; choose another --out\n")
