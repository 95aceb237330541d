"""Type `number`: rules 1 to 4 and 6. A percent sign is believed; a bare number is never rescaled."""

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from webds.types import Json
from webds_judge.answers.asides import without_asides
from webds_judge.answers.assertion import choose
from webds_judge.answers.numerals import PERCENT, PLAIN, SHARE, numeric_form, scan
from webds_judge.answers.payload import scalar_text
from webds_judge.answers.references import Target, is_whole, targets
from webds_judge.answers.result import Compared, compared
from webds_judge.answers.tokens import Token

_RATIO = re.compile(r"^(?:\W|(?:about|roughly|approximately|it is|the answer is|answer)\b)*$", re.IGNORECASE)
_RATIO_JOIN = re.compile(r"\s(?:in|of|out of)\s(?:every\s)?", re.IGNORECASE)


def compare(reference: Json, candidate: str) -> Compared:
    """Whether the asserted number is the reference's."""
    wanted = targets(reference)
    number, why = asserted(candidate, shares=_is_share(wanted))
    return judged(wanted, None if number is None else value_of(number), why)


def sample(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference (used by the validator)."""
    return sample_of(targets(reference)[0])


def sample_of(target: Target) -> str:
    """A number that `target` accepts, in plain digits."""
    number = next(n for n in (target.value, target.low, target.high) if n is not None)
    return f"{number:f}"


def _is_share(wanted: tuple[Target, ...]) -> bool:
    return all(t.value is not None and 0 < abs(t.value) < 1 for t in wanted)


def asserted(candidate: str, shares: bool = False) -> tuple[Token | None, str]:
    """The asserted numeral, or None and why. `shares`: `3 in 8` is read as the share that it names."""
    text, problem = scalar_text(candidate)
    if problem:
        return None, problem
    plain = numeric_form(text)
    if shares and (share := _ratio(plain)) is not None:
        return share, ""
    choice = choose(without_asides(plain), scan, _same)
    token = choice.token
    if token is not None and token.kind == PLAIN and not is_whole(token.value) and _is_fraction(choice.text, token):
        token = replace(token, kind=SHARE)
    return token, choice.why


def _is_fraction(text: str, token: Token) -> bool:
    """Whether the numeral is written as parts of a whole: 1/8, one eighth, half; not 0.125 or `zero point one`."""
    written = text[token.start : token.end]
    return "/" in written or not (re.search(r"[\d.]", written) or "point" in written.lower())


def _same(token: Token) -> object:
    """Repeated mentions agree where their values do: 12.5% and 0.125 are one answer."""
    return value_of(token) if token.value is not None else None


def _ratio(text: str) -> Token | None:
    tokens = list(_usable(scan(text)))
    if len(tokens) != 2 or not _RATIO_JOIN.fullmatch(text[tokens[0].end : tokens[1].start]):
        return None
    over, under = tokens[0].value, tokens[1].value
    if not _RATIO.match(text[: tokens[0].start]) or not 0 <= over <= under or not 0 < under <= 1000:
        return None
    return Token(tokens[0].start, tokens[1].end, Decimal(over) / Decimal(under), SHARE)


def _usable(tokens: list[Token]) -> Iterator[Token]:
    return (token for token in tokens if token.value is not None)


def value_of(token: Token) -> Decimal:
    """The number that a numeral stands for; a percentage is its share."""
    value: Decimal = token.value
    return value.scaleb(-2) if token.kind == PERCENT else value


def judged(wanted: tuple[Target, ...], number: Decimal | None, why: str) -> Compared:
    """The comparison of a number that was found (or not) with the accepted ones."""
    reference = " or ".join(map(str, wanted))
    if number is None:
        return compared(False, why, None, reference)
    if any(target.accepts(number) for target in wanted):
        return compared(True, f"{_short(number)} agrees with {reference}", number, reference)
    return compared(False, f"{_short(number)} is not {reference}", number, reference)


def _short(number: Decimal) -> str:
    text = str(number)
    return text if len(text) <= 60 else f"{text[:60]}..."
