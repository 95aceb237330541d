"""A value found in text, with where it stands. Scanners produce these; answers.assertion chooses among them."""

import re
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Tail(Enum):
    """What may stand behind a numeral and say what it measures."""

    NUMBER = "a counted noun or a unit that does not matter"
    UNIT = "a unit"
    MONEY = "a currency"


@dataclass(frozen=True, slots=True)
class Token:
    """`value` at text[start:end]. `kind`: a scanner's own word; UNUSABLE kinds never are an answer."""

    start: int
    end: int
    value: Any
    kind: str
    restates: bool = False
    """A loose reading (the pronoun `one`) that gives way to any other token."""


RANGE = "range"
EXPRESSION = "expression"
OTHER = "other"
"""An identifier, ordinal, version or other use of digits that is no value of the type."""

MOMENTS = frozenset({"date", "month", "year", "time", "quarter", "fiscal year"})
"""Kinds of values in time, where `before`, `after` and `by` make a bound."""

FILE_END = (
    r"\.(?:csv|tsv|xlsx?|json|jsonl|log|txt|pdf|html?|md|png|jpe?g|svg|zip|gz|parquet|docx?|xml|py|sql|db)(?!\w|\.\d)"
)
"""Digits before it are a file's name."""

_MONEY = r"(?:US|AU|CA|NZ|HK|A|C|S|R)?\$|[€£¥₹₽₩₺₪₫₴฿¢]|\b(?:USD|EUR|GBP|JPY|CNY|INR|CHF|CAD|AUD|SEK|NOK|DKK|Rs\.?)"
MONEY_BEFORE = re.compile(rf"(?:{_MONEY})\s?$", re.IGNORECASE)
MONEY_AFTER = re.compile(
    rf"\s?(?:{_MONEY}|(?:dollars?|euros?|pounds?|yen|rupees?|francs?|kroner|kronor)\b)", re.IGNORECASE
)
