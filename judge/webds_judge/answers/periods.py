"""Types `quarter` and `fiscal_year`: 2023-Q2, 2Q23, April to June 2023; FY2023, FY2022-23. Every part must be there."""

import re

from webds.errors import InputFault
from webds.types import Json
from webds_judge.answers import calendar
from webds_judge.answers.dates import decided
from webds_judge.answers.numerals import numeric_form
from webds_judge.answers.references import alternatives
from webds_judge.answers.result import Compared
from webds_judge.answers.tokens import OTHER, RANGE, Token

QUARTER, FISCAL = "quarter", "fiscal year"
_FY = r"(?:FY|F\.Y\.|(?:fiscal|financial)(?:[ -]year)?|fiscal yr\.?)"
_YEAR = r"(?:'?\d{2}|\d{4})(?!\d)"
_YEARS = [rf"(?P<y{n}>{_YEAR})(?:\s?[-/]\s?(?P<z{n}>\d{{4}}|\d{{2}})(?!\d))?" for n in range(5)]
_NTH = r"first|second|third|fourth|last|1st|2nd|3rd|4th|I{1,3}|IV|one|two|three|four|[1-4]"
_JOIN = r"(?:\s?\(Q[1-4]\))?(?:\s*(?:,|of|in|-|/|\||for)?\s*(?:the\s)?(?:year\s|calendar year\s|CY\s?)?)"
_QUARTERS = re.compile(
    r"(?<![\w/])(?:"
    rf"(?:Q|T|quarter |qtr\.? |Q-|Q )(?P<q1>[1-4]|IV|I{{1,3}}|one|two|three|four){_JOIN}(?P<f1>{_FY}\s?)?'?{_YEARS[1]}"
    rf"|(?P<q2>{_NTH})[ -]?(?:quarter|qtr\.?|Q|trimest(?:re|er)|quartal){_JOIN}(?P<f2>{_FY}\s?)?'?{_YEARS[2]}"
    rf"|(?P<f3>{_FY}\s?)?'?{_YEARS[3]}(?:\s?[-/,:.]?\s?)(?:Q\s?|quarter |qtr\.? )(?P<q3>[1-4]|IV|I{{1,3}})"
    rf"|(?P<f4>{_FY}\s?)?'?{_YEARS[4]}(?:\s?[-/,]?\s?)(?:the\s)?(?P<q4>{_NTH})[ -]?(?:quarter|Q)"
    r")(?!\w)",
    re.IGNORECASE,
)
_LONE_QUARTER = re.compile(rf"\b(?:Q[1-4]|[1-4]Q|(?:{_NTH})[ -]quarter)\b", re.IGNORECASE)
_NUMBERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_NUMBERS |= {"i": 1, "ii": 2, "iii": 3, "iv": 4, "one": 1, "two": 2, "three": 3, "four": 4}
_M = calendar.MONTH
_MONTHS = re.compile(
    rf"(?<!\w)(?P<a>{_M})(?:\s+(?P<y0>\d{{4}}))?\s*(?:-|to|through|thru|until|/|and)\s*(?:(?P<mid>{_M})\s*(?:-|"
    rf"/|,|and)\s*)?"
    rf"(?:the end of )?(?P<b>{_M})[,\s]*(?:of\s)?(?P<y>\d{{4}}|'\d{{2}})(?!\d)"
    rf"|(?<!\w)(?P<a2>{_M}),? (?P<mid2>{_M}),? (?:and )?(?P<b2>{_M})[,\s]*(?:of\s)?(?P<y2>\d{{4}})(?!\d)"
    r"|(?P<y3>\d{4})-(?P<a3>\d{2})-01\s?(?:-|/|to|through|until)\s?(?P<y4>\d{4})-(?P<b3>\d{2})-(?P<d3>3[01])(?!\d)",
    re.IGNORECASE,
)
_FISCAL = re.compile(
    rf"(?<![\w/])(?:(?P<f1>{_FY})[\s-]?(?:ended |ending |of )?(?:in )?'?{_YEARS[1]}"
    rf"|{_YEARS[2]}\s(?P<f2>FY|(?:fiscal|financial)(?:[ -]year)?))(?!\w|[-/,]\d)",
    re.IGNORECASE,
)
_PART_OF = re.compile(
    r"(?:\b(?:Q[1-4]|[1-4]Q|H[12]|[12]H|quarter|half|month|week)(?:\s+of)?(?:\s+the)?\s*|"
    r"\b(?:part|start|end|beginning) of )$",
    re.IGNORECASE,
)
_PART_AFTER = re.compile(
    r"^\s?[-,/]?\s?(?:Q[1-4]|[1-4]Q|H[12]\b|(?:first|second|third|fourth|1st|2nd|3rd|4th) (?:quarter|half))",
    re.IGNORECASE,
)


def compare_quarter(reference: Json, candidate: str) -> Compared:
    """Type `quarter`: year and quarter, a fiscal one only for a fiscal one."""
    return decided([_quarter(option) for option in alternatives(reference)], candidate, scan_quarters)


