"""The values of an answer, and whether a text holds one of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation

from webds_judge.rubric.exhibits import fold

_NUMBER = re.compile(r"(?<![\w.])(?:\d[\d.,'\u2019\u00a0\u202f]*\d|\d)(?![\d])|(?<=\d\s)\d+")
_GROUPS = re.compile(r"[,'\u2019\u00a0\u202f]")
_ITEMS = re.compile(r"[;\n]|,(?!\d)|\band\b")
_NAME = re.compile(r"[^\W\d_][\w'.&-]*(?: [^\W\d_a-z][\w'.&-]*)*")
_LONG = 6
"""Words from which an item is a sentence: only its capitalised words are values."""
_FEW = 3
"""Significant digits from which a value may stand for a longer one that rounds to it."""
_LONGEST = 40


@dataclass(frozen=True, slots=True)
class Value:
    """One number or name of an answer; `number` None for a name."""

    text: str
    number: Decimal | None = None
    percent: bool = False


def values(answer: str) -> tuple[Value, ...]:
    """Numbers of an answer, and its names where an item has no number. Each once, in order."""
    found = [value for item in _ITEMS.split(answer) for value in _of(item.strip(" .:*`\"'()"))]
    return tuple(dict.fromkeys(found))


def _of(item: str) -> Iterator[Value]:
    numbers = list(_NUMBER.finditer(item))
    for match in numbers:
        for number in list(_readings(match[0]))[:1]:
            yield Value(match[0], number, item[match.end() :].lstrip().startswith("%"))
    if numbers or not item:
        return
    words = item.split()
    if len(words) < _LONG:
        yield Value(item)
        return
    names = [match[0] for match in _NAME.finditer(item) if match[0][0].isupper() and match.start()]
    yield from (Value(name) for name in names)


def _readings(text: str) -> Iterator[Decimal]:
    """What a run of digits may mean: grouped with a decimal point, or with a decimal comma."""
    if len(text) > _LONGEST:
        return
    plain = _GROUPS.sub("", text)
    swapped = text.replace(".", "").replace(",", ".") if re.search(r",\d+$", text) else plain
    for candidate in dict.fromkeys((plain, swapped)):
        try:
            yield Decimal(candidate)
        except InvalidOperation:
            yield from (Decimal(part) for part in re.findall(r"\d+", candidate))


def numbers(text: str) -> frozenset[Decimal]:
    """Every number that a text may mean, without sign: what looks grouped may be several cells of a row too."""
    runs = [match[0] for match in _NUMBER.finditer(text)]
    parts = [part.strip(".'") for run in runs if "," in run for part in run.split(",")]
    return frozenset(number for run in (*runs, *parts) if run for number in _readings(run))


def holds(text: str, value: Value, rounding: bool) -> bool:
    """Whether the text has the value; with `rounding` also a longer number that rounds to it."""
    if value.number is None:
        return bool(re.search(rf"(?<!\w){re.escape(fold(value.text).casefold())}(?!\w)", fold(text).casefold()))
    found = numbers(text)
    wanted = [value.number, value.number / 100] if value.percent else [value.number]
    if any(number in found for number in wanted):
        return True
    return rounding and any(_rounds(number, target) for number in found for target in wanted)


def _rounds(number: Decimal, target: Decimal) -> bool:
    exponent = target.as_tuple().exponent
    if not isinstance(exponent, int) or abs(number.adjusted()) > _LONGEST:
        return False
    step = Decimal(1).scaleb(exponent)
    return target in (number.quantize(step, ROUND_HALF_UP), number.quantize(step, ROUND_HALF_EVEN))


def telling(value: Value) -> bool:
    """Whether a value has digits enough to be recognised in a longer one."""
    return value.number is not None and len(value.number.normalize().as_tuple().digits) >= _FEW
