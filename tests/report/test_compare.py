"""Two runs compared, by hand: pairs, flips, what is left out, and what stands beside."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.report.build_run import Episode, make_run, task
from tests.report.test_verbs import called
from webds.report.compare import compare
from webds.report.rows import read_run
from webds.types import Ending

NAMES = [f"t{number:02}" for number in range(20)]
TASKS = [
    task(name, difficulty="hard" if number < 8 else "easy", sites=[f"site-{number % 5}"], domain="energy")
    for number, name in enumerate(NAMES)
]
BOTH, FIRST, SECOND = set(NAMES[:12]), {NAMES[12]}, set(NAMES[13:18])


def run(path: Path, passing: set[str], tasks: list[dict[str, Any]] = TASKS, **more: Any) -> Path:
    return make_run(path, tasks, [Episode(task=t["id"], passed=t["id"] in passing) for t in tasks], **more)


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """12 tasks pass in both, 1 before only, 5 after only, 2 in neither: the table of tests/test_stats.py."""
    return run(tmp_path / "a", BOTH | FIRST), run(tmp_path / "b", BOTH | SECOND, id="second")


def test_comparison_by_hand(runs: tuple[Path, Path]) -> None:
    found = compare(read_run(runs[0]), read_run(runs[1]))
    assert found.test.difference is not None
    assert (found.test.difference.low, found.test.difference.high) == pytest.approx((-0.051768, 0.426015), abs=2e-5)
    assert (found.test.better, found.test.worse, found.test.alike) == (5, 1, 14)
    assert found.test.p == pytest.approx(2 * (1 + 6) / 64)
    better, worse = found.flipped
    assert {p.task for p in better} == SECOND
    assert {p.task for p in worse} == FIRST
    assert found.strict == found.test.difference
    assert found.clusters == 5
    # Changes by site of four tasks: +1 (t15), +1 (t16), 0 (t12 and t17), +1 (t13), +1 (t14), so 4 of 20 in the mean.
    assert found.by_cluster is not None
    assert 0 <= found.by_cluster[0] < 0.2 < found.by_cluster[1] <= 0.25


def test_groups_are_adjusted_by_holm(runs: tuple[Path, Path]) -> None:
    groups = {g.value: g for g in compare(read_run(runs[0]), read_run(runs[1])).groups}
    assert (groups["hard"].test.alike, groups["hard"].holm) == (8, 1.0)
    assert groups["easy"].holm == pytest.approx(2 * 2 * 7 / 64)


def test_faults_are_left_out_by_name_and_strict_counts_them(tmp_path: Path) -> None:
    tasks = TASKS[:4]
    first = run(tmp_path / "a", {"t00"}, tasks)
    broken = Episode(task="t01", ending=Ending.INFRA, why="proxy died", passed=None)
    revised = [*tasks[:3], {**tasks[3], "revision": 2}, TASKS[9]]
    episodes = [Episode(task="t00"), broken, Episode(task="t02"), Episode(task="t03"), Episode(task="t09")]
    second = make_run(tmp_path / "b", revised, episodes)
    found = compare(read_run(first), read_run(second))
    assert found.left_out == (
        ("t01", "not graded after"),
        ("t03", "revision 1 before, 2 after"),
        ("t09", "only in the run after"),
    )
    assert found.test.difference is not None
    assert (found.test.difference.n, found.test.difference.value) == (2, 0.5)
    assert found.strict is not None
    assert found.strict.n == 3
    assert found.strict.value == pytest.approx(1 / 3)


def test_repeats_are_one_value_a_task(tmp_path: Path) -> None:
    one = [task("a", sites=["s"])]
    first = make_run(tmp_path / "a", one, [Episode(task="a", repeat=k, passed=k == 0) for k in range(3)], repeat=3)
    second = make_run(tmp_path / "b", one, [Episode(task="a", repeat=k, passed=k < 2) for k in range(3)], repeat=3)
    found = compare(read_run(first), read_run(second))
    assert (found.test.better, found.test.worse) == (1, 0)
    assert found.test.difference is not None
    assert found.test.difference.before == pytest.approx(1 / 3)
    assert found.test.difference.after == pytest.approx(2 / 3)
    assert found.test.difference.n == 1


def test_what_is_not_alike_is_told(tmp_path: Path) -> None:
    first = run(tmp_path / "a", BOTH, TASKS[:2])
    changed = [{**TASKS[0], "prompt": "Another?"}, TASKS[1]]
    facts = {"sites": {"grid-workbook": "sha256:" + "6f" * 32}}
    second = run(tmp_path / "b", BOTH, changed, facts=facts, key_given=True)
    assert compare(read_run(first), read_run(second)).warnings == (
        "the run after was given the answers (oracle): its figures are no score",
        "site grid-workbook: not the same data or archive in the two runs",
        "task t00: same revision, yet prompt differ",
    )


def test_diff_in_words(runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = called(capsys, "diff", *map(str, runs))
    assert (code, err) == (0, "")
    assert "after   second (scripted on dockerized): 17 of 20 (85 %; 95 % interval 64 % to 95 %)" in out
    assert "after less before: +20 points (95 % interval -5 points to +43 points; 20 tasks)" in out
    assert "McNemar, exact: 5 better, 1 worse, 14 alike: p = 0.22" in out
    assert "  worse: t12: 1 of 1, then 0 of 1" in out


def test_one_success_is_never_bare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [run(tmp_path / name, {"t00"}, TASKS[:1]) for name in "ab"]
    _, out, _ = called(capsys, "diff", *map(str, paths))
    assert "1 of 1 (100 %; 95 % interval 21 % to 100 %)" in out
    assert "no interval from 1 site" in out


def test_diff_as_json(runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(called(capsys, "diff", *map(str, runs), "--json", "--by", "sites")[1])
    assert found["difference"]["n"] == 20
    assert [row["task"] for row in found["worse_tasks"]] == ["t12"]
    assert {row["label"] for row in found["groups"]} == {"sites"}


def test_tracks_wants_a_live_run_first(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, _, err = called(capsys, "diff", "--tracks", *map(str, runs))
    assert code == 2
    assert "field track: 'dockerized'; --tracks wants live here" in err
    live = run(tmp_path / "live", FIRST, track="live")
    out = called(capsys, "diff", "--tracks", str(live), str(runs[0]))[1]
    assert "frozen less live: +60 points" in out


def test_unknown_label_lists_the_known(runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = called(capsys, "diff", *map(str, runs), "--by", "colour")
    assert (code, err) == (2, "webds: --by colour: no such label; known: difficulty, domain, sites\n")
