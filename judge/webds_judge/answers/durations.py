"""Durations in text: what measures reads, clocks (1:30:00), ISO 8601 (PT1H30M), half-words (an hour and a half)."""

import re
from decimal import Decimal

from webds_judge.answers import measures
from webds_judge.answers.limits import TOKENS
from webds_judge.answers.measures import MEASURE, Measure
from webds_judge.answers.tokens import Token
from webds_judge.answers.unitnames import Unit

HOUR: Unit = (("hour", 1),)
MINUTE: Unit = (("minute", 1),)
SECOND: Unit = (("second", 1),)
_ISO = re.compile(
    r"(?<!\w)P(?!\s|$|T?\b(?!\d))(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})W)?(?:(\d{1,6})D)?"
    r"(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6}(?:\.\d{1,6})?)S)?)?(?!\w)"
)
_CLOCK = re.compile(
    r"(?<![\d:.])(\d{1,3}):([0-5]\d)(?::([0-5]\d)(\.\d{1,6})?)?(?![\d:])(?P<unit>\s?(?:h\b|hrs?\b|hours?\b|"
    r"min(?:utes)?\b|"
    r"h:mm(?::ss)?\b|hh:mm(?::ss)?\b|mm:ss\b|\(?hh?:mm(?::ss)?\)?))?(?!\s?[ap]\.?m\b)",
    re.IGNORECASE,
)
_PRIMES = re.compile(r"(?<![\w.])(\d{1,3})['′]\s?([0-5]?\d)(?:[\"″]|''|′′)")
"""3'20": minutes and seconds."""
_WORDS = re.compile(
    r"\b(?:(?P<half>half an?|(?<!and a )half|(?<!and )an? half|one half|a quarter of an?|"
    r"three[- ]quarters of an?|quarter of an?)"
    r"[ -](?P<of>hour|minute|day|week|month|year)s?"
    r"|an? (?P<one>hour|minute|second|day|week|month|year)(?P<part> and (?:a half|a quarter|three[- ]quarters))?"
    r"|(?P<count>\d{1,6}|one|two|three|four|five|six|seven|eight|nine|ten) (?P<many>hour|minute|day|week|month|year)s?"
    r"(?P<plus> and (?:a half|a quarter|three[- ]quarters)))(?!\w)",
    re.IGNORECASE,
)
_PARTS = {"three": Decimal("0.75"), "half": Decimal("0.5"), "quarter": Decimal("0.25")}
_COUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def scan(text: str) -> list[Token]:
    """Every duration and bare number in `text` (numeric_form) as a Measure."""
    own = [*_iso(text), *_clocks(text), *_in_words(text)][:TOKENS]
    masked = list(text)
    for token in own:
        masked[token.start : token.end] = "\x00" * (token.end - token.start)
    return sorted([*own, *measures.scan("".join(masked))], key=lambda token: token.start)


def _token(start: int, end: int, value: Decimal, *options: Unit) -> Token:
    return Token(start, end, Measure(value, options), MEASURE)


def _iso(text: str) -> list[Token]:
    out = []
    for found in _ISO.finditer(text):
        amounts = [Decimal(part or 0) for part in found.groups()]
        if any(found.groups()) and not (amounts[0] or amounts[1]):
            minutes = ((amounts[2] * 7 + amounts[3]) * 24 + amounts[4]) * 60 + amounts[5]
            out.append(_token(found.start(), found.end(), minutes * 60 + amounts[6], SECOND))
        elif any(found.groups()) and not any(amounts[2:]):
            out.append(_token(found.start(), found.end(), amounts[0] * 12 + amounts[1], (("month", 1),)))
    return out


def _clocks(text: str) -> list[Token]:
    out = [
        _token(found.start(), found.end(), Decimal(found[1]) * 60 + Decimal(found[2]), SECOND)
        for found in _PRIMES.finditer(text)
    ]
    for found in _CLOCK.finditer(text):
        first, second = Decimal(found[1]), Decimal(found[2])
        unit = (found["unit"] or "").strip(" ()").lower()
        if found[3]:
            value = (first * 60 + second) * 60 + Decimal(found[3]) + Decimal(found[4] or 0)
            out.append(_token(found.start(), found.end(), value, SECOND))
        elif unit.startswith("h"):
            out.append(_token(found.start(), found.end(), first * 60 + second, MINUTE))
        elif unit.startswith("m"):
            out.append(_token(found.start(), found.end(), first * 60 + second, SECOND))
        else:  # 1:30 is an hour and a half, or a minute and a half
            out.append(_token(found.start(), found.end(), first * 60 + second, MINUTE, SECOND))
    return out


def _in_words(text: str) -> list[Token]:
    out = []
    for found in _WORDS.finditer(text):
        parts = {name: value.lower() for name, value in found.groupdict().items() if value}
        name = parts.get("of") or parts.get("one") or parts["many"]
        value = Decimal(1) if "one" in parts else Decimal(0)
        if "count" in parts:
            value = Decimal(_COUNTS.index(parts["count"])) if parts["count"] in _COUNTS else Decimal(parts["count"])
        said = parts.get("half") or parts.get("part") or parts.get("plus") or ""
        value += next((share for word, share in _PARTS.items() if word in said), Decimal(0))
        out.append(_token(found.start(), found.end(), value, ((name, 1),)))
    return out
