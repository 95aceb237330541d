"""A judge's agreement with people on the board: measured, registered, shown; refused and no longer shown when stale."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.judge.agreement.rows import webds
from tests.judge.agreement.test_calibration import judged  # noqa: F401 - a fixture
from tests.submit.public import RIGHT, labels, public_run
from tests.submit.test_human import hand_in_public
from webds.agents.selftest import FIXTURE
from webds.cli import main
from webds.serve.board.view import as_json, table_csv, view
from webds.store import read_json, write_json
from webds.submit.agreed import registered
from webds.submit.book import Book, add_person
from webds.submit.pack import pack
from webds_judge import grade


@pytest.fixture
def book(tmp_path: Path) -> Book:
    made = Book(tmp_path / "board")
    add_person(made, "teams", "team-a")
    return made


@pytest.fixture
def measured(tmp_path: Path) -> tuple[Path, list[Path]]:
    """(labels, runs): six tries of which the judge passes four; the person agrees but for one."""
    wrong = {**RIGHT, "check-file": "1"}
    runs = [public_run(tmp_path / f"run{n}", wrong, agent="hand", number=n) for n in (1, 2)]
    words = {task: "pass" if task != "check-file" else "fail" for task in RIGHT}
    return labels(tmp_path / "l.jsonl", {runs[0]: words, runs[1]: {**words, "check-read": "fail"}}), runs


def register(book: Book, *words: object, root: Path = FIXTURE) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["board", "agreement", str(book.folder), *map(str, words), "--who", "mia", "--root", str(root)])
    return int(stop.value.code or 0)


def run_words(runs: list[Path]) -> list[str]:
    return [word for run in runs for word in ("--run", str(run))]


def test_labels_with_runs_until_the_judge_changes(
    book: Book, measured: tuple[Path, list[Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    path, runs = measured
    pack(runs[0], "team-a", tmp_path / "b.zip")
    hand_in_public(book, tmp_path / "b.zip")
    before = as_json(view(book, {"level": "all"}))
    assert (before["entries"][0]["people_n"], before["entries"][0]["kappa"], before["judges"]) == (0, None, [])
    assert register(book, path, *run_words(runs)) == 0
    # People: 3 pass, 3 fail. The judge: 4 and 2. Alike on 5 of 6; by chance on 3/6 * 4/6 + 3/6 * 2/6 = 1/2.
    assert "tier1: n = 6, kappa 0.67 (no interval: under five sites)" in capsys.readouterr().out
    after = as_json(view(book, {"level": "all"}))
    assert after["entries"][0]["people_n"] == 6
    assert after["entries"][0]["kappa"] == pytest.approx(2 / 3)
    assert (after["judges"][0]["figures"]["same"], after["judges"][0]["who"], after["judges"][0]["stale"]) == (
        5, "mia", "",
    )  # fmt: skip
    assert ",6,0.6666" in table_csv(view(book, {"level": "all"}))
    monkeypatch.setattr(grade, "RULES", "answers-2")
    stale = as_json(view(book, {"level": "all"}))
    assert (stale["judges"][0]["stale"], stale["entries"][0]["people_n"]) == ("the judge has changed", 0)


def test_a_report_registers_as_the_labels_do(book: Book, measured: tuple[Path, list[Path]], tmp_path: Path) -> None:
    path, runs = measured
    code, out, _ = webds("agreement", path, "--json", *run_words(runs))
    assert code == 0
    report = tmp_path / "report.json"
    report.write_text(out)
    assert register(book, report) == 0
    assert registered(book)[0].figures.n == 6


def test_training_and_second_looks_are_no_words(book: Book, measured: tuple[Path, list[Path]], tmp_path: Path) -> None:
    """As `webds annotate export` writes them: a try that was only trained on is not among the six."""
    path, runs = measured
    third = public_run(tmp_path / "run3", RIGHT, agent="hand", number=3)
    more = labels(tmp_path / "more.jsonl", {third: {"check-read": "pass", "check-form": "pass"}})
    rows = [json.loads(line) for line in more.read_text().splitlines()]
    roles: tuple[dict[str, str], ...] = ({"role": "training", "known": "pass"}, {"role": "repeat"})
    more.write_text("".join(json.dumps(row | role) + "\n" for row, role in zip(rows, roles, strict=True)))
    assert register(book, path, more, *run_words([*runs, third])) == 0
    assert registered(book)[0].figures.n == 6


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"rubric": "0" * 64}, "stale: people's labels: field rubric: '000000000000'"),
    ({"rubric": ""}, "stale: people's labels: field rubric: 'none'"),
    ({"stamps": {}}, "field tier1: not there; wanted what webds judge agreement --json --run RUN prints"),
    ({"version": "0.0.9"}, "stale: judge tier1: field version: '0.0.9'"),
    ({"settings": {"check-read": "1" * 64}}, "stale: judge tier1: field settings of task check-read"),
    ({"settings": {"nowhere": "1" * 64}}, "no key for task 'nowhere'"),
    ({"words": 5}, "6 tries settled, 0 open, stamps of 5; give every run"),
    ({"unfit": "its words were made by versions 1 and 2"}, "made by versions 1 and 2"),
    ({"judges": {"tier1": {"n": 0}}}, "n is 0: no try of any judge"),
    ({"judges": {"mine": {"n": 3}}}, "judge 'mine': no stamp of it is known; known: tier1, rubric"),
    ({"kappa": {"value": 1.2, "low": None, "high": None}}, "no figures of agreement"),
    ({"n": "six"}, "judge tier1: field n"),
]


def test_what_is_refused(
    book: Book, measured: tuple[Path, list[Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, runs = measured
    sound = webds("agreement", path, "--json", *run_words(runs))[1]
    for change, why in REFUSED:
        report = json.loads(sound)
        for name, value in change.items():
            within = report if name in report else report["judges"]["tier1"] if name in ("kappa", "n") else None
            (report["stamps"]["tier1"] if within is None else within)[name] = value
        (tmp_path / "report.json").write_text(json.dumps(report))
        assert register(book, tmp_path / "report.json") == 2
        assert why in capsys.readouterr().err
    assert registered(book) == []


def test_labels_alone_tell_of_no_judge(
    book: Book, measured: tuple[Path, list[Path]], capsys: pytest.CaptureFixture[str]
) -> None:
    path, _ = measured
    assert register(book, path) == 2
    assert register(book, path, path) == 2
    assert "one report, or files of labels with --run" in capsys.readouterr().err


def test_a_calibration_of_the_rubric(
    book: Book,
    judged: tuple[Path, Path],  # noqa: F811 - the fixture
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run, path = judged
    assert webds("calibrate", path, "--run", run, "--out", tmp_path)[0] == 0
    kept = tmp_path / "calibration.json"
    assert register(book, kept) == 2
    assert "its words are unsound, made without the canaries" in capsys.readouterr().err
    made = read_json(kept)
    del made["stamps"]["rubric"]["unsound"]
    write_json(kept, made)
    assert register(book, kept) == 0
    [found] = registered(book)
    assert (found.judge, found.figures.n, found.figures.kappa, found.stale) == ("rubric", 6, 0.0, "")
    made["stamps"]["rubric"]["prompts"] = "another"
    write_json(kept, made)
    assert register(book, kept) == 2
    assert "stale: judge rubric: field prompts: 'another'" in capsys.readouterr().err
