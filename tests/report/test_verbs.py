"""`webds report` and `webds export` as a person calls them."""

import json
from pathlib import Path

import pytest

from tests.report.build_run import Episode, make_run, task
from webds.cli import main


def called(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(words)
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def test_report_prints_the_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "run", [task("a")], [Episode(task="a")])
    assert called(capsys, "report", str(run)) == (0, f"report: {run / 'report.html'}\n", "")
    assert (run / "report.html").is_file()


def test_report_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "run", [task("a")], [Episode(task="a")])
    code, out, _ = called(capsys, "report", str(run), "--json")
    assert code == 0
    assert json.loads(out) == json.loads((run / "results.json").read_text())["run"]


def test_export_triplets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "run", [task("a")], [Episode(task="a")])
    code, out, err = called(capsys, "export", "triplets", str(run), "--to", str(tmp_path / "out"))
    assert (code, err) == (0, "")
    assert out == f"2 triplets, 2 images: {tmp_path / 'out' / 'triplets.parquet'}\n"


@pytest.mark.parametrize("words", [("report",), ("export", "triplets", "--to", "out")])
def test_bad_folder_is_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    code, out, err = called(capsys, *words, str(tmp_path / "none"))
    assert (code, out) == (2, "")
    assert err == f"webds: {tmp_path / 'none'}: no run here (run.json is missing)\n"
