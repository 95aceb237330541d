"""Numbers in free text: `scan` finds every one, with sign, scale, exponent, fraction, percent sign and words.

Only one numeral at a time is read as a value (rule 14): arithmetic between two of them is marked EXPRESSION, two
ends of a span RANGE, and digits that are part of something else (an identifier, a date, a call) OTHER.
"""

import itertools
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation, localcontext

from webds_judge.answers import digits, numberwords, scales
from webds_judge.answers.limits import DIGITS, EXPONENT, TOKENS
from webds_judge.answers.plainform import numeric_form as numeric_form
from webds_judge.answers.tokens import EXPRESSION, FILE_END, MONEY_AFTER, MONEY_BEFORE, OTHER, RANGE, Tail, Token

PLAIN = "plain"
PERCENT = "percent"
SHARE = "share"
"""A fraction of a whole (1/8, half): never percent points whose sign was left out."""

_GLUED_UNIT = re.compile(r"\d\s?[A-Za-z]{1,4}-?$")
_EXP = re.compile(r"[eE]([+-]?\d{1,6})(?![\w.])")
_TEN_POWER = re.compile(
    r"\s*(?:[x×*·⋅✕]|times)\s*(?:10|ten)\s*(?:\^|\*\*|to the (?:power (?:of )?)?)\s*[({]?\s*"
    r"([+-]?\d{1,6}|(?:minus |negative )?[a-z]{3,9}(?:-[a-z]{3,5})?)(?:st|nd|rd|th)?[)}]?(?: power)?(?!\w)",
    re.IGNORECASE,
)
_POWER = re.compile(
    r"\s?(?:(?:\^|\*\*)\s?[({]?([+-]?\d{1,4})[)}]?|(squared|cubed)|to the (?:power (?:of )?)?(\d{1,4})(?:st|nd|rd|th)?"
    r"(?: power)?)(?![\w.])"
)
_FRACTION = re.compile(r"\s?[/⁄]\s?(\d{1,40})(?![\d/.,]\d|\d|/)")
_MIXED = re.compile(r"[ -](\d{1,6})\s?[/⁄]\s?(\d{1,6})(?![\d/])")
_PERCENT = re.compile(
    r"\s?(?:%|percent\b(?! point)|per cent\b|pct\b|percentage\b(?! point))(?!\s?-?points?\b)", re.IGNORECASE
)
_PERMILLE = re.compile(r"\s?‰")
_UNIT = re.compile(
    r"(?:[kMGT]?Wh?|[kcmµn]?m[²³23]?|km[²2]?|[kmµ]?g|mg|lbs?|t|ha|L|l|ml|s|ms|h|hrs?|min|mph|kmh|[°º]?[CF]|K|[KMG]i?B|"
    r"x|ft|in|yd|mi|pcs|pp)(?![A-Za-z0-9])"
)
_MASKED = re.compile(
    r"\b(?:https?://|www\.)[^\s<>]{1,2000}"  # an address
    r"|\b[A-Za-z_][\w.]{0,60}\([^()\n]{0,300}\)"  # a call: code
    r"|(?<![\d/.\-])\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?![\d/]|\.\d|-\d)(?:T[\d:.Z+-]{1,30})?"  # date or version
    r"|(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?![\d:])"  # clock
    r"|\blambda\b[^:\n]{0,60}:[^\n]{0,300}"  # code
    rf"|(?<![\w-])[\w-]{{1,80}}{FILE_END}"
    r"|\{%[\s\S]{0,500}%\}|\{\{[^{}\n]{0,200}\}\}|\$\{[^{}\n]{0,200}\}"  # template
    r"|(?<=\S )\[\d{1,3}\](?!\()|(?<=[\w.%])\[\d{1,3}\]"  # footnote mark
)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b", re.IGNORECASE)
_FELL = re.compile(
    r"\b(?:decreas\w*|declin\w*|fell|fall\w*|drop\w*|down|reduc\w*|loss(?:es)?|lost|deficit|shrank|shr[iu]nk\w*|"
    r"contract(?:ed|ion)|plung\w*|slid|lower(?:ed)?)\s+(?:(?:by|of|was|is|about|approximately|around|roughly|some|a|"
    r"an|total)\s+){0,4}$",
    re.IGNORECASE,
)
_FALLS = re.compile(
    r"\s*(?:points?|units?)?\s*-?(?:below zero|decrease|decline|drop|fall|reduction|loss|lower|fewer|less|"
    r"under zero)(?! than\b)\b",
    re.IGNORECASE,
)
_BELOW_ZERO = re.compile(r"\s*(?:degrees?\s)?(?:below|under) zero\b", re.IGNORECASE)
_ISH = re.compile(r"-?ish\b", re.IGNORECASE)
_EITHER_SIGN = re.compile(r"(?:±|\+/-|\+-)\s?$")
_MINUS_WORD = re.compile(r"(?<![\w\d])(?:minus|negative)\s+$", re.IGNORECASE)
_SIGN = re.compile(r"(?:^|(?<=[\s(\[{:=,;>\"'“‘~≈/*]))([+\-])\s?$")
ACCOUNTING = re.compile(r"(?:^|[:=*]|\b(?:is|was|of|to|at))\s*\(\s*$", re.IGNORECASE)
"""A bracket that is a minus: it stands where a value is expected, and not after one (that restates)."""


