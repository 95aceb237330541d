"""Dates, months and years in text, in English or another language. Never today's date as a default."""

import re
from datetime import date

from dateutil.parser import isoparse

from webds_judge.answers.limits import TOKENS
from webds_judge.answers.tokens import OTHER, Token

_NAMES = (
    "january jan januar janvier enero gennaio janeiro januari ene janv gen",
    "february feb februar fevrier febrero febbraio fevereiro februari fevr",
    "march mar marz mars marzo marco maart maerz mrz",
    "april apr avril abril aprile avr abr",
    "may mai mayo maggio maio mei mag",
    "june jun juni juin junio giugno junho giu",
    "july jul juli juillet julio luglio julho juil lug",
    "august aug aout agosto augustus ago",
    "september sep sept septembre septiembre settembre setembro set",
    "october oct oktober okt octobre octubre ottobre outubro ott out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez decembre diciembre dicembre dezembro dic",
)
MONTHS = {name: number for number, names in enumerate(_NAMES, start=1) for name in names.split()}
MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")(?![a-z])\.?"
_DAY = r"(?P<d{n}>\d{{1,2}})(?:st|nd|rd|th|er|\.|º|ª)?"
_YEAR = r"(?P<y{n}>\d{{4}}|'\d{{2}}|\d{{2}}(?!\d|:))"
_OF = r"(?:\s*,?\s*|\s*[-/.]\s*|\s+(?:of|de|del|di)\s+)"
_FORMS = re.compile(
    r"(?<![\w/.-])(?:"
    r"(?P<y1>\d{4})(?P<s1>[-/.])(?P<m1>\d{1,2})(?P=s1)(?P<d1>\d{1,2})(?![\d/]|[-.]\d)"
    r"(?P<t1>[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:Z|[+-]\d{2}:?\d{2})?)?"
    rf"|{_DAY.format(n=2)}(?:\s+day)?{_OF}(?P<n2>{MONTH}){_OF}{_YEAR.format(n=2)}"
    rf"|(?P<n3>{MONTH})\s*-?(?:the\s+)?{_DAY.format(n=3)}(?:\s*,\s*|\s+|-|\s+of\s+){_YEAR.format(n=3)}"
    rf"|(?P<y6>\d{{4}})[\s,-]+(?P<n6>{MONTH})[\s,-]+{_DAY.format(n=6)}(?!\d)"
    r"|(?P<a4>\d{1,2})(?P<s4>[-/.])(?P<b4>\d{1,2})(?P=s4)(?P<y4>\d{4}|\d{2})(?![\d/]|[-.]\d)"
    r"|(?P<y5>\d{4})\s?年\s?(?P<m5>\d{1,2})\s?月\s?(?P<d5>\d{1,2})\s?日"
    r"|(?P<c7>(?:1[6-9]|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))(?!\d)"
    r")",
    re.IGNORECASE,
)
_MIDNIGHT = re.compile(r"[T ]00:00(?::00(?:\.0+)?)?\s?(?:Z|[+-]00:?00)?$")
_PIVOT = 70
"""Two-digit years below it are 20xx, others 19xx."""

DATE = "date"
AMBIGUOUS = "two readings"


_ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "twenty-first",
    "twenty-second",
    "twenty-third",
    "twenty-fourth",
    "twenty-fifth",
    "twenty-sixth",
    "twenty-seventh",
    "twenty-eighth",
    "twenty-ninth",
    "thirtieth",
    "thirty-first",
]
_ORDINAL_DAY = re.compile(
    rf"\b({'|'.join(sorted(_ORDINALS, key=len, reverse=True))})(?=(?: day)? of {MONTH})|(?<=[a-z] )"
    rf"({'|'.join(sorted(_ORDINALS, key=len, reverse=True))})(?=,? \d{{4}})",
    re.IGNORECASE,
)
_DAY_STOP = re.compile(rf"(?<=\d)\.\s+(?={MONTH})", re.IGNORECASE)
_MONTH_DASH = re.compile(rf"\b({MONTH})\s+(?:-|\u2014)\s+(?={MONTH})", re.IGNORECASE)
_MONTH_STOP = re.compile(rf"\b({MONTH.removesuffix(chr(92) + '.?')})\.", re.IGNORECASE)


