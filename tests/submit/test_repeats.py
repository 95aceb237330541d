"""A run with several repeats: each is packed and checked, and a task counts as the share of its repeats."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.submit.made import Checkout, relinked, rewritten, run_of
from tests.submit.test_bundle import ASK, manifest, refusal
from webds.seal import box
from webds.store import read_json, write_json
from webds.submit.grading import graded, public_result, unsealed
from webds.submit.pack import pack
from webds.submit.verify import verified

WANTED = "field head.repeat: "


def test_every_repeat_is_packed_checked_and_judged(checkout: Checkout, tmp_path: Path) -> None:
    """Two repeats, of which one of `ask` is wrong: a half."""
    run = repeated(run_of(checkout, tmp_path / "run"), "1")
    pack(run, "team-a", tmp_path / "b.zip")
    keys = unsealed(checkout.root, box.private_key(checkout.key))
    with verified(tmp_path / "b.zip", tmp_path / "u", checkout.root) as told:
        assert told.episodes == [("ask", 0), ("post", 0), ("ask", 1), ("post", 1)]
        judged = graded(tmp_path / "u", keys)
        assert {task: word.strict for task, word in judged.items()} == {"ask": 0.5, "post": 1.0}
        assert public_result(judged)["figure"] == 0.75
    gone, forged = ASK.replace("~0", "~1"), tmp_path / "forged" / "b.zip"
    forged.parent.mkdir()

    def without(found: dict[str, bytes]) -> None:
        for name in [name for name in found if name.startswith(gone)]:
            del found[name]

    assert f"{gone}: evidence.json or trajectory.jsonl is missing" in refusal(
        checkout, rewritten(tmp_path / "b.zip", forged, without)
    )
    for repeat, why in ((1, "task 'ask': has an episode (repeat 1)"), (0, WANTED), (11, WANTED), (True, WANTED)):
        path = rewritten(tmp_path / "b.zip", forged, manifest(head={"repeat": repeat, "track": "dockerized"}))
        assert why in refusal(checkout, path)


def repeated(run: Path, said: str) -> Path:
    """The run with a second repeat, in which `ask` is answered otherwise."""
    head = read_json(run / "run.json")
    write_json(run / "run.json", {**head, "repeat": 2})
    for task in ("ask", "post"):
        folder = shutil.copytree(run / "episodes" / f"{task}~0", run / "episodes" / f"{task}~1") / "try-1"
        value = {**read_json(folder / "evidence.json"), "repeat": 1}
        if task == "ask":
            steps, last = relinked((folder / "trajectory.jsonl").read_bytes(), answering(said))
            (folder / "trajectory.jsonl").write_bytes(steps)
            value |= {"answer": said, "digests": {**value["digests"], "trajectory": last}}
        write_json(folder / "evidence.json", value)
    return run


def answering(said: str) -> Callable[[int, dict[str, Any]], None]:
    def change(_: int, row: dict[str, Any]) -> None:
        if row["did"]["name"] == "submit":
            row["did"]["args"]["answer"] = said

    return change
