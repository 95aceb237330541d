"""Plans of made-up tasks need no keys: `root` is an empty folder here, and reading sixty keys is left to one test."""

from pathlib import Path

import pytest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "no keys"
    folder.mkdir()
    return folder
