"""Numbers that an answer mentions and does not assert (rule 11), blanked before the asserted one is looked for.

Where it stands (`table 4, p. 17`), when it held (`as of 31 March 2022`), what it is compared with (`more than the 7,000
expected`), what it is made of (`312: 298 and 14`), what it follows from (`4 of 10, so 40%`), how it was found (under a
heading of its own). A text without another number stays as it is, so that an aside is never taken for nothing.
"""

import re

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?"
_NUMBER = r"[-+]?[$€£]?\d[\d,.' ]{0,40}"
_WORD = r"[^\W\d]{1,30}"
_DATE = re.compile(
    rf"\b(?:as of|as at|by|on|dated|retrieved|accessed|updated|published|since|until|through|of)\s+(?:the\s+)?"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s+\d{{4}})?|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?"
    rf"(?:,?\s+\d{{4}})?|{_MONTH}\s+\d{{4}})(?!\w)"
    rf"|\b(?:in|for|during|of|as of)\s+(?:the\s+)?(?:(?:q[1-4]|[1-4]q|h[12]|fy)[ -]?(?:1[89]|20)\d\d|"
    rf"{_MONTH}\s+\d{{4}})(?![\w.]\d)",
    re.IGNORECASE,
)
_YEARS = re.compile(
    r"\b(?:between|from)\s+(?:the\s+)?(?:1[89]|20)\d\d\s+(?:and|to|until|through)\s+(?:the\s+)?(?:1[89]|20)\d\d"
    r"(?![\d.,]\d|\d| ?%)",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:table|page|pages|pp?\.|fig(?:ure|\.)?|chapter|section|appendix|column|row|sheet|footnote|edition)\s*"
    r"\d{1,4}(?:\s?-\s?\d{1,4})?(?![\d.,]\d|\d| ?%)|\b(?:1[89]|20)\d\d (?:column|row|edition|table|sheet|census|survey|"
    r"report|yearbook|release)s?\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(
    r",?\s+(?:rounded )?(?:to|at|with)\s+(?:\d{1,2}|one|two|three|four|five|six)\s+(?:decimals?|decimal (?:places?|"
    r"digits?)|digits?|places|significant (?:figures?|digits?))\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    rf"(?:(?<=\d),?|(?<=[a-z%)]),)\s+(?:(?:and|which is|that is|{_WORD}ly|far|well|just)\s+){{0,2}}(?:more|less|fewer|"
    rf"higher|lower|greater|larger|smaller|up|down|rising|falling)\s+(?:than|from)\s+(?:the\s+|about\s+)?{_NUMBER}"
    r"[^,.;\n()]{0,80}",
    re.IGNORECASE,
)
_THAT_IS_MORE = re.compile(
    r"(?<=[.;\n])\s*(?:that|this|it|which)(?:'s| is| was)\s+(?:\w+ly\s+|far\s+|well\s+|\d+ % )?(?:more|less|fewer|"
    r"higher|lower|greater|larger|smaller)\s+than\b[^.;\n]{0,200}(?:\.\d[^.;\n]{0,200})?",
    re.IGNORECASE,
)
_UNASKED = re.compile(
    r"[;.\n,]\s*(?:and\s+)?[^;.\n]{0,80}\b(?:(?:was|is|were|are) not (?:asked|wanted|needed)(?: for)?|for "
    r"(?:comparison|context)|grid ?lines? (?:are|is|stand)|tick marks? (?:are|is))\b[^;\n]{0,160}?(?=[;\n]|\.(?!\d)|$)",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"(?:^|\n)[ \t]*(?:[-*+•]\s+)?(?:source|sources|period|year|years|date|edition|reference period|retrieved|url|page|"
    r"table|sheet|series|as of)\s*:[^\n]{0,300}",
    re.IGNORECASE,
)
_PREMISE = re.compile(
    rf"(?:^|(?<=[.;\n]))[^.;\n]{{0,200}}\b\d[^.;\n]{{0,200}},\s+(?=(?:so|hence|thus|therefore)\s+(?:the|that|this|it|its)\b"
    rf"[^,.;\n]{{0,80}}\b(?:is|was|are|equals|comes to)\s+{_NUMBER})",
    re.IGNORECASE,
)
_COUNT = r"(?:\d{1,3}(?:,\d{3})+|\d{1,12})(?![\d.,]\d|\d)"
_PARTS = re.compile(
    rf"({_COUNT})([^\d:()\n,;]{{0,60}})(?::|,? made up of|,? of which|,? including|\s\()\s*"
    rf"({_COUNT}[^\d\n;.,:()]{{1,40}}(?:(?:,\s*(?:and\s+)?|\band\s+|\+\s*){_COUNT}[^\d\n;.,:()]{{0,40}}){{1,6}})",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")
_HEADING = re.compile(
    r"(?:^|\n)[ \t#*]*(?:how i (?:got|found|did) (?:there|this|it)|method(?:ology)?|workings?|steps?(?: taken)?|notes?|"
    r"sources?|caveats?|background|approach|calculation|reasoning)[ \t*:]*\n[\s\S]{0,20000}?"
    r"(?=\n[ \t]*#|\n[ \t*]*(?:final )?(?:answer|result|conclusion)\b|\Z)",
    re.IGNORECASE,
)
_ASIDES = (
    _HEADING, _FIELD, _UNASKED, _THAT_IS_MORE, _PREMISE, _COMPARED, _DATE, _YEARS, _PLACE, _DIGITS,
)  # fmt: skip
_GAP = re.compile(r"\s{3,}")
MOST = 20_000
"""Characters of an answer that is looked through: a longer one has no asides that matter."""


def without_asides(text: str) -> str:
    """`text` (numeric_form) with its asides blanked, each unless no number would be left beside it."""
    if len(text) > MOST:
        return text
    text = _GAP.sub(_narrow, text)
    for pattern in _ASIDES:
        text = pattern.sub(_blanked, text)
    return _PARTS.sub(_whole, text)


def _blanked(found: re.Match[str]) -> str:
    rest = found.string[: found.start()] + found.string[found.end() :]
    if not (found.re is _DIGITS or _WHOLE.search(found[0])) or not _WHOLE.search(rest):
        return found[0]
    return _narrow(found)


def _narrow(found: re.Match[str]) -> str:
    """White space in its place. Patterns would look at a long run of it once for each of its characters."""
    return "\n\n" if "\n" in found[0] else "  "


def _whole(found: re.Match[str]) -> str:
    """A count that is followed by the parts it is the sum of: `312 entries: 298 active and 14 archived`."""
    first, parts = _WHOLE.findall(found[1]), [int(n.replace(",", "")) for n in _WHOLE.findall(found[3])]
    if len(first) != 1 or int(first[0].replace(",", "")) != sum(parts):
        return found[0]
    return found[0][: found.end(2) - found.start()] + " "
