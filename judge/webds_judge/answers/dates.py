"""Types `date`, `month` and `year`: rule 7. Every part that the reference has must be there."""

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from unidecode import unidecode

from webds.errors import InputFault
from webds.types import Json
from webds_judge.answers import remarks
from webds_judge.answers.assertion import choose
from webds_judge.answers.calendar import AMBIGUOUS, MONTH, MONTHS, full_year, scan_dates, scan_months, without_stops
from webds_judge.answers.limits import CLAUSE_TOKENS
from webds_judge.answers.numerals import PLAIN, numeric_form, scan
from webds_judge.answers.payload import scalar_text
from webds_judge.answers.references import alternatives, is_whole
from webds_judge.answers.result import Compared, compared
from webds_judge.answers.tokens import FILE_END, OTHER, RANGE, Token

YEAR = "year"
_PARTLY = re.compile(
    r"\b(?:week|month|day|days|weeks|months) (?:of|before|after|beginning|ending|starting)\s(?:on\s)?$|"
    r"\beve of (?:the )?$",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"[\w-]{{0,30}}{FILE_END}|\s?(?:BCE?\b|B\.C)", re.IGNORECASE)
"""Behind a date: a file's ending, or another era."""
_SPAN_END = re.compile(
    rf"(?:\d{{1,2}}|{MONTH}\s?\d{{0,2}})(?:st|nd|rd|th)?\s?(?:-|/|to|through|until|till|or|and)\s?(?:the\s)?$",
    re.IGNORECASE,
)
"""`July 16 to` before a date: its span has begun without a year."""


def compare(reference: Json, candidate: str) -> Compared:
    """Type `date`: year, month and day."""
    wanted = [_iso(option) for option in alternatives(reference)]
    return decided(wanted, candidate, _dates)


def sample(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    return _iso(alternatives(reference)[0]).isoformat()


def compare_month(reference: Json, candidate: str) -> Compared:
    """Type `month`: `2022-07` needs the year, `July` only the month."""
    wanted = [_month(option) for option in alternatives(reference)]
    needs_year = any(year for year, _ in wanted)

    def months(text: str) -> list[Token]:
        found = _spans(text, scan_months(text))
        return found if needs_year else [Token(t.start, t.end, (0, t.value[1]), t.kind) for t in found]

    return decided(wanted, candidate, months)


def sample_month(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    year, month = _month(alternatives(reference)[0])
    name = next(name for name, number in MONTHS.items() if number == month)
    return f"{year}-{month:02d}" if year else name


def compare_year(reference: Json, candidate: str) -> Compared:
    """Type `year`: a calendar year."""
    return decided([_year(option) for option in alternatives(reference)], candidate, _years)


def sample_year(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    return str(_year(alternatives(reference)[0]))


def decided(wanted: Sequence[object], candidate: str, scanner: Callable[[str], list[Token]]) -> Compared:
    """The asserted value that `scanner` finds in the answer (plain letters, ASCII digits), against those wanted."""
    named = " or ".join(map(str, wanted))
    text, problem = scalar_text(candidate)
    if problem:
        return compared(False, problem, None, named)
    plain = "".join(unidecode(c) if "\xbf" < c < "\u0250" else c for c in numeric_form(text))
    choice = choose(remarks.without(without_stops(plain)), scanner, lambda token: token.value)
    if choice.token is None:
        return compared(False, choice.why, None, named)
    if choice.token.kind == AMBIGUOUS:
        return compared(False, "the date has two readings", "two readings", named)
    agrees = choice.token.value in wanted
    return compared(agrees, f"{choice.token.value} is {'' if agrees else 'not '}{named}", choice.token.value, named)


def _dates(text: str) -> list[Token]:
    found = scan_dates(text)
    partly = [
        _PARTLY.search(text[max(0, t.start - 30) : t.start]) or _NAMED.match(text[t.end : t.end + 40]) for t in found
    ]
    return _spans(text, [replace(t, kind=OTHER) if p else t for t, p in zip(found, partly, strict=True)])


def _spans(text: str, tokens: list[Token]) -> list[Token]:
    """Two neighbours joined by a dash or `to` are a span, no single answer."""
    kinds = [RANGE if _SPAN_END.search(text[max(0, t.start - 40) : t.start]) else t.kind for t in tokens]
    for i, (left, right) in enumerate(itertools.pairwise(tokens)):
        if re.fullmatch(r"\s*(?:-|to|until|through|till|~)\s*", text[left.end : right.start]):
            kinds[i] = kinds[i + 1] = RANGE
    return [Token(t.start, t.end, t.value, kind) for t, kind in zip(tokens, kinds, strict=True)]


def _in_full(text: str, token: Token) -> Token:
    """'98 as 1998."""
    written = text[token.start : token.end]
    if re.search(r"(?<!\w)'$", text[: token.start][-3:]) and re.fullmatch(r"\d\d", written):
        return replace(token, value=Decimal(full_year(written)))
    return token


def _years(text: str) -> list[Token]:
    """Whole numbers that can be a year; with a month or a quarter beside them they are more than a year."""
    numbers = scan(text)
    dates = scan_dates(text) if len(numbers) <= CLAUSE_TOKENS else []  # more are an enumeration, whatever they are
    months = scan_months(text, dates) if len(numbers) <= CLAUSE_TOKENS else []
    dated = [(t.start, t.end) for t in (*dates, *(t for t in months if t.value[0]))][:100]
    out = []
    for token in (_in_full(text, token) for token in numbers):
        is_year = token.value is not None and is_whole(token.value) and 1000 <= token.value <= 2999
        grouped = re.search(r"[,'_%]|\d ", text[token.start : token.end])
        partial = any(a <= token.start < b for a, b in dated) or re.search(
            r"(?:\b[QH]\d|quarter|half|FY|fiscal(?: year)?)(?: of)? ?'?$",
            text[max(0, token.start - 30) : token.start],
            re.IGNORECASE,
        )
        partial = partial or re.match(r"\s?(?:BC|B\.C)", text[token.end : token.end + 6])
        usable = is_year and not grouped and not partial
        kind = (YEAR if token.kind == PLAIN else token.kind) if usable else OTHER
        out.append(Token(token.start, token.end, int(token.value) if usable else None, kind, token.restates))
    return out


def _iso(option: Json) -> date:
    found = list(scan_dates(option)) if isinstance(option, str) else []
    if len(found) != 1 or not isinstance(found[0].value, date) or found[0].kind == AMBIGUOUS:
        raise InputFault(f"reference: {option!r:.80} is not one date; write it as YYYY-MM-DD")
    return found[0].value


def _month(option: Json) -> tuple[int, int]:
    found = scan_months(option) if isinstance(option, str) else []
    if isinstance(option, str) and option.strip().lower() == "may":
        return (0, 5)
    if len(found) != 1 or found[0].kind == OTHER:
        raise InputFault(f"reference: {option!r:.80} is not a month; write it as YYYY-MM or by its name")
    year, month = found[0].value
    return (int(year), int(month))


def _year(option: Json) -> int:
    if isinstance(option, bool) or not isinstance(option, int | str) or not re.fullmatch(r"\d{1,4}", str(option)):
        raise InputFault(f"reference: {option!r:.80} is not a year")
    return int(option)