def scan(text: str, tail: Tail = Tail.NUMBER) -> list[Token]:
    """Every number in `text` (already in numeric_form), in order; at most limits.TOKENS of them.

    `tail`: what follows a numeral is left to the caller where it is a UNIT (5 m is no five million) or MONEY (50p).
    """
    masked, tokens = unjoined(text, tail)
    return _joined(masked, tokens)


def unjoined(text: str, tail: Tail = Tail.NUMBER) -> tuple[str, list[Token]]:
    """(`text` with identifiers, dates, clocks and code masked; every number alone, spans and arithmetic not marked)."""
    masked = _MASKED.sub(lambda found: "\x00" * len(found[0]), text)
    tokens = [Token(f.start(), f.end(), None, OTHER) for f in re.finditer("\x00+", masked)]
    at = 0
    while len(tokens) < TOKENS and (found := digits.BODY.search(masked, at)):
        new = list(_at(masked, found, tail))
        tokens += new
        at = max(new[-1].end, found.end())
    taken = [(t.start, t.end) for t in tokens]
    for start, end, value, loose in numberwords.scan(masked):
        if not any(a < end and start < b for a, b in taken[:TOKENS]) and len(tokens) < 2 * TOKENS:
            tokens.append(_word_token(masked, start, end, value, loose))
    return masked, sorted(tokens, key=lambda t: t.start)


def _word_token(text: str, start: int, end: int, value: Decimal, loose: bool) -> Token:
    if value == value.to_integral_value() and value < 10**6 and (power := _POWER.match(text, end)):
        value, end = _power(value, power), power.end()
    percent = _PERCENT.match(text, end)
    sign, begin = _sign(text, start)
    falls = _FALLS.match(text, percent.end() if percent else end)
    value = -value if sign < 0 or falls else value
    return Token(begin, percent.end() if percent else end, value, PERCENT if percent else PLAIN, loose)


def _at(text: str, found: re.Match[str], tail: Tail) -> Iterator[Token]:
    """The numeral whose digits `found` covers (or several, for 5,5,7)."""
    items = digits.split_commas(found[0])
    value = digits.read(found[0])
    if value is None and items:
        place = found.start()
        for item in items[:TOKENS]:
            yield Token(place, place + len(item), Decimal(item), PLAIN)
            place += len(item) + 1
        return
    before = text[max(0, found.start() - 8) : found.start()]
    named = re.search(r"(?:[^\W\d]|_|[#@\\√])-?$", before)
    glued = tail is not Tail.NUMBER and _GLUED_UNIT.search(before)
    if value is None or (named and not glued and not MONEY_BEFORE.search(before)):
        yield Token(found.start(), found.end(), None, OTHER)
        return
    yield _grown(text, found, value, tail)


