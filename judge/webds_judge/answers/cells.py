"""One value against one value, where the place is known: list items and table cells (rules 1, 2, 9, 15)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache

from webds.errors import InputFault
from webds.types import Json
from webds_judge.answers.calendar import AMBIGUOUS, scan_dates
from webds_judge.answers.names import same_string
from webds_judge.answers.numerals import PERCENT, numeric_form, scan
from webds_judge.answers.references import exact, rounds_to

LARGEST_SHARE = 10
"""A bare number from here on is percent points only: 12.5 is never read as 1250 %."""
MISSING = {"", "null", "none", "nan", "na", "n/a", "#n/a", "nil", "missing", "-", "--", "–", "—", "...", "..", "."}
_NUMBER_LIKE = re.compile(r"[+-]?(?:\d{1,400}(?:\.\d{1,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,3})?")
_PADDED = re.compile(r"0\d+")
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Slack:
    """A stated tolerance for numbers: absolute, relative, or neither."""

    absolute: Decimal | None = None
    relative: Decimal | None = None

    def accepts(self, number: Decimal, reference: Decimal) -> bool:
        """Rule 2 where a tolerance is stated, else rule 1."""
        if self.absolute is not None:
            return abs(number - reference) <= self.absolute
        if self.relative is not None:
            return abs(number - reference) <= self.relative * abs(reference)
        return rounds_to(number, reference)


EXACT = Slack()


def is_missing(text: str) -> bool:
    """Whether a cell says that there is no value; zero is a value."""
    return text.strip().lower() in MISSING


@lru_cache(maxsize=65_536)
def number_in(text: str) -> tuple[Decimal, bool] | None:
    """(value, has a percent sign) where the whole of `text` is one number, else None."""
    text = text.strip()
    if _PADDED.fullmatch(text):
        return None
    if _NUMBER_LIKE.fullmatch(text):
        return Decimal(text), False
    if not text or len(text) > 600:
        return None
    plain = numeric_form(text)
    found = scan(plain)
    if len(found) != 1 or found[0].kind not in ("plain", PERCENT) or plain[: found[0].start].strip("($€£¥ "):
        return None
    return None if plain[found[0].end :].strip(")$€£¥ ") else (found[0].value, found[0].kind == PERCENT)


@lru_cache(maxsize=65_536)
def date_in(text: str) -> date | None:
    """The date where the whole of `text` is one, else None."""
    found = scan_dates(numeric_form(text.strip())) if 6 <= len(text) <= 60 else []
    if len(found) != 1 or found[0].kind == AMBIGUOUS or found[0].end - found[0].start != len(text.strip()):
        return None
    value = found[0].value
    return value if isinstance(value, date) else None


def reference_text(value: Json) -> str:
    """A reference cell as text; a number keeps the digits that it shows."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(exact(value))
    if isinstance(value, str):
        return value
    raise InputFault(f"reference: {value!r:.80} is not a single value")


def same_cell(candidate: str, reference: str, slack: Slack = EXACT) -> bool:
    """Whether a candidate's cell or item has the reference's value."""
    if is_missing(reference) or is_missing(candidate):
        return is_missing(reference) and is_missing(candidate)
    number = number_in(reference)
    if number is not None:
        return _same_number(candidate, number, slack)
    if _ISO.fullmatch(reference.strip()):
        return date_in(candidate) == date_in(reference) is not None
    if _PADDED.fullmatch(reference.strip()) or reference.strip()[:1] in "=@":
        return candidate.strip() == reference.strip()
    return same_string(candidate, reference)


def _same_number(candidate: str, reference: tuple[Decimal, bool], slack: Slack) -> bool:
    padded = _PADDED.fullmatch(candidate.strip())
    number = number_in(candidate.strip().lstrip("0") or "0") if padded else number_in(candidate)
    if number is None:
        return False
    value, percent = number
    wanted, wanted_percent = reference
    if percent and not wanted_percent:
        value = value.scaleb(-2)
    if wanted_percent and not percent and abs(value) < LARGEST_SHARE and slack.accepts(value.scaleb(2), wanted):
        return True  # rule 4: the same share as a fraction
    return slack.accepts(value, wanted)


def same_item(candidate: str, reference: Json) -> bool:
    """A list item against its reference, which may be any_of."""
    if isinstance(reference, Mapping):
        options = reference.get("any_of")
        if set(reference) != {"any_of"} or not isinstance(options, list | tuple) or not options:
            raise InputFault("reference: a list item is a plain value or any_of with a list")
        return any(same_cell(candidate, reference_text(option)) for option in options)
    if isinstance(reference, str) and number_in(reference) is None:
        return same_cell(candidate, reference)
    text = candidate
    wanted = reference_text(reference)
    if number_in(text) is None and number_in(wanted) is not None:
        plain = numeric_form(text)
        found = [t for t in scan(plain) if t.value is not None]
        if len(found) == 1 and re.fullmatch(r"\s?[^\W\d]{1,20}(?:\s[^\W\d]{1,20})?", plain[found[0].end :]):
            text = plain[: found[0].end]  # a counted noun after the number: 12 rows
    return same_cell(text, wanted)
