"""Triplets read back by DuckDB, and the verbs that write them."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from tests.report.build_run import Act, Episode, make_run, task
from webds.codec import sha256
from webds.errors import InputFault
from webds.report import triplets
from webds.report.triplets import export_triplets
from webds.store import read_lines
from webds.types import Ending

ACTS = [
    Act(name="goto", args={"url": "https://grid-workbook.test/"}, text="home", view={"url": "u"}),
    Act(name="click", args={"element": 3}, text="home", refused="no element 3"),
    Act(name="submit", args={"answer": "42"}, text="bye"),
]

COLUMNS = ["task", "repeat", "index", "observation", "action", "next_observation", "image", "next_image", "outcome"]


def sql(query: str) -> list[tuple[Any, ...]]:
    with duckdb.connect() as db:
        return db.execute(query).fetchall()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    episodes = [
        Episode(task="a", ending=Ending.INFRA, passed=None, acts=ACTS[:1]),
        Episode(task="a", acts=ACTS),
        Episode(task="b", passed=False, acts=ACTS[:2]),
    ]
    return make_run(tmp_path / "run", [task("a"), task("b"), task("c")], episodes)


def test_triplets_read_back(run: Path, tmp_path: Path) -> None:
    done = export_triplets(run, tmp_path / "out")
    assert (done.rows, done.images, done.warnings) == (5, 3, [])
    found = sql(f"select * from '{done.parquet}' order by task, repeat, index")
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in found]
    assert [name for name, *_ in sql(f"describe select * from '{done.parquet}'")] == COLUMNS
    assert [(r["task"], r["index"], r["outcome"]) for r in rows] == [
        ("a", 0, "pass"),
        ("a", 1, "pass"),
        ("a", 2, "pass"),
        ("b", 0, "fail"),
        ("b", 1, "fail"),
    ]
    assert json.loads(rows[0]["action"]) == {"name": "goto", "args": {"url": "https://grid-workbook.test/"}}
    assert json.loads(rows[1]["next_observation"]) == {"text": "home", "refused": "no element 3", "view": {}}
    assert rows[0]["image"] == ""
    assert rows[1]["observation"] == rows[0]["next_observation"]
    assert rows[1]["image"] == rows[0]["next_image"]
    for name in {r["next_image"] for r in rows}:
        assert sha256((tmp_path / "out" / "images" / f"{name}.png").read_bytes()) == name
    names = sql(f"select action ->> 'name', count(*) from '{done.parquet}' group by 1 order by 1")
    assert names == [("click", 2), ("goto", 2), ("submit", 1)]


def test_written_in_row_groups(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triplets, "GROUP_ROWS", 2)
    done = export_triplets(run, tmp_path / "out")
    assert pq.ParquetFile(done.parquet).num_row_groups == 3
    monkeypatch.setattr(triplets, "GROUP_BYTES", 1)
    assert pq.ParquetFile(export_triplets(run, tmp_path / "out").parquet).num_row_groups == 5


def test_lost_and_changed_blobs_and_broken_steps_are_told(run: Path, tmp_path: Path) -> None:
    steps = list(read_lines(run / "episodes" / "a~0" / "try-2" / "trajectory.jsonl"))
    first, second = (steps[k]["then"]["image"] for k in (0, 1))
    (run / "blobs" / first[:2] / first).unlink()
    (run / "blobs" / second[:2] / second).write_bytes(b"other")
    with (run / "episodes" / "b~0" / "try-1" / "trajectory.jsonl").open("a") as file:
        file.write('{"index": "x"}\n')
    done = export_triplets(run, tmp_path / "out")
    assert done.rows == 5
    assert done.warnings[:2] == [
        f"blob {first}: not in the run",
        f"blob {second}: its bytes are not those of its name",
    ]
    assert done.warnings[2].startswith("b~0: trajectory.jsonl: field")
    assert [p.stem for p in (tmp_path / "out" / "images").iterdir()] == [steps[2]["then"]["image"]]


def test_image_name_that_is_no_digest_leads_nowhere(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [task("a")], [Episode(task="a", acts=ACTS[:1])])
    path = run / "episodes" / "a~0" / "try-1" / "trajectory.jsonl"
    step = json.loads(path.read_text())
    step["then"]["image"] = "../../run.json"
    path.write_text(json.dumps(step) + "\n")
    done = export_triplets(run, tmp_path / "out")
    assert done.warnings == ["blob ../../run.json: not in the run"]


def test_empty_run_gives_an_empty_table(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [task("a")], [])
    done = export_triplets(run, tmp_path / "out")
    assert sql(f"select count(*) from '{done.parquet}'") == [(0,)]


def test_no_run_and_no_folder(tmp_path: Path, run: Path) -> None:
    with pytest.raises(InputFault, match="no run here"):
        export_triplets(tmp_path / "nothing", tmp_path / "out")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputFault, match="cannot be written"):
        export_triplets(run, tmp_path / "file")
