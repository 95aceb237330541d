"""Scale words and letters after a numeral: 2.5 million, 25 lakh, 1.25k, two and a half thousand."""

import re
from decimal import Decimal

from webds_judge.answers import numberwords

_WORDS = {
    **numberwords.SCALES,
    "k": 3,
    "thousands": 3,
    "tsd": 3,
    "mn": 6,
    "mln": 6,
    "mio": 6,
    "mm": 6,
    "m": 6,
    "mil": 6,
    "millionen": 6,
    "millones": 6,
    "bn": 9,
    "bln": 9,
    "b": 9,
    "mrd": 9,
    "milliard": 9,
    "milliards": 9,
    "milliarden": 9,
    "tn": 12,
    "trn": 12,
    "t": 12,
    "cr": 7,
    "万": 4,
    "萬": 4,
    "億": 8,
    "亿": 8,
    "dozen": -1,
}
_SCALE = re.compile(
    r"(?:(?P<glued>mm|[kKmMbBtT])|\s?(?P<spaced>[KMB])|[\s-]?(?P<word>(?i:"
    + "|".join(sorted((w for w in _WORDS if len(w) > 1 or ord(w) > 255), key=len, reverse=True))
    + r"))\.?)(?![A-Za-z²³^])",
)
_SCALE_SPELLED = re.compile(
    r"[\s-]?(?P<word>(?i:"
    + "|".join(
        sorted(
            (w for w in _WORDS if (len(w) > 1 or ord(w) > 255) and w not in ("mm", "mil", "cr", "tn")),
            key=len,
            reverse=True,
        )
    )
    + r"))\.?(?![A-Za-z²³^])"
)
"""Where units may follow, a lone letter is one of them: 5 m, 350t."""
_AND_PART = re.compile(r"\s(?:and\s)(?:a|one|three)\s(?:half|quarters?)\b", re.IGNORECASE)


def applied(text: str, value: Decimal, end: int, units: bool) -> tuple[Decimal, int]:
    """`value` times the scale words from text[end:] on, and where they end. `units`: lone letters are none."""
    if part := _AND_PART.match(text, end):
        share = {"a half": "0.5", "one half": "0.5", "three quarters": "0.75"}
        value += Decimal(share.get(part[0].lower().split("and ", 1)[1], "0.25"))
        end = part.end()
    lowest = 99
    pattern = _SCALE_SPELLED if units else _SCALE
    while scale := pattern.match(text, end):
        word = next(w for w in scale.groups() if w).lower()
        lowest = _WORDS[word]
        value = value * 12 if lowest < 0 else value.scaleb(lowest)
        end = scale.end() - (1 if scale[0].endswith(".") else 0)
    more = re.compile(r"\s(?:and\s)?(\d{1,3})\s").match(text, end) if 3 <= lowest < 99 else None
    if more and (scale := _SCALE.match(text, more.end() - 1)) and scale["word"]:
        smaller = _WORDS[scale["word"].lower()]
        if 0 < smaller < lowest:
            return value + Decimal(more[1]).scaleb(smaller), scale.end()
    return value, end
