"""Numbers written as English words: forty-two, two and a half million, three quarters, two point five."""

import re
from collections.abc import Iterator
from decimal import Decimal

_UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
SMALL = {word: value for value, word in enumerate(_UNITS)}
SMALL |= {word: 10 * value for value, word in enumerate(_TENS, start=2)}
SCALES = {
    "hundred": 2,
    "thousand": 3,
    "lakh": 5,
    "lakhs": 5,
    "lac": 5,
    "million": 6,
    "millions": 6,
    "crore": 7,
    "crores": 7,
    "billion": 9,
    "billions": 9,
    "trillion": 12,
    "trillions": 12,
}
PARTS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7}
PARTS |= {"eighth": 8, "ninth": 9, "tenth": 10, "twelfth": 12, "sixteenth": 16, "twentieth": 20, "hundredth": 100}
PARTS |= {"thousandth": 1000}
PARTS |= {f"{word}s": value for word, value in PARTS.items() if not word.endswith("s") and word != "half"}
_WORD = "|".join(sorted({*SMALL, *SCALES, *PARTS, "dozen", "point", "a", "an"}, key=len, reverse=True))
_RUN = re.compile(rf"(?<![\w.])(?:{_WORD})(?:(?:[ ]{{1,3}}|-)(?:(?:and|of)[ ])?(?:{_WORD}))*(?!\w)", re.IGNORECASE)
_TIMES = {"dozen": 12, "hundred": 100}
_DIGIT_WORDS = {word: str(value) for word, value in SMALL.items() if value < 10}


def scan(text: str) -> Iterator[tuple[int, int, Decimal, bool]]:
    """(start, end, value, loose) of each number in words; loose where it may be the pronoun `one`."""
    for found in _RUN.finditer(text):
        whole = _spelled(found.start(), found[0])
        if whole:
            yield whole
        elif " and " in found[0].lower():  # eight and twelve: two numbers
            at = found.start()
            for part in re.split(r"( and )", found[0], flags=re.IGNORECASE):
                spelled = _spelled(at, part) if part.strip().lower() != "and" else None
                if spelled:
                    yield spelled
                at += len(part)


def _spelled(start: int, run: str) -> tuple[int, int, Decimal, bool] | None:
    words = [w for w in re.split(r"[ \-]+", run.lower()) if w not in ("and", "of")]
    lead = 0
    while words and words[-1] in ("a", "an", "point"):
        words.pop()
    value = _value(words)
    if value is None and words[:1] in (["a"], ["an"]):
        lead, value = len(words[0]) + 1, _value(words[1:])
    return None if value is None else (start + lead, start + len(run.rstrip()), value, words == ["one"])


def _value(words: list[str]) -> Decimal | None:
    """The number that `words` spell, or None where they spell none."""
    if not words or (words[0] in SCALES and words[0] != "hundred"):
        return None
    if "point" in words:
        return _point(words)
    scale = Decimal(1)
    while len(words) > 1 and words[-1] in SCALES and any(w in PARTS for w in words):
        scale = scale.scaleb(SCALES[words[-1]])
        words = words[:-1]
    value = _mixed([w for i, w in enumerate(words) if w not in ("a", "an") or i == 0 or words[i - 1] != "half"])
    return None if value is None else value * scale


def _mixed(words: list[str]) -> Decimal | None:
    """A whole number, a fraction, or both: two and a half."""
    if words[-1:] == ["a"] or not words:
        words = words[:-1]
    if not words or words[-1] not in PARTS:
        return _whole(words)
    part = Decimal(1) / PARTS[words[-1]]
    before = words[:-1]
    if not before:
        return part if words[-1] == "half" else None
    if before[-1] in ("a", "an"):
        rest = before[:-1]
        whole = _whole(rest) if rest else Decimal(0)
        return None if whole is None else whole + part
    if words[-1] == "half":  # "one half", but not "two half"
        whole = _whole(before[:-1]) if before[:-1] else Decimal(0)
        return None if before[-1] != "one" or whole is None else whole + part
    count = SMALL.get(before[-1])
    whole = _whole(before[:-1]) if before[:-1] else Decimal(0)
    return None if count is None or whole is None else whole + count * part


def _whole(words: list[str]) -> Decimal | None:
    """Cardinal words, scales falling: two million five hundred thousand and six."""
    total = Decimal(0)
    current: int | None = None
    for word in words:
        if word in SMALL:
            current = _add_small(current, SMALL[word])
        elif word in ("a", "an"):
            current = 1 if current is None else -1
        elif word in _TIMES:
            current = (1 if current is None else current) * _TIMES[word]
        elif word in SCALES and current is not None:
            total, current = total + Decimal(current).scaleb(SCALES[word]), None
        else:
            return None
    is_number = words and words[-1] not in ("a", "an") and (current is None or current >= 0)
    return total + (current or 0) if is_number else None


def _add_small(current: int | None, value: int) -> int:
    """`value` after `current`; -1 where the words do not go on as one number."""
    if current is None or current < 0:
        return value if current is None else -1
    if current % 100 == 0 and current:
        return current + value
    if current >= 20 and current % 10 == 0 and 0 < value < 10:
        return current + value
    return -1


def _point(words: list[str]) -> Decimal | None:
    """two point five [million]."""
    at = words.index("point")
    scale = 0
    while words[-1] in SCALES:
        scale += SCALES[words[-1]]
        words = words[:-1]
    whole = _whole(words[:at]) if at else Decimal(0)
    digits = [_DIGIT_WORDS.get(word) for word in words[at + 1 :]]
    if whole is None or not digits or None in digits:
        return None
    return Decimal(f"{whole}.{''.join(d for d in digits if d)}").scaleb(scale)
