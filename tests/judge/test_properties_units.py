"""Amounts, quantities, spans and moments in their allowed forms, near misses, and what is said around any answer."""

from datetime import date, time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from webds_judge.answers import compare, sample

QUICK = settings(max_examples=40, deadline=None)
CENTS = st.integers(1, 10**9)


def _passes(kind: str, reference: Any, candidate: str) -> bool:
    return compare(kind, reference, candidate).passed


@QUICK
@given(CENTS, st.sampled_from(["${}", "{} USD", "USD {}", "US${}", "{} dollars", "{} US dollars", "${} USD", "{}"]))
def test_an_amount_in_any_spelling_of_its_currency(cents, form):
    amount = Decimal(cents).scaleb(-2)
    reference = f"${amount:,.2f}"
    assert _passes("currency", reference, form.format(f"{amount:,.2f}"))
    assert _passes("currency", reference, f"-${amount:,.2f}") is False
    assert _passes("currency", reference, form.format(f"{amount + Decimal('0.01'):,.2f}")) is False
    assert _passes("currency", reference, f"{cents} cents")


@QUICK
@given(CENTS, st.sampled_from(["€{}", "{} euros", "£{}", "{} yen", "CHF {}", "{} GBP", "{} rupees", "₩{}"]))
def test_no_other_currency_ever_agrees(cents, form):
    amount = Decimal(cents).scaleb(-2)
    assert not _passes("currency", f"${amount:.2f}", form.format(f"{amount:.2f}"))


FACTORS = st.sampled_from([("m", "1000"), ("cm", "100000"), ("metres", "1000"), ("mm", "1e6"), ("kilometers", "1")])


@QUICK
@given(st.integers(1, 10**6), FACTORS)
def test_a_length_in_another_unit(tenths, unit):
    name, factor = unit
    value = Decimal(tenths) / 10
    reference = f"{value:.1f} km"
    assert _passes("quantity", reference, f"{value * Decimal(factor):f} {name}")
    assert not _passes("quantity", reference, f"{(value + Decimal('0.06')) * Decimal(factor):f} {name}")
    assert not _passes("quantity", reference, f"{value} kg")


@QUICK
@given(st.integers(60, 100_000))
def test_a_duration_in_all_its_forms(minutes):
    hours, rest = divmod(minutes, 60)
    reference = f"{minutes} minutes"
    forms = (f"{hours} h {rest} min", f"{hours}h{rest:02d}m", f"{hours} hours and {rest} minutes", f"{minutes * 60} s")
    assert all(_passes("duration", reference, form) for form in (*forms, f"{minutes} min", str(minutes)))
    assert hours > 999 or _passes("duration", reference, f"{hours}:{rest:02d}:00")
    assert not _passes("duration", reference, f"{minutes + 1} minutes")
    assert not _passes("duration", reference, f"{minutes} hours")


@QUICK
@given(st.integers(0, 10_000), st.integers(1, 10_000), st.sampled_from(["{}-{}", "{} to {}", "between {} and {}"]))
def test_a_range_needs_both_ends(low, width, form):
    high = low + width
    assume(not 1 <= low <= 31 or high > 31)
    reference = f"{low}-{high}"
    assert _passes("range", reference, form.format(low, high))
    assert not _passes("range", reference, form.format(low, high + 1))
    assert not _passes("range", reference, form.format(low + 1, high + 1))
    assert not _passes("range", reference, str(low))
    assert not _passes("integer", low, form.format(low, high))


DATES = st.dates(date(1700, 1, 1), date(2099, 12, 31))


@QUICK
@given(DATES, st.sampled_from(["%d %B %Y", "%B %d, %Y", "%Y-%m-%d", "%Y/%m/%d", "%d %b %Y", "%A, %B %d, %Y"]), DATES)
def test_a_date_in_any_form_that_has_one_reading(day, form, other):
    assume(day != other)
    assert _passes("date", day.isoformat(), day.strftime(form))
    assert not _passes("date", other.isoformat(), day.strftime(form))
    assert not _passes("date", day.isoformat(), day.strftime("%B %Y"))


@QUICK
@given(st.times())
def test_a_time_on_both_clocks(moment):
    moment = time(moment.hour, moment.minute)
    reference = moment.strftime("%H:%M")
    half = "p.m." if moment.hour >= 12 else "a.m."
    assert _passes("time", reference, f"{(moment.hour - 1) % 12 + 1}:{moment.minute:02d} {half}")
    other = "AM" if moment.hour >= 12 else "PM"
    assert not _passes("time", reference, f"{(moment.hour - 1) % 12 + 1}:{moment.minute:02d} {other}")


@QUICK
@given(st.integers(1990, 2060), st.integers(1, 4), st.integers(1, 4))
def test_a_quarter_and_no_other(year, number, other):
    forms = (f"Q{number} {year}", f"{number}Q{year % 100:02d}", f"{year} Q{number}", f"quarter {number} of {year}")
    for form in forms:
        assert _passes("quarter", f"{year}-Q{number}", form)
        assert _passes("quarter", f"{year}-Q{other}", form) is (number == other)
    assert not _passes("quarter", f"{year}-Q{number}", f"Q{number}")


@QUICK
@given(st.integers(1, 999))
def test_a_place_as_digits_with_any_mark(place):
    assert all(_passes("ordinal", f"{place}th", form) for form in (f"rank {place}", f"#{place}", f"No. {place}"))
    assert not _passes("ordinal", f"{place}th", f"{place + 10}th")
    assert not _passes("ordinal", f"{place}th", f"top {place}")


REFERENCES: dict[str, tuple[Any, str]] = {
    "currency": ("$1,250.00", "$1,251.00"), "quantity": ("5 km", "7 km"), "duration": ("90 minutes", "80 minutes"),
    "date": ("2021-03-05", "2021-03-06"), "time": ("14:30", "15:30"), "quarter": ("2023-Q2", "2023-Q3"),
    "fiscal_year": ("FY2023", "FY2024"), "ordinal": ("3rd", "4th"), "number": (42, "43"), "integer": (42, "43"),
    "percent": ("12.5%", "13.5%"), "year": (1998, "1999"), "month": ("2022-07", "2022-08"), "string": ("Oslo", "Rome"),
    "name": ("Amara Okonkwo", "Kim Min-jun"),
}  # fmt: skip
ALLOWED = (
    "The answer is {}.", "Answer: {}", "**{}**", "I think it is {}.", "It is {}.", "<b>{}</b>", "`{}`", "{}.",
    "```\n{}\n```", '{{"answer": "{}"}}', "Probably {}", "Final answer: {}", "\u200b{}\ufeff", "## {}", " {} \n",
)  # fmt: skip
REFUSED = (
    "{} or {other}", "It is not {}.", "<!-- {} -->", "<span hidden>{}</span>", "~~{}~~", "either {} or {other}",
    "{other}", "The answer is {other}, not {}.", "I cannot tell whether it is {}.", '{{"value": "{}"}}',
    "[{other}](https://site.test/{})", '["{}", "{other}"]', "{}; {other}", "{} is wrong; it is {other}.",
)  # fmt: skip


@pytest.mark.parametrize("kind", REFERENCES)
def test_what_may_and_may_not_stand_around_an_answer(kind):
    reference, other = REFERENCES[kind]
    right = sample(kind, reference)
    assert [form for form in ALLOWED if not _passes(kind, reference, form.format(right))] == []
    assert [form for form in REFUSED if _passes(kind, reference, form.format(right, other=other))] == []