def _grown(text: str, found: re.Match[str], value: Decimal, tail: Tail) -> Token:
    """The numeral with all that belongs to it right and left."""
    try:
        value, end = _right(text, found, value, tail)
    except (InvalidOperation, OverflowError, ZeroDivisionError, ValueError):
        return Token(found.start(), found.end(), None, OTHER)
    kind, value, end, is_more = _marked(text, value, end)
    if not is_more and (
        _ORDINAL.match(text, end) or _thousands(text, found, end) or (tail is Tail.NUMBER and _is_word(text, end))
    ):
        return Token(found.start(), end, None, OTHER)
    sign, start = _sign(text, found.start())
    if _EITHER_SIGN.search(text[max(0, start - 3) : start]):
        kind = EXPRESSION
    if zero := _BELOW_ZERO.match(text, end):
        end, sign = zero.end(), -1 if sign == 0 else sign
    money = MONEY_AFTER.match(text, end) if tail is Tail.NUMBER else None
    end = money.end() if money else end
    has_money = money or MONEY_BEFORE.search(text[max(0, found.start() - 5) : found.start()])
    bracket = ACCOUNTING.search(text[max(0, start - 12) : start]) and re.match(r"\s?\)", text[end : end + 2])
    alone = text.lstrip().startswith("(") and text.rstrip().endswith(")")
    if (bracket and (has_money or (alone and kind == PERCENT))) or (sign == 0 and _falls(text, start, end)):
        sign = -1
    return Token(start, end, -value if sign < 0 else value, kind)


def _marked(text: str, value: Decimal, end: int) -> tuple[str, Decimal, int, bool]:
    """(kind, value, end, whether there was one) with a percent sign, a permille sign or `-ish`."""
    if percent := _PERCENT.match(text, end):
        return PERCENT, value, percent.end(), True
    if permille := _PERMILLE.match(text, end):
        return PERCENT, value / 10, permille.end(), True
    about = _ISH.match(text, end)
    return PLAIN, value, about.end() if about else end, about is not None


def _thousands(text: str, found: re.Match[str], end: int) -> bool:
    """`1000s` are several; a year of four digits so is a decade."""
    return bool(
        re.fullmatch(r"100+|[1-9],?000(?:,?000)*|[12]\d\d0", found[0]) and re.match(r"s(?!\w)", text[end : end + 2])
    )


def _is_word(text: str, end: int) -> bool:
    """Whether letters that are no unit are glued to the numeral."""
    return text[end : end + 1].isalpha() and not _unit(text, end)


def _unit(text: str, end: int) -> bool:
    return bool(_UNIT.match(text, end) or MONEY_AFTER.match(text, end) or ord(text[end]) > 0x2E80)


def _falls(text: str, start: int, end: int) -> bool:
    return bool(_FELL.search(text[max(0, start - 60) : start]) or _FALLS.match(text, end))


def _sign(text: str, start: int) -> tuple[int, int]:
    """(-1, 0 or 1; where the numeral begins with its sign and currency)."""
    window = text[max(0, start - 24) : start]
    left = len(window)
    for _ in range(2):
        if found := _SIGN.search(window[:left]) or _MINUS_WORD.search(window[:left]):
            is_bullet = found[0].endswith(" ") and found[0].startswith("-")
            if not is_bullet:
                return (1 if found[0].startswith("+") else -1), start - len(window) + found.start()
        money = MONEY_BEFORE.search(window[:left])
        if money is None:
            break
        left = money.start()
        if window[:left].endswith("-") and _SIGN.search(window[:left]):
            continue
        if window[left:].rstrip().endswith("-"):
            return -1, start - len(window) + left
    glued = re.search(r"[$€£¥]-$", window)
    return (-1, start - 2) if glued else (0, start - len(window) + left)


