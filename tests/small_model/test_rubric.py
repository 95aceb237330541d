"""The judge's rubric, once for real: the small model reads a trail, its reply is read or Ungraded, the word is kept."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.runs import MINI, webds
from tests.small_model.server import MODEL
from webds.store import RunFolder, read_verdict
from webds.types import Ungraded, Verdict

pytestmark = [pytest.mark.extra, pytest.mark.timeout(1800)]
_TABLE = {"model": MODEL, "samples": 1, "attempts": 2, "room": 6000, "field": 1200, "first": 800, "whole": 800}


def _judge(run: Path, address: str) -> dict[str, Any]:
    table = {**_TABLE, "base_url": f"{address}/v1", "retries": 0}
    words = [word for name, value in table.items() for word in ("--set", f"rubric.{name}={json.dumps(value)}")]
    command = [sys.executable, "-m", "webds", "judge", "run", str(run), "--no-canaries", "--json", "--root", str(MINI)]
    done = subprocess.run([*command, *words], capture_output=True, text=True, timeout=1700)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)["rubric"]
    return said


def test_the_rubric_runs_is_read_and_kept(tmp_path: Path, address: str):
    run = tmp_path / "run"
    done = webds("run", "--agent", "scripted", "--limit", "1", "--out", str(run))
    assert done.returncode == 0, done.stderr
    said = _judge(run, address)
    (row,) = said["tries"]
    (item,) = RunFolder.view(run).committed()
    word = read_verdict(item.folder / "verdicts" / "rubric.json")
    assert word.evidence == item.digest
    assert word.judge.version.endswith("unsound")
    print(json.dumps(row, indent=1))  # for `pytest -rP`: what it said
    if row["kind"] == "verdict":
        assert isinstance(word, Verdict)
        assert word.samples
        assert said["usage"]["output"] > 0
    else:
        assert isinstance(word, Ungraded)
        assert (word.blame, bool(word.why)) == ("judge", True)
