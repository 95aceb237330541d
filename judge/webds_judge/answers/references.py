"""Numeric references as a key writes them: a plain value, any_of, value with a tolerance, min and max."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext

from webds.errors import InputFault
from webds.types import Json
from webds_judge.answers.limits import DIGITS, EXPONENT
from webds_judge.answers.numerals import PERCENT, numeric_form, scan

_FIELDS = ("value", "abs_tol", "rel_tol", "min", "max", "any_of")


@dataclass(frozen=True, slots=True)
class Target:
    """One accepted number. `value` keeps the digits that the reference shows; limits are inclusive."""

    value: Decimal | None = None
    low: Decimal | None = None
    high: Decimal | None = None
    percent: bool = False

    def __str__(self) -> str:
        sign = "%" if self.percent else ""
        if self.low is None and self.high is None:
            return f"{self.value}{sign}"
        return f"{self.value}{sign} within {self.low}..{self.high}" if self.value is not None else self._limits()

    def _limits(self) -> str:
        return f"{'' if self.low is None else self.low}..{'' if self.high is None else self.high}"

    def accepts(self, number: Decimal) -> bool:
        """Rule 2 where limits are stated, else rule 1: `number` rounded to the reference's digits equals it."""
        if self.low is not None or self.high is not None:
            return (self.low is None or number >= self.low) and (self.high is None or number <= self.high)
        assert self.value is not None
        return rounds_to(number, self.value)


def is_whole(number: Decimal) -> bool:
    """Whether there is nothing after the decimal mark; for any size, where `% 1` is out of range."""
    return number == number.to_integral_value()


def rounds_to(number: Decimal, reference: Decimal) -> bool:
    """Whether `number`, rounded half up to the digits that `reference` shows, equals it."""
    with localcontext() as context:
        context.prec = 2 * (DIGITS + EXPONENT)
        try:
            step = Decimal((0, (1,), min(int(reference.as_tuple().exponent), 0 if reference == 0 else EXPONENT)))
            return number.quantize(step, rounding=ROUND_HALF_UP) == reference
        except InvalidOperation:
            return False


def targets(reference: Json, percent: bool = False) -> tuple[Target, ...]:
    """The accepted numbers of a numeric reference. InputFault: what is wrong with it."""
    if not isinstance(reference, Mapping):
        return (_plain(reference, percent),)
    unknown = set(reference) - set(_FIELDS)
    if unknown:
        raise InputFault(f"reference: unknown field {min(unknown)}; known: {', '.join(_FIELDS)}")
    if "any_of" in reference:
        return tuple(_plain(item, percent) for item in alternatives(reference))
    if "value" in reference:
        return (_with_tolerance(reference, percent),)
    low, high = (_limit(reference, name) for name in ("min", "max"))
    if low is None and high is None:
        raise InputFault("reference: needs value, any_of, or min and max")
    if low is not None and high is not None and low > high:
        raise InputFault("reference: field min: larger than max")
    return (Target(low=low, high=high, percent=percent),)


def alternatives(reference: Json) -> tuple[Json, ...]:
    """The accepted values: of any_of, or the one plain value. InputFault where any_of is empty or no list."""
    if not isinstance(reference, Mapping):
        return (reference,)
    options = reference.get("any_of")
    if set(reference) != {"any_of"} or not isinstance(options, list | tuple) or not options:
        raise InputFault("reference: needs a plain value, or any_of with a list of at least one")
    return tuple(options)


def exact(value: Json, where: str = "reference") -> Decimal:
    """A JSON number as Decimal with the digits that it shows. InputFault for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise InputFault(f"{where}: {value!r:.80} is not a number")
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _limit(reference: Mapping[str, Json], name: str) -> Decimal | None:
    return None if reference.get(name) is None else exact(reference[name], f"reference: field {name}")


def _plain(value: Json, percent: bool) -> Target:
    """A number, or text such as "3.2 billion" and "12.5%" that must be one numeral and nothing else."""
    if not isinstance(value, str):
        return Target(value=exact(value), percent=percent)
    text = numeric_form(value.strip())
    found = scan(text)
    if len(found) != 1 or found[0].value is None or text[found[0].end :].strip() or text[: found[0].start].strip():
        raise InputFault(f"reference: {value!r:.80} is not one number")
    number: Decimal = found[0].value
    if found[0].kind == PERCENT and not percent:
        number = number.scaleb(-2)
    return Target(value=number, percent=percent)


def _with_tolerance(reference: Mapping[str, Json], percent: bool) -> Target:
    value = _plain(reference["value"], percent).value
    assert value is not None
    absolute, relative = (_limit(reference, name) for name in ("abs_tol", "rel_tol"))
    if any(name in reference for name in ("min", "max")) or (absolute is not None and relative is not None):
        raise InputFault("reference: value takes one of abs_tol and rel_tol, and no min or max")
    if absolute is None and relative is None:
        return Target(value=value, percent=percent)
    slack = absolute if absolute is not None else (relative or Decimal(0)) * abs(value)
    if slack < 0:
        raise InputFault("reference: a tolerance cannot be negative")
    return Target(value=value, low=value - slack, high=value + slack, percent=percent)
