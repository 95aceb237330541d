"""A walk through each site in Chromium: no dead link, server error, console word or request that was stopped."""

from pathlib import Path

import pytest

from tests.sites.browsing import ROOT, SHOWN, system_fonts, walk
from webds.tracks import archives
from webds.tracks.sites import all_sites


@pytest.mark.long
@pytest.mark.parametrize("name", SHOWN)
async def test_a_walk_meets_no_fault(name: str, tmp_path: Path) -> None:
    site = all_sites(ROOT)[name]
    archives.ensure(ROOT, archives.archived([site]), print)
    opened, found = await walk(site, tmp_path, 60)
    print(f"{name}: {opened} pages, {len(found)} faults")
    assert found == []
    assert opened >= 30


@pytest.mark.long
@pytest.mark.parametrize("name", SHOWN)
async def test_no_letter_is_drawn_with_a_font_of_the_machine(name: str, tmp_path: Path) -> None:
    """Else a screenshot would depend on what is installed, and so would where lines end."""
    site = all_sites(ROOT)[name]
    archives.ensure(ROOT, archives.archived([site]), print)
    assert await system_fonts(site, tmp_path) == set()
