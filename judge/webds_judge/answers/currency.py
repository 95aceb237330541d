"""Type `currency`: an amount of money. Rule 5: its currency may be left out; if present it must agree."""

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from webds.errors import InputFault
from webds.types import Json
from webds_judge.answers import money, numerals, units
from webds_judge.answers.asides import without_asides
from webds_judge.answers.assertion import choose
from webds_judge.answers.money import Codes
from webds_judge.answers.numerals import numeric_form
from webds_judge.answers.payload import scalar_text
from webds_judge.answers.references import Target, alternatives, targets
from webds_judge.answers.result import Compared, compared
from webds_judge.answers.tokens import EXPRESSION, OTHER, RANGE, Tail, Token

_BEFORE = re.compile(rf"(?<![A-Za-z]){money.NAME}\s?[-+(]?\s?$")
_AFTER = re.compile(rf"\s?(?:-(?=[A-Za-z])|in |(?P<open>\())?{money.NAME}(?(open)\))")
_ACCOUNTING = numerals.ACCOUNTING
_NOUN = re.compile(r"[ ]([a-z]{3,30})(?![\w.])")
_BRACKETED = re.compile(r"\((\d[\d.,]{0,40})\)(?=\s?(?:thousand|million|billion|trillion|[kKMB]\b|[mb]n\b))")
"""$(15.5) million: a minus of accountants."""
_LAST_NAME = re.compile(rf"(?<![A-Za-z]){money.NAME}$")
_FIELDS = ("value", "min", "max", "abs_tol", "rel_tol")
_WINDOW = 24


@dataclass(frozen=True, slots=True)
class Amount:
    """`value` in one of `codes`; no codes where no currency is written."""

    value: Decimal
    codes: Codes = frozenset()

    def __str__(self) -> str:
        names = sorted(self.codes, key=lambda code: (code not in ("USD", "GBP", "JPY", "INR"), code))
        shown = names[0] if len(names) == 1 else f"{names[0]} or its like" if names else ""
        return f"{self.value:f} {shown}".strip()


@dataclass(frozen=True, slots=True)
class Wanted:
    """One accepted amount."""

    target: Target
    codes: Codes = frozenset()

    def accepts(self, amount: Amount) -> bool:
        """Whether the amounts are equal and no two currencies are crossed."""
        agrees = not self.codes or not amount.codes or bool(self.codes & amount.codes)
        return agrees and self.target.accepts(amount.value)

    def __str__(self) -> str:
        return f"{self.target}{str(Amount(Decimal(0), self.codes))[1:]}"


def compare(reference: Json, candidate: str) -> Compared:
    """Whether the asserted amount is the reference's."""
    accepted = wanted(reference)
    named = " or ".join(map(str, accepted))
    text, problem = scalar_text(candidate)
    if problem:
        return compared(False, problem, None, named)

    def same(token: Token) -> Hashable:
        right = isinstance(token.value, Amount) and any(item.accepts(token.value) for item in accepted)
        return "right" if right else token.value

    choice = choose(_BRACKETED.sub(r"-\1", without_asides(numeric_form(text))), scan, same)
    if choice.token is None:
        return compared(False, choice.why, None, named)
    agrees = same(choice.token) == "right"
    return compared(agrees, f"{choice.token.value} is {'' if agrees else 'not '}{named}", choice.token.value, named)


