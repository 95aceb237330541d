"""The value types by name. A further type is one more module and one more line here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from webds.errors import InputFault
from webds.types import Json
from webds_judge.answers import (
    boolean,
    currency,
    dates,
    integer,
    listing,
    number,
    ordinals,
    percent,
    periods,
    quantity,
    ranges,
    table,
    text,
    times,
    unachievable,
)
from webds_judge.answers.limits import ANSWER_CHARS
from webds_judge.answers.result import Compared, compared


@dataclass(frozen=True, slots=True)
class ValueType:
    """`compare(reference, candidate)`, and `sample(reference)`: a candidate that it must accept."""

    compare: Callable[[Json, str], Compared]
    sample: Callable[[Json], str]


TYPES: Mapping[str, ValueType] = {
    "boolean": ValueType(boolean.compare, boolean.sample),
    "csv": ValueType(table.compare, table.sample),
    "currency": ValueType(currency.compare, currency.sample),
    "date": ValueType(dates.compare, dates.sample),
    "duration": ValueType(quantity.compare_duration, quantity.sample_duration),
    "fiscal_year": ValueType(periods.compare_fiscal_year, periods.sample_fiscal_year),
    "integer": ValueType(integer.compare, integer.sample),
    "list": ValueType(listing.compare, listing.sample),
    "month": ValueType(dates.compare_month, dates.sample_month),
    "name": ValueType(text.compare_name, text.sample),
    "number": ValueType(number.compare, number.sample),
    "ordered_list": ValueType(listing.compare_ordered, listing.sample),
    "ordinal": ValueType(ordinals.compare, ordinals.sample),
    "percent": ValueType(percent.compare, percent.sample),
    "quantity": ValueType(quantity.compare, quantity.sample),
    "quarter": ValueType(periods.compare_quarter, periods.sample_quarter),
    "range": ValueType(ranges.compare, ranges.sample),
    "string": ValueType(text.compare, text.sample),
    "table": ValueType(table.compare, table.sample),
    "time": ValueType(times.compare, times.sample),
    "unachievable": ValueType(unachievable.compare, unachievable.sample),
    "year": ValueType(dates.compare_year, dates.sample_year),
}


def known() -> tuple[str, ...]:
    """The names of the value types."""
    return tuple(sorted(TYPES))


def _type(name: str) -> ValueType:
    if name not in TYPES:
        raise InputFault(f"no answer type {name!r:.80}; known: {', '.join(known())}")
    return TYPES[name]


def compare(type: str, reference: Json, candidate: str) -> Compared:  # noqa: A002 - the key file's own word
    """Whether `candidate` (an agent's whole text) asserts the reference. InputFault: type or reference is wrong."""
    kind = _type(type)
    if len(candidate) > ANSWER_CHARS:
        kind.sample(reference)  # a wrong reference is reported even then
        why = f"the answer has {len(candidate)} characters, more than the {ANSWER_CHARS} that are read"
        return compared(False, why, None, reference)
    return kind.compare(reference, candidate)


def sample(type: str, reference: Json) -> str:  # noqa: A002 - the key file's own word
    """A candidate that `compare` must accept for this reference. InputFault where the reference is malformed."""
    return _type(type).sample(reference)
