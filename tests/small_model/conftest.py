"""The small model's server, for the tests that need it."""

from collections.abc import Iterator

import pytest

from tests.small_model.place import Unavailable
from tests.small_model.server import serving
from tests.small_model.table import port


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Address of the running server; a skip with the reason where the model cannot be had."""
    running = serving(port=port())
    try:
        found = running.__enter__()
    except Unavailable as error:
        pytest.skip(f"no small model here: {error}")
    try:
        yield found
    finally:
        running.__exit__(None, None, None)
