"""T11: success, fail, infra and unjudged mixed; pass@k, pass^k, intervals, tries and cost by hand."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.report.build_run import Episode, add_try, make_run, task
from webds.prices import Usage
from webds.report.build import build
from webds.report.rows import read_run
from webds.report.tally import by_site, ledger, repeats, task_mean, unsteady
from webds.store import RunFolder, append_line
from webds.types import Ending

TASKS = [task(name, sites=[f"site-{name}"]) for name in "abcd"]
INFRA: dict[str, Any] = {"ending": Ending.INFRA, "why": "proxy died", "passed": None}


def mixed() -> list[Episode]:
    """a: pass, pass, fail. b: pass, infra, fail. c: unjudged three times. d: pass, not run twice."""
    return [
        Episode(task="a", repeat=0),
        Episode(task="a", repeat=1),
        Episode(task="a", repeat=2, passed=False),
        Episode(task="b", repeat=0),
        Episode(task="b", repeat=1, **INFRA),
        Episode(task="b", repeat=2, passed=False),
        *(Episode(task="c", repeat=k, ungraded="judge", reason="no answer") for k in range(3)),
        Episode(task="d", repeat=0),
    ]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path / "run", TASKS, mixed(), repeat=3)


def test_pass_at_k_and_pass_hat_k_by_hand(run: Path) -> None:
    one, two, three = repeats(read_run(run).rows)
    # Graded: a 2 of 3, b 1 of 2, c none, d 1 of 1. k = 1: (2/3 + 1/2 + 1) / 3.
    assert (one.at.value, one.at.n, one.left_out) == pytest.approx((13 / 18, 3, 1))
    assert one.hat.value == one.at.value
    # k = 2, a and b only: 1 - C(1,2)/C(3,2) = 1 and 1 - C(1,2)/C(2,2) = 1; C(2,2)/C(3,2) = 1/3 and 0.
    assert (two.at.value, two.hat.value, two.at.n, two.left_out) == pytest.approx((1.0, 1 / 6, 2, 2))
    # k = 3, a only.
    assert (three.at.value, three.hat.value, three.at.n, three.left_out) == (1.0, 0.0, 1, 3)
    # Strict, three planned each: 2, 1, 0 and 1 passes. k = 1: (2 + 1 + 0 + 1) / 12. k = 3: at least one in three tasks.
    assert (one.strict_at.value, three.strict_at.value) == pytest.approx((1 / 3, 0.75))
    # k = 2: pass@2 is 1, 1 - C(2,2)/3 = 2/3, 0 and 2/3; pass^2 is C(2,2)/3 = 1/3 and 0 three times.
    assert (two.strict_at.value, two.strict_hat.value) == pytest.approx((7 / 12, 1 / 12))


def test_intervals_by_hand(run: Path) -> None:
    rows = read_run(run).rows
    one = repeats(rows)[0]
    # 13/6 of 3 in Wilson's formula: share 0.722222, middle (0.722222 + 0.640243) / 2.280486 = 0.597445,
    # half 0.859450 * sqrt(0.200617 / 3 + 0.106707) = 0.859450 * 0.416631.
    assert one.at.ends == pytest.approx((0.239371, 0.955519), abs=2e-5)
    assert task_mean(rows).value == one.at.value
    assert unsteady(rows) == 2
    # Three sites have a graded episode: too few for an interval over sites.
    assert (by_site(rows).ends, by_site(rows).clusters) == (None, 3)
    assert by_site(rows).text == "no interval over sites from 3 sites"


def test_a_single_success_is_never_a_bare_hundred_per_cent(tmp_path: Path) -> None:
    """One success left after infra faults: every place that prints the share prints how little it says."""
    episodes = [Episode(task="a"), Episode(task="a", repeat=1, **INFRA)]
    run = make_run(tmp_path / "run", TASKS[:1], episodes, repeat=2)
    html = build(run).html.read_text()
    text = " ".join(re.sub("<[^>]*>", " ", html[html.index("<body>") :]).split())
    assert "100 % (1 task; 95 % interval 21 % to 100 %)" in text
    shares = re.sub(r"[0-9]+ % to 100 %", "INTERVAL", text.replace("0 % 50 % 100 %", ""))
    found = [shares[at.end() : at.end() + 150] for at in re.finditer("100 %", shares)]
    assert len(found) >= 3
    assert [after for after in found if "INTERVAL" not in after] == []
    results = json.loads((run / "results.json").read_text())["run"]
    assert results["lenient"]["share"] == 1.0
    assert results["lenient"]["low"] == pytest.approx(0.206549, abs=1e-6)
    assert results["strict"]["share"] == 0.5
    assert results["repeats"][0]["at"]["low"] == pytest.approx(0.206549, abs=1e-6)


def usage(calls: int, **more: Any) -> dict[str, Any]:
    return {"input": 100 * calls, "output": 10 * calls, "calls": calls, **more}


def test_every_try_is_paid_for(run: Path) -> None:
    """b's second repeat is tried again, and another try of it is cut off after a step."""
    folder = RunFolder.open(run)
    add_try(folder, Episode(task="b", repeat=1, usage=usage(2, dollars=0.02)))
    cut = folder.new_try("b", 1)
    append_line(cut / "timings.jsonl", {"index": 0, "usage": usage(1, dollars=0.5)})
    first = folder.episode("b", 1) / "try-1"
    append_line(first / "timings.jsonl", {"index": 9, "usage": usage(3)})
    folder.release()
    found = ledger(read_run(run).rows)
    assert (found.tries, found.tried, found.superseded, found.again, found.cut_off) == (11, 10, 1, 1, 1)
    assert found.counted == Usage(
        tokens={"input": 200, "cached_input": 0, "cache_write": 0, "output": 20, "reasoning": 0}, calls=2, dollars=0.02
    )
    assert (found.lost.calls, found.lost.unpriced, found.lost.cost) == (4, 3, None)
    html = build(run).html.read_text()
    assert "2 calls, 200 tokens in, 20 out, $0.0200" in html
    assert "cost unknown (3 of 6 calls without a price, $0.5200 for the others)" in html
    kept = json.loads((run / "ledger.json").read_text())
    assert kept["usage"]["total"]["input"] == 600
    assert kept["usage"]["total"]["dollars"] is None
    assert kept["usage"]["counted"]["dollars"] == 0.02
    assert next(row for row in kept["by_episode"] if (row["task"], row["repeat"]) == ("b", 1))["tries"] == 2


def test_without_a_model_no_cost_is_made_up(run: Path) -> None:
    html = build(run).html.read_text()
    assert html.count("no model call recorded") == 3
    assert "$" not in html


def test_what_the_run_declares_is_shown_and_nothing_else(tmp_path: Path) -> None:
    declares = {"model": "some-model", "tools": ["python", "sql"], "budget": {"steps": [20, 60]}, "prices": ""}
    run = make_run(tmp_path / "run", TASKS[:1], mixed()[:1], declares=declares, shard="1/4")
    html = build(run).html.read_text()
    declared = html[html.index("<h3>Declared</h3>") : html.index("<h3>World</h3>")]
    assert "some-model" in declared
    assert "python, sql" in declared
    assert "steps 20 to 60" in declared
    assert "1/4" in declared
    assert "prices" not in declared
    assert "unknown" not in declared
    bare = make_run(tmp_path / "bare", TASKS[:1], mixed()[:1])
    assert "<h3>Declared</h3>" not in build(bare).html.read_text()
