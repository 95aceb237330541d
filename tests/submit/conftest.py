"""For every test of submissions: a checkout with sealed tasks, made once a file."""

from pathlib import Path

import pytest

from tests.submit.made import Checkout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Checkout:
    return Checkout(tmp_path_factory.mktemp("checkout"), root)
