"""Near misses, locale variants and permuted columns, made by hypothesis."""

import csv
import io
from decimal import Decimal

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from webds_judge.answers import compare, sample

QUICK = settings(max_examples=60, deadline=None)
DECIMALS = st.decimals(min_value=-10_000_000, max_value=10_000_000, places=3, allow_nan=False)


def _grouped(number: Decimal, group: str, mark: str) -> str:
    return f"{number:,f}".replace(",", "\x00").replace(".", mark).replace("\x00", group)


@QUICK
@given(
    DECIMALS, st.sampled_from([(",", "."), (".", ","), (" ", "."), (" ", ","), ("'", "."), ("\u202f", ","), ("_", ".")])
)
def test_locale_variants_of_a_number_are_the_number(number, marks):
    group, mark = marks
    if mark == "," and abs(number) < 1000:  # 12,345 alone is twelve thousand (rule 3)
        assume(str(number).startswith(("0.", "-0.")))
    assert compare("number", float(number), f"The answer is {_grouped(number, group, mark)}.").passed


@QUICK
@given(DECIMALS, st.integers(1, 5_000), st.booleans())
def test_near_misses_of_a_number_fail(number, off, above):
    miss = number + Decimal(off if above else -off).scaleb(-3)
    shown = Decimal(repr(float(number)))
    assume(round(miss, -int(shown.as_tuple().exponent)) != shown)
    assert not compare("number", float(number), str(miss)).passed


@QUICK
@given(
    DECIMALS,
    st.decimals(min_value="0.001", max_value="50", places=3),
    st.decimals(min_value="0", max_value="2", places=3),
)
def test_a_stated_tolerance_is_inclusive_and_exact(number, tolerance, share):
    offered = number + tolerance * share
    result = compare("number", {"value": float(number), "abs_tol": float(tolerance)}, str(offered))
    assert result.passed is (share <= 1 or abs(offered - number) <= tolerance)


@QUICK
@given(st.integers(-(10**9), 10**9), st.integers(1, 10**6))
def test_integers_are_exact(number, off):
    assert compare("integer", number, f"{number:,}").passed
    assert not compare("integer", number, str(number + off)).passed


@QUICK
@given(st.decimals(min_value="-99", max_value="99", places=1))
def test_percent_as_sign_bare_and_share(number):
    assert compare("percent", f"{number}%", f"{number} percent").passed
    assert compare("percent", f"{number}%", str(number / 100)).passed
    assert number == 0 or not compare("percent", f"{number}%", f"{number / 100}%").passed


ROWS = st.lists(
    st.tuples(st.sampled_from(["North", "South", "East", "West"]), st.integers(0, 99), st.integers(100, 199)),
    min_size=2, max_size=6, unique_by=lambda row: row[0],
)  # fmt: skip


def _csv(columns, rows, delimiter=",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows([columns, *rows])
    return out.getvalue()


@QUICK
@given(ROWS, st.permutations(range(3)), st.sampled_from(",;\t|"), st.randoms(use_true_random=False))
def test_columns_and_rows_may_be_reordered(rows, order, delimiter, random):
    columns = ("region", "low", "high")
    shuffled = random.sample(rows, len(rows))
    text = _csv([columns[i] for i in order], [[row[i] for i in order] for row in shuffled], delimiter)
    assert compare("csv", _csv(columns, rows), text).passed


@QUICK
@given(ROWS, st.integers(1, 2))
def test_one_column_permuted_alone_fails(rows, column):
    values = [row[column] for row in rows]
    turned = values[1:] + values[:1]
    assume(turned != values)
    crossed = [[*row[:column], value, *row[column + 1 :]] for row, value in zip(rows, turned, strict=True)]
    columns = ("region", "low", "high")
    assert not compare("csv", _csv(columns, rows), _csv(columns, crossed)).passed


@QUICK
@given(st.lists(st.integers(0, 50), max_size=8), st.randoms(use_true_random=False))
def test_lists_are_multisets(items, random):
    shuffled = random.sample(items, len(items))
    assert compare("list", items, str(shuffled)).passed
    assert not compare("list", items, str([*shuffled, 7])).passed


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_judged_without_a_fault(text):
    for kind, reference in (
        ("number", 42),
        ("string", "Norvale"),
        ("date", "2021-03-05"),
        ("boolean", True),
        ("list", (1, 2)),
    ):
        assert compare(kind, reference, text).why
        assert compare(kind, reference, sample(kind, reference)).passed