def sample_quarter(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    is_fiscal, year, number = _quarter(alternatives(reference)[0])
    return f"Q{number} {'FY' if is_fiscal else ''}{year}"


def compare_fiscal_year(reference: Json, candidate: str) -> Compared:
    """Type `fiscal_year`: by one year or by two, as the reference names it."""
    return decided([_fiscal(option) for option in alternatives(reference)], candidate, scan_fiscal_years)


def sample_fiscal_year(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    first, second = _fiscal(alternatives(reference)[0])
    return f"FY{first}-{second}" if second else f"FY{first}"


def scan_quarters(text: str) -> list[Token]:
    """Every quarter in `text` as (is fiscal, year, number); one without its year is of kind OTHER."""
    out = []
    for found in _QUARTERS.finditer(text):
        parts = {key[0]: value for key, value in found.groupdict().items() if value}
        number = _NUMBERS.get(parts["q"].lower(), 0) or int(parts["q"])
        value = ("f" in parts or "z" in parts, _years(parts), number)
        out.append(Token(found.start(), found.end(), value, QUARTER if value[1] else OTHER))
    out += [token for found in _MONTHS.finditer(text) for token in _of_months(found)]
    covered = [(token.start, token.end) for token in out]
    for found in _LONE_QUARTER.finditer(text):
        if not any(a <= found.start() < b for a, b in covered[:100]):
            out.append(Token(found.start(), found.end(), None, OTHER))
    return _spans(text, sorted(out, key=lambda token: token.start))


def _of_months(found: re.Match[str]) -> list[Token]:
    parts = {key: value for key, value in found.groupdict().items() if value}
    if "a3" in parts:
        first, last, year = int(parts["a3"]), int(parts["b3"]), parts["y3"]
        whole = parts["y3"] == parts["y4"] and parts["d3"] == ("31" if last in (3, 12) else "30")
    else:
        first, last = (calendar.month_number(parts.get(name) or parts[f"{name}2"]) for name in ("a", "b"))
        year = parts.get("y") or parts["y2"]
        mid = parts.get("mid") or parts.get("mid2")
        whole = parts.get("y0", year) == year and (mid is None or calendar.month_number(mid) == first + 1)
    if not whole or first % 3 != 1 or last != first + 2:
        return [Token(found.start(), found.end(), None, OTHER)]
    return [Token(found.start(), found.end(), (False, calendar.full_year(year), (first + 2) // 3), QUARTER)]


def scan_fiscal_years(text: str) -> list[Token]:
    """Every fiscal year in `text` as (year, second year or 0); a quarter or half of one is of kind OTHER."""
    out = []
    for found in _FISCAL.finditer(text):
        parts = {key[0]: value for key, value in found.groupdict().items() if value}
        is_part = _PART_OF.search(text[max(0, found.start() - 30) : found.start()]) or _PART_AFTER.match(
            text[found.end() :][:30]
        )
        first = calendar.full_year(parts["y"])
        second = _second(first, parts["z"]) if "z" in parts else 0
        out.append(Token(found.start(), found.end(), (first, second), OTHER if is_part or second < 0 else FISCAL))
    return _spans(text, out)


def _second(first: int, text: str) -> int:
    """The year after `first` as it is written, or -1 where it is another."""
    return first + 1 if int(text) in (first + 1, (first + 1) % 100) else -1


def _years(parts: dict[str, str]) -> int | tuple[int, int]:
    first = calendar.full_year(parts["y"])
    return (first, _second(first, parts["z"])) if "z" in parts else first


def _spans(text: str, tokens: list[Token]) -> list[Token]:
    kinds = [token.kind for token in tokens]
    for i in range(len(tokens) - 1):
        if re.fullmatch(r"\s*(?:-|to|through|until|/)\s*", text[tokens[i].end : tokens[i + 1].start]):
            kinds[i] = kinds[i + 1] = RANGE
    return [Token(t.start, t.end, t.value, kind) for t, kind in zip(tokens, kinds, strict=True)]


def _quarter(option: Json) -> tuple[bool, int | tuple[int, int], int]:
    found = scan_quarters(numeric_form(option)) if isinstance(option, str) else []
    if len(found) != 1 or found[0].kind != QUARTER:
        raise InputFault(f"reference: {option!r:.80} is not a quarter with its year; write it as YYYY-Qn")
    is_fiscal, year, number = found[0].value
    return is_fiscal, year, number


def _fiscal(option: Json) -> tuple[int, int]:
    text = numeric_form(str(option).strip())
    if re.fullmatch(r"\d{4}(?:[-/]\d{2,4})?", text):
        text = f"FY{text}"
    found = scan_fiscal_years(text)
    if isinstance(option, bool) or len(found) != 1 or found[0].kind != FISCAL:
        raise InputFault(f"reference: {option!r:.80} is not a fiscal year; write it as FY2023 or FY2022-23")
    first, second = found[0].value
    return first, second
