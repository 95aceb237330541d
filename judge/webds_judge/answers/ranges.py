"""Type `range`: both ends of a span. 10-15, 10 to 15, between 10 and 15, at least 10 and at most 15, [10, 15]."""

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from webds.errors import InputFault
from webds.types import Json
from webds_judge.answers import money, numerals, units
from webds_judge.answers.assertion import choose
from webds_judge.answers.money import Codes
from webds_judge.answers.numerals import PERCENT, PLAIN, numeric_form
from webds_judge.answers.payload import NOTHING, scalar_text, unwrap
from webds_judge.answers.references import alternatives, rounds_to
from webds_judge.answers.result import Compared, compared
from webds_judge.answers.tokens import EXPRESSION, OTHER, Tail, Token
from webds_judge.answers.unitnames import Unit

SPAN = "span"
_TO = re.compile(
    r"\s?(?:-{1,2}|~|—|\.{2,3}|…|,\s?\.\.\.,)\s?|\s(?:up )?(?:to|through|thru|until|till)\s"
    r"(?:(?:about|around|roughly)\s)?",
    re.IGNORECASE,
)
_AND = re.compile(r"\s?(?:and|to|-|&)\s?(?:about )?", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s(?:about |around )?$", re.IGNORECASE)
_BRACKET = re.compile(r"\s?[,;]\s?")
_LOW = re.compile(
    r"(?:\bat least|\bno (?:less|lower|fewer) than|\bfrom|\bmin(?:imum)?\.?(?: of| is|:| =|=)?|"
    r"\blow(?:er)?(?: end| bound| limit)?(?: of| is|:|=)?|>=|≥|=>)\s?$",
    re.IGNORECASE,
)
_HIGH = re.compile(
    r"\s?(?:,|;|and|but|,\s?and|to)?\s?(?:at most|no (?:more|higher|greater) than|up to|"
    r"max(?:imum)?\.?(?: of| is|:| =|=)?|"
    r"(?:high(?:er)?|upper)(?: end| bound| limit)?(?: of| is|:|=)?|<=|≤|=<)\s?",
    re.IGNORECASE,
)
_INEQUALITY = re.compile(r"\s?(?:<=|≤)\s?[A-Za-z]{1,10}\s?(?:<=|≤)\s?")
_PLUS_MINUS = re.compile(r"\s?(?:±|\+/-|\+-|plus or minus)\s?")
_ENDS = (("min", "max"), ("low", "high"), ("from", "to"), ("lower", "upper"), ("start", "end"), ("minimum", "maximum"))


@dataclass(frozen=True, slots=True)
class End:
    """One end: its value and what it is of, where that is written."""

    value: Decimal
    percent: bool = False
    codes: Codes = frozenset()
    units: tuple[Unit, ...] = ()
    scale: int = 0


@dataclass(frozen=True, slots=True)
class Span:
    """Both ends; what is written at one of them only holds for both."""

    low: End
    high: End

    def __str__(self) -> str:
        sign = "%" if self.high.percent else ""
        return f"{self.low.value:f} to {self.high.value:f}{sign}"


def compare(reference: Json, candidate: str) -> Compared:
    """Whether the asserted span has the reference's ends."""
    wanted = [_wanted(option) for option in _options(reference)]
    named = " or ".join(map(str, wanted))
    text, problem = _text(candidate)
    if problem:
        return compared(False, problem, None, named)

    def same(token: Token) -> object:
        return "right" if any(_agrees(token.value, span) for span in wanted) else token.value

    choice = choose(numeric_form(text), scan, same)
    if choice.token is None:
        return compared(False, choice.why, None, named)
    agrees = same(choice.token) == "right"
    return compared(agrees, f"{choice.token.value} is {'' if agrees else 'not '}{named}", choice.token.value, named)


def sample(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    return str(_wanted(_options(reference)[0]))


def _options(reference: Json) -> tuple[Json, ...]:
    is_pair = isinstance(reference, Mapping) and set(reference) == {"min", "max"}
    return (reference,) if is_pair or isinstance(reference, list | tuple) else alternatives(reference)


def _wanted(option: Json) -> Span:
    if isinstance(option, Mapping) and set(option) == {"min", "max"}:
        option = (option["min"], option["max"])
    if isinstance(option, list | tuple) and len(option) == 2:
        option = f"{option[0]} to {option[1]}"
    found = scan(numeric_form(option.strip())) if isinstance(option, str) else []
    if len(found) != 1 or not isinstance(found[0].value, Span):
        raise InputFault(f"reference: {option!r:.80} is not one range such as 10-15")
    span: Span = found[0].value
    return span


def _text(candidate: str) -> tuple[str, str]:
    """The answer's text; a JSON pair, or an object with two ends, counts as its span."""
    value = unwrap(candidate).value
    if isinstance(value, Mapping):
        names = {str(key).casefold(): item for key, item in value.items()}
        value = next(([names[a], names[b]] for a, b in _ENDS if set(names) == {a, b}), NOTHING)
    if isinstance(value, list) and len(value) == 2 and all(isinstance(v, int | Decimal | str) for v in value):
        return f"{value[0]} to {value[1]}", ""
    return scalar_text(candidate)


def scan(text: str) -> list[Token]:
    """Every span in `text` (numeric_form); a lone number is of kind OTHER."""
    tokens = numerals.unjoined(text, Tail.UNIT)[1]
    ends: list[Token] = []
    for token in tokens:
        if not ends or token.start >= ends[-1].end:
            ends.append(_end(text, token))
    out: list[Token] = []
    at = 0
    while at < len(ends):
        joined = _joined(text, ends[at], ends[at + 1]) if at + 1 < len(ends) else None
        out.append(joined or Token(ends[at].start, ends[at].end, None, OTHER))
        at += 2 if joined else 1
    return out


def _end(text: str, token: Token) -> Token:
    """One number as an End, with the currency, unit or percent sign beside it."""
    if token.value is None or token.kind not in (PLAIN, PERCENT, EXPRESSION):
        return Token(token.start, token.end, None, OTHER)
    scaled, at, scale = token.value, token.end, 0
    scale_word = re.match(r"\s?(k|m|b|bn|mn)(?![A-Za-z])", text[at : at + 4], re.IGNORECASE)
    unit = units.match(text, at) if token.kind == PLAIN else None
    if scale_word and not (unit and scale_word[1] == "m"):
        scale = {"k": 3, "m": 6, "mn": 6, "b": 9, "bn": 9}[scale_word[1].lower()]
        scaled, at, unit = token.value.scaleb(scale), at + scale_word.end(), None
    elif words := re.search(
        r"(thousand|million|billion|trillion|lakh|crore)s?$", text[token.start : at], re.IGNORECASE
    ):
        scale = {"thousand": 3, "lakh": 5, "million": 6, "crore": 7, "billion": 9, "trillion": 12}[words[1].lower()]
    before = money_before(text, token)
    after = _MONEY_AFTER.match(text, at)
    codes = frozenset[str]()
    for found in (before, after):
        if found:
            own = money.read(found)[0]
            codes = (codes & own or own) if codes else own
    unit = None if after else unit
    end = after.end() if after else unit[1] if unit else at
    value = End(scaled, token.kind == PERCENT, codes, unit[0] if unit else (), scale)
    return Token(token.start, end, value, token.kind)


_MONEY_AFTER = re.compile(rf"\s?{money.NAME}")
_MONEY_BEFORE = re.compile(rf"(?<![A-Za-z]){money.NAME}\s?$")


def money_before(text: str, token: Token) -> re.Match[str] | None:
    """The currency's name in front of the numeral, or None."""
    first = next((i for i in range(token.start, token.end) if text[i].isdigit()), token.start)
    return _MONEY_BEFORE.search(text[max(0, first - 12) : first])


def _joined(text: str, left: Token, right: Token) -> Token | None:
    if not isinstance(left.value, End) or not isinstance(right.value, End):
        return None
    between = text[left.end : right.start]
    before = text[max(0, left.start - 24) : left.start]
    low, high = left.value, right.value
    start = left.start
    if re.fullmatch(r"-", between + text[right.start : right.start + 1]) and text[right.start] == "-":
        high = End(-high.value, high.percent, high.codes, high.units, high.scale)
    elif _PLUS_MINUS.fullmatch(between):
        low, high = (
            End(low.value - high.value, high.percent, high.codes, high.units),
            End(low.value + high.value, high.percent, high.codes, high.units),
        )
    elif not _is_joint(text, before, between, right):
        return None
    start -= len(found[0]) if (found := _LOW.search(before) or _BETWEEN.search(before)) else 0
    return Token(start, right.end, _shared(low, high), SPAN)


def _is_joint(text: str, before: str, between: str, right: Token) -> bool:
    if _TO.fullmatch(between) or _INEQUALITY.fullmatch(between):
        return True
    if _BETWEEN.search(before) and _AND.fullmatch(between):
        return True
    if _LOW.search(before) and _HIGH.fullmatch(between):
        return True
    return (
        before.rstrip().endswith("[")
        and bool(_BRACKET.fullmatch(between))
        and text[right.end :].lstrip().startswith("]")
    )


def _shared(low: End, high: End) -> Span:
    """5 to 7 million, $10-15, 10-15 %: what the second end says holds for the first, and a currency both ways."""
    codes = low.codes & high.codes if low.codes and high.codes else low.codes or high.codes
    percent = high.percent or (low.percent and not high.percent)
    value = (
        low.value.scaleb(high.scale)
        if high.scale and not low.scale and low.value < high.value.scaleb(-high.scale)
        else low.value
    )
    found = high.units or low.units
    return Span(End(value, percent, codes, found, high.scale), End(high.value, percent, codes, found, high.scale))


def _agrees(span: object, wanted: Span) -> bool:
    if not isinstance(span, Span):
        return False
    pairs = list(itertools.chain(((span.low, wanted.low), (span.high, wanted.high))))
    return all(_same_end(ours, theirs) for ours, theirs in pairs)


def _same_end(ours: End, theirs: End) -> bool:
    if ours.codes and theirs.codes and not ours.codes & theirs.codes:
        return False
    if theirs.percent and not ours.percent:
        return not (ours.units or ours.codes) and (
            rounds_to(ours.value, theirs.value)
            or (abs(ours.value) <= 1 and rounds_to(ours.value.scaleb(2), theirs.value))
        )
    if ours.percent and not theirs.percent:
        return rounds_to(ours.value.scaleb(-2), theirs.value)
    if not ours.units or not theirs.units:
        return rounds_to(ours.value, theirs.value)
    found = [units.converted(ours.value, a, b) for a, b in itertools.product(ours.units, theirs.units)]
    return any(value is not None and rounds_to(value, theirs.value) for value in found)
