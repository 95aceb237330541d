"""Labels in, figures out: a file of labels worked through by hand, and what is refused."""

import dataclasses
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from tests.judge.agreement.rows import row, webds, written
from webds.errors import InputFault
from webds_judge.agreement import figures, labels


def shown(path: Path) -> Any:
    """What `webds judge agreement --json` prints."""
    code, out, _ = webds("agreement", path, "--json")
    assert code == 0
    return json.loads(out)


def by_hand() -> list[dict[str, Any]]:
    """Twelve tries. People: 8 the same of 10 seen twice, one settled by a third, one open. A judge on all twelve."""
    ada = ["pass"] * 5 + ["fail"] * 5 + ["pass", "fail"]
    bob = ["pass"] * 4 + ["fail"] * 5 + ["unsure"]
    tier2 = ["pass"] * 4 + ["fail"] * 4 + ["pass", "fail", "fail", "unsure"]
    tier1 = ["pass"] * 4 + ["fail"] * 8
    words = [("human:ada", ada), ("human:bob", bob), ("rubric", tier2), ("tier1", tier1)]
    rows = [row(number, who, word) for who, said in words for number, word in enumerate(said)]
    return [*rows, row(4, "human:eve", "pass", role="adjudication", reason="the table says so")]


def test_figures_by_hand(tmp_path: Path) -> None:
    found = shown(written(tmp_path / "labels.jsonl", by_hand()))
    assert found["truth"] == {"pass": 6, "fail": 5, "unsure": 0, "open": 1}
    people = found["people"]
    assert (people["n"], people["percent"]["passes"], people["unsure"]) == (10, 8, 1)
    assert people["kappa"]["value"] == pytest.approx((0.8 - (5 * 4 + 5 * 5) / 100) / (1 - 0.45))
    assert people["prevalence"]["share"] == pytest.approx(9 / 20)
    assert people["confusion"]["medium"]["pass"] == {"pass": 1, "fail": 1, "unsure": 0}  # tries 1, 4 and 7
    judge = found["judges"]["rubric"]
    # Settled: passes 0-4 and 10, fails 5-8 and 11; try 9 is open. The judge passes 0-3 and 8, and is unsure of 11.
    assert (judge["n"], judge["open"], judge["percent"]["passes"]) == (11, 1, 7)
    assert (judge["sensitivity"]["passes"], judge["sensitivity"]["n"]) == (4, 6)
    assert (judge["specificity"]["passes"], judge["specificity"]["n"]) == (4, 5)
    assert (judge["precision"]["passes"], judge["precision"]["n"]) == (4, 5)
    assert judge["corrected"]["value"] == pytest.approx((5 / 12 + 0.8 - 1) / (4 / 6 + 0.8 - 1))


def test_two_judges_are_compared_by_mcnemar(tmp_path: Path) -> None:
    found = shown(written(tmp_path / "labels.jsonl", by_hand()))
    test = found["mcnemar"][0]
    assert test["judges"] == ["rubric", "tier1"]
    # tier1 alone is right of tries 8 and 11, the rubric alone of none.
    assert test["right"] == {"n": 11, "only_first": 0, "only_second": 2, "p": pytest.approx(0.5)}
    assert (test["passed"]["n"], test["passed"]["only_first"], test["passed"]["only_second"]) == (12, 1, 0)


def test_stars_have_figures_of_their_own(tmp_path: Path) -> None:
    rows = [
        row(number, who, "pass", stars=stars)
        for who, given in (("human:ada", (5, 4, 3, 1)), ("human:bob", (5, 5, 1, 1)))
        for number, stars in enumerate(given)
    ]
    stars = shown(written(tmp_path / "labels.jsonl", rows))["people"]["stars"]
    assert (stars["n"], stars["exact"]["passes"], stars["within_one"]["passes"]) == (4, 2, 3)
    assert stars["kappa_quadratic"]["value"] == pytest.approx(
        1 - (1 + 4) / 4 / (sum((a - b) ** 2 for a in (5, 4, 3, 1) for b in (5, 5, 1, 1)) / 16)
    )


