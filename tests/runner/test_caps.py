"""`--max-cost`: of an episode and of a run; what is cut off is not counted, and comes again under a higher cap."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.agents import player
from tests.e2e.runs import environment, webds
from tests.models.endpoint import serving
from webds.agents.selftest import FIXTURE
from webds.errors import InputFault
from webds.runner import caps
from webds.runner.caps import lowered, words
from webds.store import RunFolder, append_line, commit
from webds.types import Budget, Ending, Evidence, Task


def test_words() -> None:
    assert words(["5", "$0.5,run.tokens=1e6"]) == [
        "caps.run.dollars=5.0", "caps.run.dollars=0.5", "caps.run.tokens=1000000",
    ]  # fmt: skip
    assert words(["episode.seconds=1.5"]) == ["caps.episode.seconds=1.5"]


@pytest.mark.parametrize("word", ["five", "0", "-1", "run.days=3", "tokens=3", "run.tokens=nan", "run.dollars=inf"])
def test_a_bad_word_lists_the_names(word: str) -> None:
    with pytest.raises(InputFault, match=r"names: run.steps, run.seconds, run.tokens, run.dollars, episode.steps"):
        words([word])


def task(**budget: float) -> Task:
    return Task(id="t", suite="web", revision=1, prompt="p", budget=Budget(**budget))  # type: ignore[arg-type] # a mix of fields


def test_the_lower_limit_counts() -> None:
    assert lowered(task(steps=20, dollars=0.5), Budget(steps=5, tokens=9, dollars=2)).budget == Budget(
        steps=5, tokens=9, dollars=0.5
    )


def spent(dollars: float, **more: object) -> Evidence:
    usage = {"input": 100, "output": 10, "calls": 1, "dollars": dollars}
    kept = {"ending": Ending.SUBMITTED, "why": "", **more}
    return Evidence(task="t", revision=1, repeat=0, attempt=1, agent="a", usage=usage, steps=3, **kept)  # type: ignore[arg-type] # a mix of fields


def test_the_purse(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run", {"id": "x"})
    purse = caps.Purse(Budget(dollars=1.0, tokens=1000), run, 2)
    assert purse.lend(task(steps=20)).budget == Budget(steps=20, dollars=0.5, tokens=500)  # a half for each slot
    purse.charge(spent(0.4))
    lent = purse.lend(task(dollars=0.35))
    assert lent.budget.dollars == pytest.approx(0.3)
    assert lent.budget.tokens == 445
    assert purse.reached() == ""
    assert purse.cut(task(dollars=0.35), lent, spent(0.3, ending=Ending.LIMIT, why="dollars"))
    assert not purse.cut(
        task(dollars=0.2), purse.lend(task(dollars=0.2)), spent(0.2, ending=Ending.LIMIT, why="dollars")
    )
    purse.charge(spent(0.6))
    assert purse.reached() == "dollars"
    run.log(caps.EVENT, usage={"calls": 1, "dollars": 1.0}, steps=2)
    assert caps.Purse(Budget(dollars=1.0), run, 1).reached() == "dollars"
    run.release()


def test_every_try_of_earlier_invocations_counts(tmp_path: Path) -> None:
    """The one that was tried again, the one that a kill cut off, and the one that met the cap, which the log knows."""
    run = RunFolder.create(tmp_path / "run", {"id": "x"})
    for attempt in (1, 2):
        commit(run.new_try("t", 0), replace(spent(0.25), attempt=attempt))
    for _ in range(2):
        folder = run.new_try("t", 0)
        for index in range(2):
            append_line(folder / "timings.jsonl", {"index": index, "usage": {"calls": 1, "input": 7, "dollars": 0.125}})
    run.log(caps.EVENT, task="t", repeat=0, attempt=4, usage={"calls": 3, "input": 9, "dollars": 0.5}, steps=3)
    for cap, kind in ((1.24, "dollars"), (1.26, "")):  # 0.25 + 0.25 + 2 * 0.125 + 0.5
        assert caps.Purse(Budget(dollars=cap), run, 1).reached() == kind
    for steps, kind in ((11, "steps"), (12, "")):  # 3 + 3 + 2 + 3
        assert caps.Purse(Budget(steps=steps), run, 1).reached() == kind
    run.release()


@pytest.mark.long
def test_a_run_stops_at_its_cap_and_goes_on_under_a_higher_one(tmp_path: Path) -> None:
    """Tasks of 1, 2 and 3 calls, each of 1000 tokens at 10 dollars a million: a hundredth of a dollar a call."""
    prices = tmp_path / "prices.toml"
    prices.write_text('version = "t"\nsource = "made for this test"\n[models.m]\ninput = 10.0\noutput = 0.0\n')
    out = tmp_path / "run"
    with serving([player.as_tools(player.numbered)]) as endpoint:
        table = {"model": "m", "base_url": endpoint.url, "prices": str(prices), "dialect": "tools"}
        sets = [word for name, value in table.items() for word in ("--set", f"agents.llm.{name}={json.dumps(value)}")]
        first = webds("run", "--agent", "llm", "--out", str(out), "--max-cost", "0.025", *sets, root=FIXTURE)
        calls = len(endpoint.seen)
        again = webds("run", "--resume", str(out), "--max-cost", "1", root=FIXTURE, env=environment())
    assert first.returncode == 1, first.stderr
    assert "max-cost: dollars" in first.stderr
    assert calls == 3  # 0.01 each: the third call passes the cap, and there is no fourth
    assert again.returncode == 0, again.stderr
    items = list(RunFolder.view(out).committed())
    assert [item.evidence.ending for item in items] == ["submitted"] * 3


@pytest.mark.long
@pytest.mark.parametrize("cap", ["episode.tokens=1500", "episode.steps=1", "episode.dollars=0.011"])
def test_an_episodes_cap_ends_it_as_its_budget_would(cap: str, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('version = "t"\nsource = "made for this test"\n[models.m]\ninput = 10.0\noutput = 0.0\n')
    with serving([player.as_tools(player.numbered)]) as endpoint:
        table = {"model": "m", "base_url": endpoint.url, "prices": str(prices), "dialect": "tools"}
        sets = [word for name, value in table.items() for word in ("--set", f"agents.llm.{name}={json.dumps(value)}")]
        chosen = ("--tasks", "check-file", "--out", str(tmp_path / "run"), "--max-cost", cap)
        done = webds("run", "--agent", "llm", *chosen, *sets, root=FIXTURE)
    assert done.returncode == 0, done.stderr
    [item] = RunFolder.view(tmp_path / "run").committed()
    kind = cap.partition("=")[0].removeprefix("episode.")
    assert (item.evidence.ending, item.evidence.why) == ("limit", kind)