def sample(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    target = wanted(reference)[0].target
    return f"{next(n for n in (target.value, target.low, target.high) if n is not None):f}"


def wanted(reference: Json) -> list[Wanted]:
    """The accepted amounts of a reference. InputFault: what is wrong with it."""
    if isinstance(reference, Mapping) and "any_of" in reference:
        return [item for option in alternatives(reference) for item in wanted(option)]
    if not isinstance(reference, Mapping):
        amount = _parsed(reference)
        return [Wanted(Target(value=amount.value), amount.codes)]
    amounts = {n: _parsed(v) if n in _FIELDS and isinstance(v, str) else None for n, v in reference.items()}
    plain = {name: amount.value if amount else reference[name] for name, amount in amounts.items()}
    codes = {amount.codes for amount in amounts.values() if amount and amount.codes}
    if len(codes) > 1:
        raise InputFault("reference: its fields have different currencies")
    return [Wanted(target, next(iter(codes), frozenset())) for target in targets(plain)]  # type: ignore[arg-type] # Decimals too


def _parsed(value: Json) -> Amount:
    text = numeric_form(str(value).strip())
    found = [token for token in scan(text) if isinstance(token.value, Amount)]
    if (
        isinstance(value, bool)
        or len(found) != 1
        or text[: found[0].start].strip("( ")
        or text[found[0].end :].strip(") .")
    ):
        raise InputFault(f"reference: {value!r:.80} is not one amount")
    amount: Amount = found[0].value
    return amount


def scan(text: str) -> list[Token]:
    """Every number in `text` (numeric_form) as an Amount; percentages and quantities of other things stand aside."""
    return _with_cents(text, [_amount(text, token) for token in numerals.scan(text, Tail.MONEY)])


def _amount(text: str, token: Token) -> Token:
    if token.value is None or token.kind not in (numerals.PLAIN, RANGE, EXPRESSION):
        return Token(token.start, token.end, None, OTHER)
    names, start, end = _names(text, token)
    codes: Codes | None = None
    cents = False
    for found in names:
        own, hundredth = money.read(found)
        codes = own if codes is None else codes & own
        cents = cents or hundredth
    if codes is not None and not codes:
        return Token(start, end, None, OTHER)
    if not names and _other_unit(text, token.end):
        return Token(token.start, token.end, None, OTHER)
    value: Decimal = token.value.scaleb(-2) if cents else token.value
    opened = _ACCOUNTING.search(text[max(0, start - _WINDOW) : start]) or "(" in text[start : token.start]
    if names and value > 0 and opened and text[end : end + 1] == ")":
        value = -value
    return Token(start, end, Amount(value, codes or frozenset()), token.kind, token.restates)


def _names(text: str, token: Token) -> tuple[list[re.Match[str]], int, int]:
    """The currency names that belong to the numeral, before and after it, and the span with them."""
    first = next((i for i in range(token.start, token.end) if text[i].isdigit()), token.start)
    window = text[max(0, first - _WINDOW) : first]
    before = _BEFORE.search(window)
    after = _AFTER.match(text, token.end)
    names = [found for found in (before, after) if found]
    start = min(token.start, first - len(window) + before.start()) if before else token.start
    return names, start, after.end() if after else token.end


def _other_unit(text: str, end: int) -> bool:
    """Whether what follows is no money: a unit (5 km) or a counted thing (12 invoices)."""
    noun = _NOUN.match(text, end)
    if noun and noun[1] not in units.FUNCTION_WORDS:
        return True
    found = units.match(text, end)
    return bool(found) and text[end : end + 1] not in ("'", '"')


def _with_cents(text: str, tokens: list[Token]) -> list[Token]:
    """5 dollars and 5 cents as one amount."""
    out: list[Token] = []
    for token in tokens:
        if out and _is_change(text, out[-1], token):
            last: Amount = out[-1].value
            sign = -1 if last.value < 0 else 1
            total = Amount(last.value + sign * token.value.value, last.codes)
            out[-1] = replace(out[-1], end=token.end, value=total)
        else:
            out.append(token)
    return out


def _is_change(text: str, left: Token, right: Token) -> bool:
    """Whether `right` is less than one of the currency of `left`, and stands right behind it."""
    if not (isinstance(left.value, Amount) and isinstance(right.value, Amount)):
        return False
    named = _LAST_NAME.search(text[right.start : right.end])
    is_small = bool(named and named["cent"]) and 0 <= right.value.value < 1
    return (
        is_small and bool(left.value.codes & right.value.codes) and text[left.end : right.start] in (" ", " and ", ", ")
    )