def test_each_two_of_several_people_are_one_pair(tmp_path: Path) -> None:
    people = ("human:ada", "human:bob", "human:eve", "human:joe")
    rows = [row(number, who, "pass" if number % place else "fail") for place, who in enumerate(people, start=1)
            for number in range(6)]  # fmt: skip
    found = shown(written(tmp_path / "labels.jsonl", rows))["people"]
    assert [tuple(pair["raters"]) for pair in found["pairs"]] == list(itertools.combinations(people, 2))
    assert (found["n"], {pair["n"] for pair in found["pairs"]}) == (36, {6})


def test_drift_and_training(tmp_path: Path) -> None:
    rows = [
        row(0, "human:ada", "pass"),
        row(0, "human:ada", "fail", role="repeat"),
        row(1, "human:ada", "fail"),
        row(1, "human:ada", "fail", role="repeat"),
        row(2, "human:ada", "pass", role="training", known="pass"),
    ]
    found = shown(written(tmp_path / "labels.jsonl", rows))
    assert found["repeats"]["human:ada"]["share"] == 0.5
    assert found["training"]["human:ada"]["share"] == 1.0
    assert found["tries"] == 2


def test_in_words(tmp_path: Path) -> None:
    path = written(tmp_path / "labels.jsonl", by_hand())
    code, text, _ = webds("agreement", path)
    assert code == 0
    assert "people's word: 6 pass, 5 fail, 0 unsure, 1 open" in text
    assert "Cohen kappa 0.636" in text
    assert "rubric against people: n 11" in text


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "label": ({"label": "maybe"}, "field label"),
    "tier": ({"tier": "huge"}, "field tier: 'huge'; accepted: easy, medium, hard"),
    "stars": ({"stars": 6}, "field stars: 6"),
    "infinite stars": ({"stars": float("inf")}, "field stars"),
    "unknown field": ({"colour": "red"}, "field colour"),
    "no rater": ({"rater": "human:"}, "field rater"),
    "no rubric": ({"rubric": ""}, "field rubric"),
    "episode": ({"episode": "t"}, "field episode"),
    "training without its label": ({"role": "training"}, "field known"),
    "newer format": ({"format": 2}, "field format"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_row_is_refused(name: str, tmp_path: Path) -> None:
    changes, said = WRONG[name]
    path = written(tmp_path / "labels.jsonl", [row(0, "human:ada", "pass"), row(1, "human:ada", "pass") | changes])
    with pytest.raises(InputFault, match="line 2") as error:
        labels.read([path])
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_one_word_a_rater_and_one_rubric(tmp_path: Path) -> None:
    twice = [row(0, "human:ada", "pass"), row(0, "human:ada", "fail")]
    with pytest.raises(InputFault, match=r"line 2: human:ada has labelled t0~0 of r before"):
        labels.read([written(tmp_path / "a.jsonl", twice)])
    other = [row(0, "human:ada", "pass"), row(1, "human:ada", "fail", rubric="0" * 64)]
    with pytest.raises(InputFault, match="2 different rubrics"):
        labels.read([written(tmp_path / "b.jsonl", other)])
    tiers = [row(0, "human:ada", "pass"), row(0, "human:bob", "pass", tier="hard")]
    with pytest.raises(InputFault, match="'easy' and 'hard' for one try"):
        figures.report(labels.read([written(tmp_path / "c.jsonl", tiers)]))


def test_no_file_of_labels(tmp_path: Path) -> None:
    assert webds("agreement")[0] == 2
    code, _, said = webds("agreement", tmp_path / "none.jsonl")
    assert code == 2
    assert "no such file" in said


def test_the_document_names_every_field() -> None:
    text = (Path(__file__).parents[3] / "docs" / "labels.md").read_text()
    named = {
        word.strip() for line in text.splitlines() if line.startswith("| ") for word in line.split("|")[1].split(",")
    }
    assert {field.name for field in dataclasses.fields(labels.Row)} <= named
    assert all(f"`{name}`" in text for name in labels.FAILURES if name)
