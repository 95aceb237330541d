"""Units after a number: read by their spelling, converted by pint. A spelling may stand for several (ton, degree).

The agent's text never reaches pint: only the names of `unitnames` do.
"""

import re
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import cache, lru_cache
from importlib import import_module
from itertools import product
from typing import Any

from webds_judge.answers.unitnames import PHRASES, SYMBOLS, WORDS, Unit

_PHRASE = "|".join(re.escape(p) for p in sorted(PHRASES, key=len, reverse=True))
_FACTOR = re.compile(
    r"(?P<before>(?i:square|sq\.?|cubic|cu\.?)\s?)?"
    rf"(?:(?P<phrase>(?i:{_PHRASE})(?![A-Za-z]))|(?P<name>°\s?[CFK](?![A-Za-z])|watt-hours?|[A-Za-zµΩ]{{1,16}}|"
    rf"°|'{{1,2}}|\"|′{{1,2}}))"
    r"(?P<power>\^?[({]?[-−]?[123][)}]?(?![\d.,]\d|\d)|\s(?:squared|cubed)\b)?",
)
_PER = re.compile(r"\s?/\s?(?!\d)|\s?\bper\s(?:an?\s)?|(?<=[A-Za-z])\s?\bp\.\s?", re.IGNORECASE)
_TIMES = re.compile(r"\s?[·*×⋅]\s?|-(?=[a-z])")
_DIGITS = Context(prec=18, rounding=ROUND_HALF_EVEN)
"""Conversion factors are irrational in decimals: 18 digits are kept, so that 1.1 * (1/1.1) is one again."""
MOST_FACTORS = 4
FUNCTION_WORDS = frozenset(
    [
        "in",
        "is",
        "are",
        "was",
        "were",
        "on",
        "at",
        "as",
        "and",
        "or",
        "but",
        "of",
        "for",
        "from",
        "to",
        "by",
        "with",
        "per",
        "according",
        "based",
        "total",
        "overall",
        "altogether",
        "which",
        "that",
        "because",
        "since",
        "after",
        "before",
        "exactly",
        "approximately",
        "the",
        "a",
        "an",
        "if",
        "when",
        "not",
        "so",
        "then",
        "i",
        "it",
        "each",
        "while",
        "where",
        "than",
        "hence",
        "thus",
        "given",
        "between",
        "through",
        "during",
        "has",
        "have",
        "had",
        "would",
        "should",
        "could",
        "can",
        "will",
        "am",
        "be",
        "been",
    ]
)


def match(text: str, start: int) -> tuple[tuple[Unit, ...], int] | None:
    """(what the unit at text[start:] may be, its end), or None. White space before it is skipped."""
    at = start + (text[start : start + 1] == "-" or text[start : start + 1].isspace())
    if at > start and text[start] == "-" and text[at : at + 1].isdigit():
        return None
    factors: list[tuple[Unit, ...]] = []
    side, end = 1, start
    for _ in range(MOST_FACTORS):
        found = _factor(text, at)
        if found is None:  # `per 100 km`: no unit that is known
            return None
        options, end = found
        factors.append(tuple(tuple((name, power * side) for name, power in unit) for unit in options))
        joint = _PER.match(text, end) or _TIMES.match(text, end)
        if joint is None:
            break
        side = -1 if side < 0 or _PER.match(text, end) else 1
        at = joint.end()
    return tuple(_merged(parts) for parts in product(*factors)), end


def _factor(text: str, at: int) -> tuple[tuple[Unit, ...], int] | None:
    found = _FACTOR.match(text, at)
    if found is None:
        return None
    options = _named(found, text)
    if options is None:
        return None
    power = _power(found["before"], found["power"])
    return tuple(tuple((name, p * power) for name, p in unit) for unit in options), found.end()


def _named(found: re.Match[str], text: str) -> tuple[Unit, ...] | None:
    if found["phrase"]:
        return (PHRASES[found["phrase"].lower()],)
    name = found["name"].replace(" ", "")
    if name.lower() in FUNCTION_WORDS and not (name == "in" and re.match(r"\s*(?:$|[.,;)]|\d)", text[found.end() :])):
        return None
    return SYMBOLS.get(name) or WORDS.get(name.lower()) or _any_case(name)


@cache
def _lower_symbols() -> dict[str, tuple[Unit, ...]]:
    return {symbol.lower(): units for symbol, units in SYMBOLS.items() if len(symbol) > 1 and symbol[0] not in "mM"}


def _any_case(name: str) -> tuple[Unit, ...] | None:
    """KM, Kg, KWH, MPH: symbols whose case says nothing else; mW and MW do, so they have to be exact."""
    exact = {"mph": "mph", "mi": "mi", "min": "min", "mins": "mins", "mm": "mm", "ml": "ml", "mpg": "mpg"}.get(
        name.lower()
    )
    return SYMBOLS[exact] if exact else _lower_symbols().get(name.lower())


def _power(before: str | None, after: str | None) -> int:
    power = 1
    if before:
        power = 2 if before.lower().startswith("sq") else 3
    if after:
        word = after.strip().lower()
        power *= {"squared": 2, "cubed": 3}.get(word, 0) or int(re.sub(r"[^\d-]", "", word.replace("−", "-")))
    return power


def _merged(parts: tuple[Unit, ...]) -> Unit:
    powers: dict[str, int] = {}
    for name, power in (factor for part in parts for factor in part):
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted((name, power) for name, power in powers.items() if power))


@cache
def _registry() -> Any:
    """pint's registry. It takes half a second, so that only answers with two different units pay for it."""
    return import_module("pint").UnitRegistry(non_int_type=Decimal, autoconvert_offset_to_baseunit=True)


@lru_cache(maxsize=1024)
def _linear(unit: Unit) -> tuple[str, Decimal, Decimal] | None:
    """(dimension, factor, offset) to base units; None for a product with a temperature scale and the like."""
    registry = _registry()
    pint = import_module("pint")
    try:
        made = registry.Unit(registry.UnitsContainer({name: Decimal(power) for name, power in unit}))
        zero = registry.Quantity(Decimal(0), made).to_base_units()
        hundred = registry.Quantity(Decimal(100), made).to_base_units()
    except (pint.PintError, ArithmeticError):
        return None
    offset = Decimal(zero.magnitude)
    return str(zero.dimensionality), (Decimal(hundred.magnitude) - offset) / 100, offset


def converted(value: Decimal, unit: Unit, to: Unit) -> Decimal | None:
    """`value` of `unit` in the unit `to`, or None where they measure different things."""
    if unit == to:
        return value
    ours, theirs = _linear(unit), _linear(to)
    if ours is None or theirs is None or ours[0] != theirs[0]:
        return None
    return _DIGITS.divide(value * ours[1] + ours[2] - theirs[2], theirs[1])


def dimension(unit: Unit) -> str:
    """The dimension in pint's words, such as [length]; empty where there is none."""
    found = _linear(unit)
    return found[0] if found else ""


def shown(unit: Unit) -> str:
    """A unit as text for a verdict."""
    return "·".join(name if power == 1 else f"{name}^{power}" for name, power in unit)
