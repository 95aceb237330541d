"""Type `ordinal`: a place in a ranking. 3rd, third, #3, No. 3, rank 3; a fraction (a third) is none."""

import re
from itertools import islice

from webds.errors import InputFault
from webds.types import Json
from webds_judge.answers import numberwords
from webds_judge.answers.dates import decided
from webds_judge.answers.limits import TOKENS
from webds_judge.answers.numerals import numeric_form
from webds_judge.answers.references import alternatives
from webds_judge.answers.result import Compared
from webds_judge.answers.tokens import OTHER, RANGE, Token

ORDINAL = "ordinal"
_UNITS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
)
_UNITS += "fifteenth sixteenth seventeenth eighteenth nineteenth"
_TENS = "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth"
_WORDS = {word: value for value, word in enumerate(_UNITS.split())}
_WORDS |= {word: 10 * value for value, word in enumerate(_TENS.split(), start=2)} | {
    "hundredth": 100,
    "thousandth": 1000,
}
_LAST = "|".join(sorted(_WORDS, key=len, reverse=True))
_FIRST = "|".join(sorted(numberwords.SMALL | {"hundred": 100, "thousand": 1000}, key=len, reverse=True))
_FOUND = re.compile(
    r"(?<![\w.,/])(?:"
    r"(?P<number>\d{1,6})(?:st|nd|rd|th|er|re|e|ème|eme|º|ª|°|o|a)(?![\w/])"
    r"|(?:#|\bno\.?\s?|\bnr\.?\s?|№\s?|\bnumber\s|\brank(?:ed|s|ing)?(?: of| is| was| as)?:?\s?"
    r"(?:at )?(?:no\.? |number |#)?|"
    r"\bplace[ds]?:?\s|\bposition:?\s|\bpos\.?\s)(?P<after>\d{1,6}|(?:" + _FIRST + r")\b)(?![\w%.,]{0,20}\d|\w)"
    rf"|(?P<words>(?:(?:{_FIRST})[ -](?:and )?){{0,4}}(?:{_LAST}))(?!\w)"
    r"|(?P<dot>\d{1,4})\.(?=\s?(?:$|place|rank|platz))|(?P<bare>\d{1,6})(?![\w%/.,:-]{0,20}\d|\w|%|\.\d)"
    r"|\b(?P<roman>(?=[IVXL])(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3}))(?=\.?\s*$|\.?\splace)"
    r")",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"\b(?:a|an|one|two|three|four|half|quarters?)[ -]$", re.IGNORECASE)
_BOUND = re.compile(r"\b(?:top|bottom|first|last|best|within|among)\s(?:the\s)?$", re.IGNORECASE)
_FROM_END = re.compile(
    r"^[ -](?:to[ -]last|from (?:the )?(?:last|bottom|end)|last|lowest|smallest|worst)\b", re.IGNORECASE
)
_OTHER_USE = re.compile(
    r"^\s(?:of (?:january|february|march|april|may|june|july|"
    r"august|september|october|november|december)|century|quarter|grade)\b",
    re.IGNORECASE,
)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}


def compare(reference: Json, candidate: str) -> Compared:
    """Whether the asserted place is the reference's."""
    return decided([_wanted(option) for option in alternatives(reference)], candidate, scan)


def sample(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    return f"rank {_wanted(alternatives(reference)[0])}"


def _wanted(option: Json) -> int:
    found = [token for token in scan(numeric_form(str(option).strip())) if token.kind == ORDINAL]
    if isinstance(option, bool) or len(found) != 1:
        raise InputFault(f"reference: {option!r:.80} is not a place such as 3rd")
    return int(found[0].value)


def scan(text: str) -> list[Token]:
    """Every place in `text`. A bare number gives way to a marked one; `top 3` and fractions are of kind OTHER."""
    found = [_token(text, match) for match in islice(_FOUND.finditer(text), TOKENS) if match[0]]
    marked = any(kind == ORDINAL and not bare for _, kind, bare in found)
    out = [Token(t.start, t.end, t.value, OTHER if marked and bare else kind) for t, kind, bare in found]
    for i in range(len(out) - 1):
        if re.fullmatch(r"\s?(?:-|to|through)\s?", text[out[i].end : out[i + 1].start]):
            out[i] = Token(out[i].start, out[i].end, out[i].value, RANGE)
            out[i + 1] = Token(out[i + 1].start, out[i + 1].end, out[i + 1].value, RANGE)
    return out


def _token(text: str, found: re.Match[str]) -> tuple[Token, str, bool]:
    value = _value(found)
    before = text[max(0, found.start() - 20) : found.start()]
    after = text[found.end() : found.end() + 30]
    is_fraction = found["words"] and _FRACTION.search(before) and not re.match(r"\s(?:place|rank)", after)
    is_none = (
        value is None
        or is_fraction
        or _FROM_END.match(after)
        or _OTHER_USE.match(after)
        or re.match(r"\s?[/*+^]\s?\d", after)
    )
    is_count = found["bare"] and re.match(r"\s(?:of\b|[a-z]+s\b)", after)
    is_bound = (
        is_count
        or before.lower().endswith("at ")
        or (found["bare"] and _BOUND.search(before))
        or before[-1:] in tuple("-+$€£¥")
    )
    kind = OTHER if is_none or is_bound else ORDINAL
    return Token(found.start(), found.end(), value, kind), kind, bool(found["bare"])


def _value(found: re.Match[str]) -> int | None:
    digits = found["number"] or found["dot"] or found["bare"] or found["after"]
    if digits:
        if digits.isdigit():
            return int(digits)
        return numberwords.SMALL.get(digits.lower())
    if found["roman"]:
        values = [_ROMAN[letter] for letter in found["roman"].lower()]
        return sum(-v if v < max(values[i:]) else v for i, v in enumerate(values))
    return _spelled(found["words"].lower())


def _spelled(words: str) -> int | None:
    parts = [part for part in re.split(r"[ -]+", words) if part != "and"]
    *before, last = parts
    end = _WORDS[last]
    if not before:
        return end
    spelled = " ".join([*before, _cardinal(end)]).strip()
    value = next((v for _, _, v, _ in numberwords.scan(spelled)), None)
    return None if value is None else int(value)


def _cardinal(value: int) -> str:
    names = {number: word for word, number in numberwords.SMALL.items()} | {100: "hundred", 1000: "thousand"}
    return names[value]
