"""What a person can do wrong: one line that names file, field and choices, exit code 2, never a traceback."""

import json
import shutil
from pathlib import Path

import pytest

from tests.e2e.runs import MINI, environment, webds
from webds.store import RunFolder


def one_line(code: int, *words: str, root: Path | None = MINI, env: dict[str, str] | None = None) -> str:
    done = webds(*words, root=root, env=env)
    assert done.returncode == code, done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A copy of the fixture root that a test may damage."""
    return Path(shutil.copytree(MINI, tmp_path / "root"))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "--tasks", "nonesuch"], ["no task 'nonesuch'", "mini-square", "mini-mean"]),
        (["run", "--agent", "nonesuch"], ["no agent 'nonesuch'", "nop", "oracle", "scripted"]),
        (["run", "--track", "nonesuch"], ["no track 'nonesuch'", "dockerized"]),
        (["run", "--suite", "nonesuch"], ["no suite 'nonesuch'", "web"]),
        (["run", "--set", "nonesuch=1"], ["--set nonesuch=1", "unknown", "chromium"]),
        (["run", "--set", "limits.page=fast"], ["limits.page", "'fast'", "wanted"]),
        (["run", "--set", "isolation=some"], ["isolation", "'some'", "auto, namespace, none"]),
        (["run", "--agent", "replay"], ["agent replay", "agents.replay.run"]),
        (["tasks", "show", "nonesuch"], ["no task 'nonesuch'", "mini-square"]),
        (["sites", "serve", "nonesuch"], ["no site 'nonesuch'", "mini"]),
    ],
)
def test_unknown_names_list_the_known(words: list[str], told: list[str], tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "run")] if words[0] == "run" else []
    line = one_line(2, *words, *out)
    assert all(word in line for word in told), line


def test_no_chromium() -> None:
    line = one_line(2, "run", env=environment(WEBDS_CHROMIUM="/nowhere/chromium"))
    assert "WEBDS_CHROMIUM" in line
    assert "/nowhere/chromium" in line


def test_no_root() -> None:
    assert "no sites_docker folder" in one_line(2, "run", "--root", "/usr", root=None)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("revision = 1", "revision = "), ["tasks.toml", "not TOML", "line"]),
        (
            ('revision = 1\nprompt = "What is the sq', 'prompt = "What is the sq'),
            ["task mini-square", "field revision"],
        ),
        (("revision = 1", 'revision = 1\nanswer = "144"'), ["task mini-square", "field answer"]),
        (("https://mini.test/table", "https://elsewhere.test/"), ["task mini-mean", "no site 'elsewhere'", "mini"]),
        (('id = "mini-mean"', 'id = "mini-square"'), ["tasks.toml", "mini-square", "also in"]),
        (('id = "mini-mean"', 'id = "../mean"'), ["field id", "'../mean'", "small letters"]),
    ],
)
def test_broken_task_files(broken: Path, tmp_path: Path, change: tuple[str, str], told: list[str]) -> None:
    file = broken / "tasks_public" / "mini" / "tasks.toml"
    text = file.read_text()
    assert change[0] in text
    file.write_text(text.replace(*change, 1))
    line = one_line(2, "run", "--agent", "nop", "--out", str(tmp_path / "run"), root=broken)
    assert all(word in line for word in told), line


def test_missing_key_stops_the_oracle(broken: Path, tmp_path: Path) -> None:
    file = broken / "tasks_public" / "mini" / "keys.toml"
    file.write_text(file.read_text().replace('task = "mini-mean"', 'task = "another"'))
    done = webds("run", "--agent", "oracle", "--tasks", "mini-mean", "--out", str(tmp_path / "run"), root=broken)
    assert done.returncode == 2
    assert "mini-mean" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_run_folder_of_another_format(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"format": 99}))
    for words in (["run", "--resume"], ["report"], ["judge", "run"]):
        line = one_line(2, *words, str(tmp_path), root=MINI if words != ["report"] else None)
        assert "run.json: field format: 99" in line


def test_run_folder_that_is_none(tmp_path: Path) -> None:
    assert "no run here" in one_line(2, "run", "--resume", str(tmp_path))
    assert "no run here" in one_line(2, "report", str(tmp_path), root=None)


def test_run_folder_in_use(tmp_path: Path) -> None:
    held = RunFolder.create(tmp_path / "run", {})
    assert "in use" in one_line(2, "run", "--resume", str(tmp_path / "run"))
    held.release()


def test_run_folder_that_holds_a_run(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "run", {}).release()
    line = one_line(2, "run", "--agent", "nop", "--out", str(tmp_path / "run"))
    assert "--resume" in line
