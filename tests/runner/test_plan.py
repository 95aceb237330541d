"""What run.json declares: the suite's word, the agent's over it, and nothing that nobody said."""

from pathlib import Path
from typing import Any

import pytest

from webds.errors import InputFault
from webds.runner.plan import ID, declared, run_id


class Suite:
    def declares(self) -> dict[str, Any]:
        return {"actions": ("goto", "click"), "tools": ("python",), "observations": ("outline",)}


def test_the_suite_says_what_an_agent_gets() -> None:
    assert declared(Suite(), "nop", {}) == {
        "actions": ("goto", "click", "submit"),
        "tools": ("python",),
        "observations": ("outline",),
    }


def test_model_and_sampling_of_the_agents_table() -> None:
    table = {"model": "m", "temperature": 0, "seed": 4, "base_url": "http://127.0.0.1:1/v1", "key_env": "KEY"}
    assert declared(object(), "nop", table) == {"model": "m", "sampling": {"temperature": 0, "seed": 4}}
    assert declared(object(), "nop", {}) == {}


def test_the_version_of_the_price_table(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('version = "2026-11-30"\nsource = "this test"\nmodels = {}\n')
    assert declared(object(), "nop", {}, str(file)) == {"prices": "2026-11-30"}
    with pytest.raises(InputFault, match=r"none\.toml: cannot be read"):
        declared(object(), "nop", {}, str(tmp_path / "none.toml"))


@pytest.mark.parametrize(
    ("agent", "word"),
    [
        ("browser-use", "browser-use"),
        ("MyAgent", "myagent"),
        ("my.agent v2", "my-agent-v2"),
        ("browser-use-with-a-very-long-name-of-a-team-2026", "browser-use-with-a-very-long-name-of-a-t"),
        ("агент", "agent"),
    ],
)
def test_any_agents_run_has_an_id_that_a_server_takes(agent: str, word: str) -> None:
    found = run_id(agent)
    assert ID.fullmatch(found)
    assert found.split("-", 1)[1].rpartition("-")[0] == word
