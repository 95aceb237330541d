"""A calibration from a run that a scripted model has judged: made, used, and refused where it is stale."""

import json
from pathlib import Path

import pytest

from tests.judge.agreement.rows import webds, written
from tests.judge.rubric.bot import bot, built, judge
from tests.models.endpoint import serving
from webds.store import RunFolder, read_json, write_json
from webds_judge.agreement import labels


@pytest.fixture
def judged(tmp_path: Path) -> tuple[Path, Path]:
    """(run, labels): six tries that the model passed, of which people passed four."""
    run, root = built(tmp_path, tuple("abcdef"), passed=None)
    with serving([bot()]) as endpoint:
        lines = judge(run, root, endpoint.url, samples=1, canaries=False)
        table = {"model": "m", "base_url": endpoint.url, "samples": 1}
    write_json(run / "rubric.json", {"table": table, "settings": lines[-1]["settings"]})
    rows = [
        {
            "run": row.run, "episode": row.episode, "trajectory": row.trajectory, "rubric": row.rubric,
            "rater": "human:ada", "label": "pass" if row.episode[0] in "abcd" else "fail", "tier": row.tier,
            "site": row.site,
        }
        for row in labels.of_run(RunFolder.view(run))
    ]  # fmt: skip
    return run, written(tmp_path / "labels.jsonl", rows)


def test_labels_in_report_out(judged: tuple[Path, Path], tmp_path: Path) -> None:
    run, path = judged
    out = tmp_path / "calibration"
    code, text, _ = webds("calibrate", path, "--run", run, "--out", out)
    assert code == 0
    made = read_json(out / "calibration.json")
    assert {"model", "prompts", "rubric", "settings", "unsound"} == set(made["stamp"])
    judge_figures = made["figures"]["judges"]["rubric"]
    assert (judge_figures["sensitivity"]["passes"], judge_figures["specificity"]["passes"]) == (4, 0)
    assert made["warnings"][0].startswith("6 settled tries; 200 or more")
    assert "the judge is not better than chance" in made["warnings"][2]
    page = (out / "calibration.html").read_text()
    assert made["stamp"]["prompts"] in page
    assert "<script" not in page.casefold()
    assert "warning: 6 settled tries" in text


def test_a_run_is_corrected_and_a_stale_calibration_refused(judged: tuple[Path, Path], tmp_path: Path) -> None:
    run, path = judged
    assert webds("calibrate", path, "--run", run, "--out", tmp_path)[0] == 0
    kept = tmp_path / "calibration.json"
    made = read_json(kept)
    made["figures"]["judges"]["rubric"] |= {
        "sensitivity": {"passes": 83, "n": 100},
        "specificity": {"passes": 93, "n": 100},
    }
    write_json(kept, made)
    code, text, _ = webds("calibrate", "--apply", kept, "--run", run, "--json")
    rate = json.loads(text)[str(run)]
    assert code == 0
    assert (rate["apparent"]["passes"], rate["value"]) == (6, 1.0)
    for name in ("model", "prompts", "rubric"):
        write_json(kept, {**made, "stamp": {**made["stamp"], name: "another"}})
        code, _, said = webds("calibrate", "--apply", kept, "--run", run)
        assert code == 2
        assert f"stale: field {name}: 'another'" in said


def test_what_is_refused(judged: tuple[Path, Path], tmp_path: Path) -> None:
    run, path = judged
    rows = [json.loads(line) for line in path.read_text().splitlines()]

    def refusal() -> str:
        code, _, said = webds("calibrate", path, "--out", tmp_path / "out", "--run", run)
        assert code == 2
        return said

    written(path, [{**row, "rubric": "0" * 64} for row in rows])
    assert "stale labels" in refusal()
    written(path, [{**rows[0], "trajectory": "1" * 64}])
    assert "no such try" in refusal()
    written(path, rows)
    table = read_json(run / "rubric.json")
    write_json(run / "rubric.json", {**table, "table": {**table["table"], "samples": 3}})
    assert "stale: its verdicts are of settings" in refusal()
    (run / "rubric.json").unlink()
    assert "no verdicts of the rubric" in refusal()
    assert not (tmp_path / "out").exists()
