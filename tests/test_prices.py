"""Costs by hand: cached and written tokens once, reasoning not twice, unknown never zero."""

from pathlib import Path

import pytest

from webds.errors import InputFault
from webds.prices import Usage, dollars, read_prices, read_usage, total

TABLE = """
version = "2026-11-30"
source = "made for this test"
[models."m"]
input = 2.0
cached_input = 0.2
cache_write = 2.5
output = 10.0
[models."no-cache"]
input = 1.0
output = 4.0
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "prices.toml"
    file.write_text(TABLE)
    return file


@pytest.mark.parametrize(
    ("model", "tokens", "cost"),
    [
        # (1000 * 2 + 5000 * 0.2 + 400 * 2.5 + 300 * 10) / 1e6; the 200 reasoning tokens are in the output.
        ("m", {"input": 1000, "cached_input": 5000, "cache_write": 400, "output": 300, "reasoning": 200}, 0.007),
        ("no-cache", {"input": 1000, "output": 250}, 0.002),
        ("no-cache", {"input": 1000, "cached_input": 1, "output": 250}, None),
        ("another", {"input": 1000}, None),
        ("m", {}, None),
    ],
)
def test_cost_by_hand(table: Path, model: str, tokens: dict[str, float], cost: float | None) -> None:
    found = read_prices(table).cost(model, tokens)
    assert found == (None if cost is None else pytest.approx(cost))


def test_a_broken_table_names_file_and_field(table: Path) -> None:
    table.write_text(TABLE.replace("input = 2.0", 'input = "two"'))
    with pytest.raises(InputFault, match=r"prices.toml: field models.m.input: "):
        read_prices(table)


def test_sum_with_an_unknown_price_is_unknown() -> None:
    known = read_usage({"input": 100, "output": 10, "calls": 2, "dollars": 0.5})
    unknown = read_usage({"input": 30, "cached_input": 7, "output": 5, "reasoning": 4})
    both = total([known, unknown])
    assert (known.cost, unknown.cost, both.cost, Usage().cost) == (0.5, None, None, None)
    assert both.plain() == {
        "input": 130, "cached_input": 7, "cache_write": 0, "output": 15, "reasoning": 4, "calls": 3, "dollars": None,
    }  # fmt: skip
    assert both.text == (
        "3 calls, 130 and 7 cached tokens in, 15 out, "
        "cost unknown (1 of 3 calls without a price, $0.5000 for the others)"
    )
    assert Usage().text == "no model call recorded"


@pytest.mark.parametrize(
    "record", [None, 3, [], {"input": -4, "output": "x", "calls": True}, {"input": 2**60, "calls": 1.5}]
)
def test_malformed_usage_counts_as_nothing(record: object) -> None:
    assert read_usage(record).calls == 0


@pytest.mark.parametrize("paid", [float("nan"), -1, "1", True])
def test_malformed_dollars_are_unknown(paid: object) -> None:
    assert read_usage({"calls": 1, "dollars": paid}).cost is None


def test_free_of_charge_is_known() -> None:
    assert read_usage({"calls": 1, "dollars": 0}).cost == 0.0


@pytest.mark.parametrize(
    ("amount", "text"), [(0.0, "$0.0000"), (0.00001, "<$0.0001"), (0.0042, "$0.0042"), (1234.5, "$1,234.50")]
)
def test_dollars(amount: float, text: str) -> None:
    assert dollars(amount) == text
