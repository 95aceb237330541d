"""A cassette of an agent whose model is reached through the worker's relay: a run repeats without any endpoint."""

from pathlib import Path
from typing import Any

import pytest

from tests.agents import player
from tests.conftest import ROOT
from tests.e2e.runs import environment, webds
from tests.models.endpoint import serving
from webds.store import RunFolder

NOWHERE = "http://127.0.0.1:9/v1"
EXAMPLE = {"command": '["python", "{agent}/agent.py"]', "folder": str(ROOT / "examples" / "python_agent")}


def check(out: Path, url: str, **cassette: str) -> None:
    fields = {"model": "m", "base_url": url, "key_env": "SOME_KEY", **EXAMPLE, **cassette}
    words = [word for name, value in fields.items() for word in ("--set", f"agents.external.{name}={value}")]
    env = environment(SOME_KEY="sk-a-key-that-nobody-may-see")
    done = webds("agents", "check", "external", "--solve", "--out", str(out), *words, root=None, env=env)
    assert done.returncode == 0, done.stdout + done.stderr


def hashes(out: Path) -> dict[str, Any]:
    return {item.evidence.task: item.evidence.digests["trajectory"] for item in RunFolder.view(out).committed()}


@pytest.mark.long
def test_a_cassette_repeats_a_program_of_its_own(tmp_path: Path) -> None:
    tape = str(tmp_path / "tape.jsonl")
    with serving([player.as_text(player.done_so_far)]) as endpoint:
        check(tmp_path / "first", endpoint.url, record=tape)
    check(tmp_path / "again", NOWHERE, replay=tape)
    assert len(hashes(tmp_path / "first")) == 3
    assert hashes(tmp_path / "first") == hashes(tmp_path / "again")
