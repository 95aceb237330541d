"""Real runs of the fixture site, packed, handed in, replayed and scored: repeats, calls that differ from themselves."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.submit.arena import RUN, Mini, detail, said
from tests.submit.made import relinked, rewritten, with_evidence
from webds.submit.unpack import unpacked

LOAD = "name = await hand.download('link', 'Scores as CSV')"
MEAN = "said = await hand.python(f'import pandas\\nprint(pandas.read_csv({name!r}).score.mean())')"
BASE = "episodes/mini-mean~0/try-1"


@pytest.mark.long
def test_two_repeats_are_packed_replayed_and_scored_as_shares(tmp_path: Path) -> None:
    """One repeat is right and one is wrong: the task counts a half."""
    mini, mark = Mini(tmp_path), tmp_path / "mark"
    once = (f"mark = Path({str(mark)!r})", "answer = '8' if mark.exists() else said", "mark.touch()")
    looks = ("await hand.look()", MEAN, "await hand.look()")  # what a look shows is without the last act's notes
    mini.script("mini-mean", LOAD, *looks, "from pathlib import Path", *once, "await hand.submit(answer)")
    path = mini.pack(mini.run("--tasks", "mini-mean,mini-square", "--repeat", "2"))
    with unpacked(path, tmp_path / "u") as manifest:
        assert (manifest.repeat, len(manifest.episodes)) == (2, 4)
    row = mini.score(path)
    assert (row["state"], row["level"], row["why"]) == ("scored", "replayed", ""), row
    assert sorted(detail(row)["mini-mean"]) == ["fail", "pass"]
    assert detail(row)["mini-square"] == ["pass", "pass"]
    assert (row["figure"], row["n"], row["strict_n"]) == (0.75, 2, 3)
    wrong = detail(row)["mini-mean"].index("fail")
    texts = {text.partition(":")[0]: text for text in said(row, "unexplained")}
    # the squares are left out of the outline, and 12 * 12 rests on no file
    assert set(texts) == {f"mini-mean~{wrong}", "mini-square~0", "mini-square~1"}, texts
    assert texts[f"mini-mean~{wrong}"].startswith(
        f"mini-mean~{wrong}: 1 of 1 values of the answer are unexplained: '8'"
    )


@pytest.mark.long
def test_a_call_that_differs_from_itself_is_marked_and_explains_nothing(tmp_path: Path) -> None:
    mini = Mini(tmp_path)
    mini.script(
        "mini-mean", "said = await hand.python('import random; print(random.random())')", "await hand.submit(said)"
    )
    steady = "await hand.python('import time; print(time.time_ns(), 5)')"
    mini.script("mini-square", f"said = {steady}", "await hand.submit(said.split()[0])")
    row = mini.score(mini.pack(mini.run("--tasks", "mini-mean,mini-square")))
    assert (row["state"], row["level"]) == ("scored", "replayed"), row
    again = "step 0: python gives another output, and differs from itself"
    assert said(row, "unstable") == [f"mini-mean: {again}", f"mini-square: {again}"]
    assert said(row, "steps") == []
    for text in said(row, "unexplained"):
        assert "1 of 1 values of the answer are unexplained" in text
        assert text.endswith("(rests on step 0, whose output differs from itself)"), text
    assert len(said(row, "unexplained")) == 2


@pytest.mark.long
def test_a_recorded_output_that_was_edited_is_named_by_its_step(tmp_path: Path) -> None:
    """9.0 is what the file gives; the recorded print and the answer say 8.0, over a chain that was hashed anew."""
    mini = Mini(tmp_path)
    mini.script("mini-mean", LOAD, MEAN, "await hand.submit(said)")
    good = mini.pack(mini.run("--tasks", "mini-mean"))
    name = RUN.format(agent="scripted", number=9)
    mini.reserve(name, "public")

    def lie(found: dict[str, bytes]) -> None:
        def change(number: int, row: dict[str, Any]) -> None:
            for seen in (row["saw"], row["then"]):
                seen["text"] = seen["text"].replace("9.0", "8.0")
                seen["view"].update({"result": "8.0"} if seen["view"].get("result") == "9.0" else {})
            if row["did"]["name"] == "submit":
                row["did"]["args"]["answer"] = "8.0"

        found[f"{BASE}/trajectory.jsonl"], last = relinked(found[f"{BASE}/trajectory.jsonl"], change)
        with_evidence(found, f"{BASE}/evidence.json", digests={"trajectory": last}, answer="8.0")
        found["bundle.json"] = json.dumps({**json.loads(found["bundle.json"]), "run": name}).encode()

    row = mini.score(rewritten(good, tmp_path / "lie.zip", lie))
    assert (row["state"], row["level"]) == ("scored", "reported"), row
    assert said(row, "steps") == ["mini-mean: step 1: python gives another output"]
    assert detail(row) == {"mini-mean": ["fail"]}
