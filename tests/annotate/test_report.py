"""The report's figures against figures computed by hand, in the comments."""

from pathlib import Path

import pytest

from tests.annotate.build_plan import NOW, by_task, form, make_plan, make_run, person
from webds.annotate import labels
from webds.annotate.queue import take
from webds.annotate.report import lines, page, report

# Ten tries; ada and ben label all of them. Both say pass on 4, both fail on 3, ada pass and ben fail on 2, the other
# way round on 1. The typed judge passes t0 to t4 and fails t5 to t9.
ADA = ("pass",) * 4 + ("pass", "pass") + ("fail",) * 4
BEN = ("pass",) * 4 + ("fail", "fail") + ("fail",) * 3 + ("pass",)
JUDGE = [True] * 5 + [False] * 5


def test_figures_are_those_computed_by_hand(root: Path, tmp_path: Path) -> None:
    book = make_plan(root, tmp_path / "plan", make_run(tmp_path / "run", JUDGE), double=1)
    ada, ben, eve = person(book, "ada"), person(book, "ben"), person(book, "eve", "adjudicator")
    ids = by_task(book)
    for number, words in enumerate(zip(ADA, BEN, strict=True)):
        for who, said in zip((ada, ben), words, strict=True):
            labels.submit(
                book, who, ids[f"t{number}"], form(said, 5 if said == "pass" else 1, seconds=10 + number), NOW
            )
    take(book, eve, NOW)
    for number in (4, 5):
        labels.submit(book, eve, ids[f"t{number}"], form("pass"), NOW)
    found = report(book)
    people = found["figures"]["people"]
    assert people["percent"]["passes"] == 7
    assert people["percent"]["n"] == 10
    # Observed 0.7. ada passes 0.6, ben 0.5: chance 0.6 * 0.5 + 0.4 * 0.5 = 0.5; kappa = 0.2 / 0.5.
    assert people["kappa"]["value"] == pytest.approx(0.4)
    # AC1: mean pass 0.55, chance 2 * 0.55 * 0.45 = 0.495; (0.7 - 0.495) / 0.505.
    assert people["ac1"]["value"] == pytest.approx(0.205 / 0.505)
    # Alpha: 11 pass and 9 fail of 20 words; expected disagreement 2 * 11 * 9 / (20 * 19), observed 0.3.
    assert people["alpha"]["value"] == pytest.approx(1 - 0.3 / (198 / 380))
    # Settled: t0-t3 pass, t6-t8 fail, t4 and t5 pass by eve, t9 open. The judge is wrong on t5 alone.
    judge = found["figures"]["judges"]["tier1"]
    assert (judge["n"], judge["percent"]["passes"]) == (9, 8)
    assert (judge["sensitivity"]["passes"], judge["sensitivity"]["n"]) == (5, 6)
    assert (judge["specificity"]["passes"], judge["specificity"]["n"]) == (3, 3)
    assert found["pass"] == {"items": 10, "labelled": 10, "twice": 10, "differ": 3, "settled": 2, "training": 0}
    assert found["people"]["human:ada"]["median_seconds"] == 14.5
    differ = {row["episode"] for row in found["disagreements"]}
    assert {"t4~0", "t5~0", "t9~0"} <= differ
    assert all((tmp_path / "plan" / row["steps"]).parent.is_dir() for row in found["disagreements"])
    assert "10 of 10 items labelled, 10 of them by two people or more; 3 differ, 2 settled" in list(lines(found))
    html = page(found, "<first>").decode()
    assert "&lt;first&gt;" in html
    assert "t9~0" in html
