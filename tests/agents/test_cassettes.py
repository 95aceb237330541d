"""A cassette of an agent whose model is reached through the worker's relay: a run repeats without any endpoint."""

from pathlib import Path
from typing import Any

import pytest

from tests.agents import player
from tests.agents.test_external import check
from tests.conftest import ROOT
from webds.store import RunFolder

EXAMPLE = ["python", "{agent}/agent.py"], ROOT / "examples" / "python_agent", player.as_text(player.done_so_far)


def hashes(out: Path) -> dict[str, Any]:
    return {item.evidence.task: item.evidence.digests["trajectory"] for item in RunFolder.view(out).committed()}


@pytest.mark.long
def test_a_cassette_repeats_a_program_of_its_own(tmp_path: Path) -> None:
    tape = str(tmp_path / "tape.jsonl")
    ways: dict[str, dict[str, Any]] = {
        "first": {"record": tape},
        "again": {"base_url": "http://127.0.0.1:9/v1", "replay": tape},
    }
    for out, more in ways.items():
        code, rows, said = check(tmp_path / out, *EXAMPLE, **more)
        assert code == 0, (out, rows, said)
    assert len(hashes(tmp_path / "first")) == 3
    assert hashes(tmp_path / "first") == hashes(tmp_path / "again")
