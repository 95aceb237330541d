"""`webds tasks`: stats, review and constants on a small tree; a real pointer on a site of the checkout."""

import json

import pytest

from tests.conftest import ROOT
from tests.judge.test_validate import found
from tests.judge.test_validate import tree as tree
from webds import config
from webds.cli import main
from webds.cli.hovering import hovering
from webds.errors import InputFault

MAP = "https://contagion-ledger.test/maps/polio"


def said(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[object, str, str]:
    """(exit code, stdout, stderr)."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    out = capsys.readouterr()
    return ended.value.code, out.out, out.err


def test_stats_count_labels_types_and_reviews(tree, capsys):
    assert found(tree) == []
    code, out, _ = said(["tasks", "stats", "--root", str(tree), "--json"], capsys)
    assert code == 0
    counts = json.loads(out)
    assert counts["tasks"] == {"all": 1}
    assert counts["difficulty (seed)"] == {"easy": 1}
    assert counts["answer type"] == {"number": 1}
    assert counts["evidence (pieces)"] == {"cell": 1, "text": 1}
    assert counts["label tools"] == {"false": 1}


def test_review_appends_with_the_judges_word(tree, capsys):
    assert found(tree) == []
    words = [
        "tasks",
        "review",
        "one",
        "--root",
        str(tree),
        "--reviewer",
        "A",
        "--closed-book",
        "wrong",
        "--minutes",
        "9",
    ]
    code, out, _ = said([*words, "--answer", "2.6", "--path", "home"], capsys)
    assert code == 0
    assert out.splitlines() == ["tasks_public/toy/reviews.toml: one, revision 1: differs", "amount: 2.6 is not 2.5"]
    assert said([*words, "--answer", "2.5", "--path", "home"], capsys)[1].endswith("agrees\n")
    code, _, err = said([*words, "--answer", "2.5", "--path", ""], capsys)
    assert (code, err) == (2, "webds: review: field path: empty\n")
    counts = json.loads(said(["tasks", "stats", "--root", str(tree), "--json"], capsys)[1])
    assert counts["reviews"] == {"agree": 1, "differ": 1}


def test_what_a_pointer_brings_up():
    settings = config.resolve(None, ())
    settings["chromium"] = config.find_chromium(settings["chromium"])
    with hovering(ROOT, settings) as hover:
        assert "Massachusetts, 1955: 3,547 cases reported, 36 of 52 weeks" in hover(MAP, 841, 333)
        assert "Massachusetts, 1955" not in hover(MAP, 790, 183)
        assert "cases reported" not in hover(MAP, 3, 3)
        with pytest.raises(InputFault, match="outside of the window"):
            hover(MAP, 1279, 720)
