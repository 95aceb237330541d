"""Agent `browser-use`, the real library, against a scripted endpoint: self-test, record, cost."""

import json
from pathlib import Path

import pytest

from tests.agents.bu_player import player
from tests.e2e.runs import webds
from tests.models.endpoint import serving
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


def _logs(out: Path) -> str:
    return "\n".join(file.read_text(errors="replace")[-3000:] for file in out.rglob("agent.log"))