def without_stops(text: str) -> str:
    """Without the stops that belong to a date (`5. Maerz`, `Jul. '22`) and end no sentence; ordinal words as digits."""
    text = _ORDINAL_DAY.sub(lambda found: str(_ORDINALS.index((found[1] or found[2]).lower()) + 1), text)
    return _MONTH_DASH.sub(r"\1-", _MONTH_STOP.sub(r"\1", _DAY_STOP.sub(" ", text)))


def scan_dates(text: str) -> list[Token]:
    """Every full date in `text` (numeric_form, accents dropped). Two readings of one form: kind AMBIGUOUS."""
    out: list[Token] = []
    for found in _FORMS.finditer(text):
        if len(out) >= TOKENS:
            break
        parts = {key: value for key, value in found.groupdict().items() if value is not None}
        out.append(_token(found, parts))
    return out


def _token(found: re.Match[str], parts: dict[str, str]) -> Token:
    if "a4" in parts:
        values = {_day(parts["y4"], m, d) for m, d in ((parts["a4"], parts["b4"]), (parts["b4"], parts["a4"]))} - {None}
        kind = DATE if len(values) == 1 else AMBIGUOUS if values else OTHER
        return Token(found.start(), found.end(), next(iter(values), None), kind)
    if "t1" in parts and not _MIDNIGHT.fullmatch(parts["t1"]):
        return Token(found.start(), found.end(), None, OTHER)
    if "c7" in parts:
        value = _day(parts["c7"][:4], parts["c7"][4:6], parts["c7"][6:])
    else:
        year, month, day = (next((parts[k] for k in parts if k[0] in letters), "") for letters in ("y", "mn", "d"))
        value = _day(year, month, day)
    return Token(found.start(), found.end(), value, DATE if value else OTHER)


def _day(year: str, month: str, day: str) -> date | None:
    number = month_number(month)
    try:
        return isoparse(f"{full_year(year):04d}-{number:02d}-{int(day):02d}").date()
    except ValueError:
        return None


def month_number(text: str) -> int:
    """1 to 12 for a month's name or number; 0 for anything else."""
    return MONTHS.get(text.lower().strip(". "), 0) or (int(text) if text.isdigit() else 0)


def full_year(text: str) -> int:
    """A year of four digits, or of two with their century."""
    year = int(text.lstrip("'"))
    if len(text.lstrip("'")) > 2:
        return year
    return year + (2000 if year < _PIVOT else 1900)


_MONTH_FORMS = re.compile(
    r"(?<![\w/.-])(?:(?P<y1>\d{4})[-/](?P<m1>\d{1,2})(?![\d/-])|(?P<m2>0?[1-9]|1[0-2])[/-](?P<y2>\d{4})(?![\d/])"
    rf"|(?P<n3>{MONTH})(?:{_OF}(?P<y3>\d{{4}}|'\d{{2}}|\d{{2}}(?!\d|:|st|nd|rd|th)))?(?!\w)"
    rf"|(?P<y4>\d{{4}})\s+(?P<n4>{MONTH})(?!\w)|(?P<y5>\d{{4}})\s?年\s?(?P<m5>\d{{1,2}})\s?月)",
    re.IGNORECASE,
)


def scan_months(text: str, dates: list[Token] | None = None) -> list[Token]:
    """Every month in `text` as (year or 0, month). A full date (in `dates`, if known) is a token of kind OTHER."""
    full = [(t.start, t.end) for t in (scan_dates(text) if dates is None else dates)]
    out: list[Token] = []
    for found in _MONTH_FORMS.finditer(text):
        parts = {key[0]: value for key, value in found.groupdict().items() if value is not None}
        number = MONTHS.get(parts["n"].lower().strip(". "), 0) if "n" in parts else int(parts["m"])
        year = full_year(parts["y"]) if "y" in parts else 0
        inside = any(a <= found.start() < b for a, b in full[:TOKENS])
        if 1 <= number <= 12 and not (parts.get("n") == "may" and not year):  # `it may be July`
            out.append(Token(found.start(), found.end(), (year, number), OTHER if inside else "month"))
        if len(out) >= TOKENS:
            break
    return out
