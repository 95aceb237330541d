"""Numbers with their units in text: 5 km, 5 ft 11 in, 1 h 30 min, 2.5 million tonnes."""

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from webds_judge.answers import numerals, units
from webds_judge.answers.tokens import EXPRESSION, OTHER, RANGE, Tail, Token
from webds_judge.answers.unitnames import Unit

MEASURE = "measure"
_SCALE_BEFORE_UNIT = re.compile(r"\s?(k|K|M|m|bn|B|mm)\s(?=[A-Za-z])")
_SCALES = {"k": 3, "m": 6, "mm": 6, "bn": 9, "b": 9}
_NOUN = re.compile(r"[\s-]?([^\W\d_][\w'-]{0,30})")
_BETWEEN = re.compile(r"\s?,?\s?(?:and\s)?")


@dataclass(frozen=True, slots=True)
class Measure:
    """`value` of one of `units` (a spelling may stand for several); none where no unit is written.

    `noun`: what stands in a unit's place but is none that is known: 5 laps.
    """

    value: Decimal
    units: tuple[Unit, ...] = ()
    noun: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (f"{self.value:f}", self.noun or " or ".join(map(units.shown, self.units)))))

    def within(self, unit: Unit | None) -> list[Decimal]:
        """The values that it may have in `unit`. Where either side names no unit, the question has fixed it."""
        if unit is None or not (self.units or self.noun):
            return [self.value]
        found = [units.converted(self.value, option, unit) for option in self.units]
        return [value for value in found if value is not None]


def scan(text: str) -> list[Token]:
    """Every number in `text` (numeric_form) as a Measure."""
    masked, tokens = numerals.unjoined(text, Tail.UNIT)
    found: list[Token] = []
    for token in tokens:
        if not found or token.start >= found[-1].end:  # the 2 of km2 belongs to its unit
            found.append(_measured(masked, token))
    return _joined(masked, list(_compounds(masked, found)))


def _measured(text: str, token: Token) -> Token:
    if token.value is None or token.kind != numerals.PLAIN:
        return Token(token.start, token.end, None, OTHER)
    value: Decimal = token.value
    at = token.end
    scale = _SCALE_BEFORE_UNIT.match(text, at)
    if scale and units.match(text, scale.end() - 1):
        value, at = value.scaleb(_SCALES[scale[1].lower()]), scale.end() - 1
    found = units.match(text, at)
    if found:
        return Token(token.start, found[1], Measure(value, found[0]), MEASURE, token.restates)
    noun = _NOUN.match(text, at)
    if noun and noun[1].lower() not in units.FUNCTION_WORDS:
        return Token(token.start, noun.end(), Measure(value, noun=noun[1].lower()), MEASURE, token.restates)
    return Token(token.start, at, Measure(value), MEASURE, token.restates)


def _compounds(text: str, tokens: list[Token]) -> Iterable[Token]:
    """Neighbours such as 5 ft 11 in as one measure, in the last one's unit: it shows the digits."""
    held: Token | None = None
    for token in tokens:
        if held is not None and (sum_ := _sum(text, held, token)) is not None:
            held = Token(held.start, token.end, sum_, MEASURE)
            continue
        if held is not None:
            yield held
        held = token
    if held is not None:
        yield held


def _sum(text: str, left: Token, right: Token) -> Measure | None:
    if not (isinstance(left.value, Measure) and isinstance(right.value, Measure) and left.value.units):
        return None
    if not _BETWEEN.fullmatch(text[left.end : right.start]) or right.value.value < 0 or right.value.noun:
        return None
    pairs = itertools.product(left.value.units, right.value.units or _next_smaller(left.value.units))
    for big, small in pairs:
        step = units.converted(Decimal(1), big, small)
        if step is not None and right.value.value < step and step > 1:
            sign = -1 if left.value.value < 0 else 1
            return Measure(left.value.value * step + sign * right.value.value, (small,))
    return None


def _next_smaller(found: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """1 h 30: minutes; 5 ft 11: inches."""
    below = {"hour": "minute", "minute": "second", "foot": "inch"}
    return tuple(((below[name], 1),) for unit in found for name, power in unit if power == 1 and name in below)


def _joined(text: str, tokens: list[Token]) -> list[Token]:
    """Spans and arithmetic between neighbours marked, as in numerals."""
    kinds = [t.kind for t in tokens]
    for i, (left, right) in enumerate(itertools.pairwise(tokens)):
        kind = "" if OTHER in (left.kind, right.kind) else numerals.relation(text, left, right)
        if kind in (RANGE, EXPRESSION):
            kinds[i] = kinds[i + 1] = kind
    return [Token(t.start, t.end, t.value, k, t.restates) for t, k in zip(tokens, kinds, strict=True)]
