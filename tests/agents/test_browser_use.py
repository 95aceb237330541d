"""Agent `browser-use`, the real library, against a scripted endpoint: self-test, record, cost, what it hands in."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.agents.bu_player import fixed, player
from tests.e2e.runs import MINI, webds
from tests.models.endpoint import serving
from webds.agents.browser_use.inside.handing import submission
from webds.store import RunFolder, read_lines


@pytest.mark.long
def test_it_passes_the_check_with_a_csv_download(tmp_path: Path) -> None:
    seen: list[str] = []
    with serving([player(seen)]) as endpoint:
        sets = ("model=m", f"base_url={endpoint.url}")
        words = [word for item in sets for word in ("--set", f"agents.browser-use.{item}")]
        out = tmp_path / "run"
        done = webds("agents", "check", "browser-use", "--solve", "--out", str(out), "--json", *words, root=None)
    assert done.returncode == 0, (done.stdout, done.stderr, seen[-1:], _logs(out))
    [item] = RunFolder.view(out).tries("check-file", 0)
    steps = list(read_lines(item.folder / "trajectory.jsonl"))
    assert [(step["did"]["name"], step["by"]) for step in steps] == [
        ("click", "agent"), ("click", "agent"), ("click", "agent"), ("python", "session"), ("submit", "session"),
    ]  # fmt: skip
    assert all(step["did"]["args"].get("id") for step in steps[:3])
    assert steps[2]["then"]["view"]["downloads"][0]["name"] == "gauges.csv"
    assert (item.folder / "files" / "gauges.csv").read_text().startswith("month,river,metres")
    assert item.evidence.usage["calls"] == 5
    assert item.evidence.usage["input"] == 5000
    asked = {json.loads(line)["url"] for line in (item.folder / "requests.jsonl").read_text().splitlines()}
    assert all(url.startswith("https://three-pages.test/") for url in asked), asked


_TASK = """
[[task]]
id = "{name}"
suite = "web"
revision = 1
prompt = "{prompt}"
start = {{ url = "https://mini.test/" }}
budget = {{ steps = 20, seconds = 120 }}
guard = "A task of a test."

[task.labels]
kind = "qa"
hops = "single"
data = "structured"
media = "text"
tools = true
navigation = false
sites = ["mini"]
domain = "test"
"""
_TASKS = {
    "hand-named": "Hand in squares.csv, as asked for first.",
    "hand-unnamed": "Hand in the file cubes.md, as asked for second.",
    "hand-none": "Say how many fourth powers there are, as asked for third.",
}
_MOVES = {
    "asked for first": [
        fixed(python={"text": "open('squares.csv', 'w').write('n,square')"}),
        fixed(write_file={"file_name": "notes.md", "content": "by hand"}),
        fixed(
            done={"text": "see the files", "success": True, "files_to_display": ["squares.csv", "notes.md", "lost.md"]}
        ),
    ],
    "asked for second": [
        fixed(write_file={"file_name": "cubes.md", "content": "1, 8, 27"}),
        fixed(done={"text": "1, 8, 27", "success": True}),
    ],
    "asked for third": [fixed(done={"text": "There is no table of fourth powers.", "success": False})],
}


@pytest.mark.long
def test_it_hands_in_files_and_says_what_cannot_be_done(tmp_path: Path) -> None:
    """Files of the work folder and of the library's own, named by done or by the task; a done without success."""
    shutil.copytree(MINI, tmp_path / "root")
    tasks = tmp_path / "root" / "tasks_public" / "mini" / "tasks.toml"
    tasks.write_text(tasks.read_text() + "".join(_TASK.format(name=n, prompt=text) for n, text in _TASKS.items()))
    with serving([player([], _MOVES)]) as endpoint:
        sets = ("model=m", f"base_url={endpoint.url}")
        words = [word for item in sets for word in ("--set", f"agents.browser-use.{item}")]
        out = tmp_path / "run"
        done = webds(
            "run", "--agent", "browser-use", "--tasks", "hand-*", "--out", str(out), *words, root=tmp_path / "root"
        )
    assert done.returncode == 0, (done.stdout, done.stderr, _logs(out))
    found = {name: _handed_in(out, name) for name in _TASKS}
    assert found == {
        "hand-named": ("see the files", "", {"squares.csv": "n,square", "notes.md": "by hand"}, ["lost.md"]),
        "hand-unnamed": ("1, 8, 27", "", {"cubes.md": "1, 8, 27"}, []),
        "hand-none": (*["There is no table of fourth powers."] * 2, {}, []),
    }


def _handed_in(out: Path, task: str) -> tuple[str, str, dict[str, str], list[str]]:
    [item] = RunFolder.view(out).tries(task, 0)
    said = item.evidence
    files = {file.name: (item.folder / file.path).read_text().strip() for file in said.files}
    missing: Any = said.findings["missing_files"]
    return said.answer, said.unachievable, files, list(missing)


def test_what_done_hands_in(tmp_path: Path) -> None:
    work, own = tmp_path / "work", tmp_path / "own"
    for folder in (work, own):
        folder.mkdir()
    (work / "a.csv").write_text("of the work folder")
    for name in ("a.csv", "b.md"):
        (own / name).write_text("of the library")
    (tmp_path / "secret.md").write_text("elsewhere")
    done = {"text": "4", "files_to_display": [f"{work}/a.csv", "./a.csv", "../secret.md", "todo.md"]}
    assert submission(done, "Write a.csv, b.md and c.png.", work, own) == {
        "answer": "4", "files": ["a.csv", "../secret.md", "todo.md", "b.md"], "unachievable": "",
    }  # fmt: skip
    assert (work / "a.csv").read_text() == "of the work folder"
    assert (work / "b.md").read_text() == "of the library"
    assert submission({"text": "no such year", "success": False}, "", work, own)["unachievable"] == "no such year"


def _logs(out: Path) -> str:
    return "\n".join(file.read_text(errors="replace")[-3000:] for file in out.rglob("agent.log"))
