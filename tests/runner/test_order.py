"""T1: what one task leaves behind, the next does not meet: who signs out signs out nobody else."""

from pathlib import Path

from tests.e2e.runs import results, webds

MEMBERS = Path(__file__).parents[1] / "data" / "members"


def test_a_sign_out_ends_with_its_episode(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ["--agent", "scripted", "--tasks", "members-leaves,members-stays"]
    done = webds("run", *words, "--out", str(run), root=MEMBERS)
    assert done.returncode == 0, done.stderr
    rows = {row["task"]: (row["answer"], row["outcome"]) for row in results(run)["episodes"]}
    assert rows == {
        "members-leaves": ("server out, browser out", "pass"),
        "members-stays": ("server in, browser in", "pass"),
    }
