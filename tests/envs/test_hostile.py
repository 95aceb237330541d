"""Hostile pages: each is looked at within its limit, or the observation says why not; and the next page is fine."""

import time

import pytest
import pytest_asyncio

from tests.envs import opened
from tests.envs.hands import Eyes

pytestmark = pytest.mark.asyncio(loop_scope="module")
LIMIT = 35
"""Seconds that any single step may take, whatever the page does."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def eyes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile") / "try"
    async with opened.world() as world, opened.browser(world, folder, "https://pages.test/home") as browser:
        yield Eyes(browser)


@pytest.mark.parametrize("kind", ["none", "proto", "push", "many", "empty", "text"])
async def test_it_is_looked_at_and_can_be_acted_on(eyes: Eyes, kind: str) -> None:
    began = time.monotonic()
    seen = await eyes.goto(f"/hostile?kind={kind}")
    assert time.monotonic() - began < LIMIT
    assert len(seen.text) < 20_000
    assert eyes.has("button", "Still here")
    assert not (await eyes.click("button", "Still here")).refused
    assert kind in ("many", "empty") or eyes.has("button", "pressed")


@pytest.mark.parametrize("kind", ["spin", "pushspin"])
@pytest.mark.long
async def test_a_script_without_end_is_stopped(eyes: Eyes, kind: str) -> None:
    began = time.monotonic()
    seen = await eyes.goto(f"/hostile?kind={kind}")
    assert time.monotonic() - began < LIMIT
    assert "it was stopped" in seen.text
    assert not (await eyes.click("button", "Still here")).refused


@pytest.mark.parametrize("kind", ["alerts", "deep"])
async def test_a_page_beyond_help_is_ended_with_the_reason(eyes: Eyes, kind: str) -> None:
    began = time.monotonic()
    seen = await eyes.goto(f"/hostile?kind={kind}")
    for _ in range(3):  # the page may still stand when it is first looked at
        if "it was closed" in seen.text:
            break
        seen = await eyes.environment.observe()
    assert time.monotonic() - began < LIMIT
    assert "crashed or had to be ended; it was closed" in seen.text
    assert "Fixture pages" in (await eyes.goto("/home")).text
    assert len(seen.view["tabs"]) == 1  # type: ignore[arg-type] # a tuple of addresses