def _right(text: str, found: re.Match[str], value: Decimal, tail: Tail) -> tuple[Decimal, int]:
    """Value and end after exponent, power, fraction or scale words."""
    end = found.end()
    whole = found[0].isdigit()
    with localcontext() as context:
        context.prec = DIGITS + 2 * EXPONENT
        if exponent := _EXP.match(text, end):
            value, end = _scaled(value, int(exponent[1])), exponent.end()
        elif ten := _TEN_POWER.match(text, end):
            value, end = _scaled(value, _exponent(ten[1])), ten.end()
        elif len(found[0]) < 50 and (power := _POWER.match(text, end)):
            value, end = _power(value, power), power.end()
        elif whole and (mixed := _MIXED.match(text, end)) and int(mixed[1]) < int(mixed[2]):
            value, end = scales.applied(
                text, value + _divide(Decimal(mixed[1]), Decimal(mixed[2])), mixed.end(), tail is Tail.UNIT
            )
        elif fraction := _FRACTION.match(text, end):
            value, end = _divide(value, Decimal(fraction[1])), fraction.end()
            if value == value.to_integral_value() and fraction[1] != "1":
                raise ValueError("a division to work out, no part of a whole")
        else:
            value, end = scales.applied(text, value, end, tail is Tail.UNIT)
    return value, end


def _divide(over: Decimal, under: Decimal) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return over / under


def _exponent(words: str) -> int:
    if re.fullmatch(r"[+-]?\d+", words):
        return int(words)
    negative = re.match(r"(?:minus|negative) ", words, re.IGNORECASE)
    spelled = [v for _, _, v, _ in numberwords.scan(words[negative.end() :] if negative else words)]
    if len(spelled) != 1:
        raise ValueError("no exponent")
    return -int(spelled[0]) if negative else int(spelled[0])


def _scaled(value: Decimal, exponent: int) -> Decimal:
    if abs(exponent) > EXPONENT:
        raise ValueError("exponent too large")
    return value.scaleb(exponent)


def _power(value: Decimal, power: re.Match[str]) -> Decimal:
    exponent = {"squared": 2, "cubed": 3}.get(power[2] or "", 0) or int(power[1] or power[3])
    if abs(exponent) > EXPONENT or abs(exponent) * len(str(value)) > DIGITS + EXPONENT:
        raise ValueError("power too large")
    return Decimal(value) ** exponent


_SPAN = re.compile(
    r"\s?(?:[-~—]|\.{2,3}|…)\s?|\s(?:to|through|until|thru)\s(?:(?:about|over|some|the|near|an?)\s)?|\s?±\s?|\s?\+/-\s?"
)
_AND = re.compile(r"\s?(?:\w{1,12}\s)?and\s")
_ARITHMETIC = re.compile(r"\s?(?:[+*/×÷x^]|[=!]=)\s?|\s(?:plus|minus|times|divided by|multiplied by|over)\s|\s-\s")


def _joined(text: str, tokens: list[Token]) -> list[Token]:
    """Neighbours that form a span or arithmetic, marked as such."""
    kinds = [t.kind for t in tokens]
    for i, (left, right) in enumerate(itertools.pairwise(tokens)):
        if OTHER in (left.kind, right.kind):
            continue
        kind = relation(text, left, right)
        if kind:
            kinds[i] = kinds[i + 1] = kind
    return [Token(t.start, t.end, t.value, k, t.restates) for t, k in zip(tokens, kinds, strict=True)]


def relation(text: str, left: Token, right: Token) -> str:
    """RANGE or EXPRESSION where the two neighbours are one, else empty."""
    between = text[left.end : right.start]
    if len(between) > 30:
        return ""
    before = text[max(0, left.start - 12) : left.start].lower()
    if _ARITHMETIC.fullmatch(between) or re.fullmatch(r"\s?-", between + text[right.start : right.start + 1]):
        return EXPRESSION
    if _SPAN.fullmatch(between) or ("between " in before and _AND.fullmatch(between)):
        return RANGE
    return ""
