"""Agent `llm` passes the self-test in each profile, against a scripted endpoint."""

import json

import pytest

from tests.agents import player
from tests.e2e.runs import webds
from tests.models.endpoint import serving


@pytest.mark.long
@pytest.mark.parametrize("profile", ["default", "webarena", "occam", "small"])
def test_a_profile_passes(profile: str) -> None:
    dialect, play = ("schema", player.as_text) if profile == "small" else ("tools", player.as_tools)
    with serving([play(player.numbered)]) as endpoint:
        table = {"model": "m", "base_url": endpoint.url, "profile": profile, "dialect": dialect}
        sets = [word for name, value in table.items() for word in ("--set", f"agents.llm.{name}={json.dumps(value)}")]
        done = webds("agents", "check", "llm", "--solve", "--json", *sets, root=None)
    assert done.returncode == 0, (done.stdout, done.stderr)
