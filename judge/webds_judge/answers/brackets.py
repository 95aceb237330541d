"""Brackets behind a name that hold context (place, share, source, date), and those that may hold another answer."""

import re

from webds_judge.answers.calendar import MONTHS

OPEN = re.compile(
    r"\b(?:or|but|maybe|perhaps|possibly|could|might|may(?! \d)|actual\w*|correct\w*|answers?|wrong|instead|"
    r"tie[ds]?|tying|equal\w*|joint\w*|same|also|both|rather|likely|probabl\w+|unless|if|no|not|however|though|"
    r"although|should|which|"
    r"revised?|updated?|really|truly|winner|first|top|highest|largest|biggest|greatest|best|lowest|smallest|fewest|"
    r"too|as (?:is|was|does|did)|likewise|similarly|identical\w*|together|shared?|sharing|plus|else|alternativ\w+|"
    r"aka|alias|otherwise|question|wants?|ask\w*|accept\w*|count (?:it|this|that)|treat\w*|grader?\w*|judges?|"
    r"key|expected|"
    r"reference|either|whichever|formerly|previously|now|true|right|mean[st]?)\b|[|=?!]|\band/or\b|(?-i:[A-Z]\w*/\w)|"
    r"\w{3,}/\w{3,}",
    re.IGNORECASE,
)
"""Words that may make a second answer, a condition or a correction of what stands beside the answer."""
_BEHIND_NAME = re.compile(r"(?<=[^\W\d_])([\"'”’*]{0,2})\s+(?:\(([^()]{1,200})\)|\[([^\[\]]{1,200})\])")
_UNIT = r"(?:\s?(?:%|[^\W\d_A-Z][^\s\dA-Z,;:()]{0,20}|[A-Z]{1,4})(?:\s[a-z][^\s,;:()]{0,20}){0,3})?"
FIGURE = re.compile(
    rf"(?:(?:about|around|approx\.?|roughly|some|only|just|at|with|over|in|on|from|since|until|year) )?"
    rf"[-+\u2013]?(?:US)?[$€£¥]?\s?\d[\d.,\s]{{0,20}}(?:[\u2013-]\d[\d.,]{{0,20}})?{_UNIT}"
)
_MONTH = re.compile(rf"\b(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b", re.IGNORECASE)
_DATED = re.compile(r"(?:as of|as at|in|on|from|since|until|during|dated)\s(?:the\s)?[^A-Z]{0,40}")
_SIDE = re.compile(r"(?:(?:north|south|east|west|centr|upper|lower|coast)\w*)(?: [a-z]+){0,3}|rank(?:ed)? (?:1|first)")
_SURE = re.compile(r"(?:with )?(?:high|moderate|medium|low|fair|some|reasonable) confidence\b[^A-Z\d]*")
_CITED = re.compile(
    r"(?:sources?|see|retrieved|accessed|as per|according to|based on|data (?:from|of)|taken from|"
    r"press release|pages?|"
    r"p\.|tables?|figure|fig\.|row|line|column|sheet|appendix|chapter|section|published)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_COMPARED = re.compile(
    r"(?:compared (?:with|to)|against|vs\.?|versus|ahead of|followed by|up from|down from)\s.*",
    re.IGNORECASE | re.DOTALL,
)
_NOUN = re.compile(
    r"\b(?:county|district|province|region|island|municipality|department|parish|prefecture|borough|canton|"
    r"university|"
    r"institute|college|ministry|census|survey|edition|register|inventory|yearbook|press release)\b",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(?:says?|said|gives?|gave|shows?|showed|has|had|have|lists?|puts?|claims?|reports?|names?|is|was|are|"
    r"were|by|per|in|"
    r"on|for|from|with|without|under|using|when|according|after|before|and)\b",
    re.IGNORECASE,
)
"""Words beside which a name in a bracket is another value under another condition: `(Estby in the 2011 survey)`."""
_TELLS = re.compile(
    r"\b(?:says?|said|gives?|gave|shows?|has|had|puts?|claims?|names?|is|was|are|were)\b", re.IGNORECASE
)
_VALUED = re.compile(
    rf"(.*[^\W\d_][\"'”’*]{{0,2}})(?:\s+\((?P<a>{FIGURE.pattern})\)|(?::|\s+[\u2013\u2014-]|"
    rf",?\s+with)\s+(?P<b>{FIGURE.pattern}))"
)
_TIMES = re.compile(r"\b(?:times?|twice|occurrences?|mentions?|x)\b|×|\dx", re.IGNORECASE)


def without_context(text: str) -> str:
    """`text` without the brackets of context that stand behind a word."""
    return _BEHIND_NAME.sub(lambda found: found[1] if is_context(found[2] or found[3]) else found[0], text)


def is_context(said: str) -> bool:
    """Whether what a bracket says is context of the name before it and no other value."""
    said = said.strip()
    if OPEN.search(said):
        return False
    if _COMPARED.fullmatch(said) or _SURE.fullmatch(said):
        return True
    parts = [part for part in re.split(r"[;:,]\s+", said) if part]
    if parts and re.fullmatch(r"(?:data )?sources?", parts[0], re.IGNORECASE) and len(parts) > 1:
        return True
    return bool(parts) and all(_is_part(part, ", ".join(parts[i:])) for i, part in enumerate(parts))


def _is_part(part: str, onwards: str) -> bool:
    """Whether one part of a bracket is context of its own; `onwards` is it with all that follows."""
    if _COMPARED.fullmatch(onwards) or FIGURE.fullmatch(part) or _SIDE.fullmatch(part):
        return True
    if _DATED.fullmatch(_MONTH.sub("month", part)):
        return True
    return bool(_CITED.fullmatch(part) and not _TELLS.search(part)) or bool(
        _NOUN.search(part) and not _SAYS.search(part)
    )


def figure_behind(item: str) -> str:
    """A list's item without the figure in a bracket, behind a colon or behind a dash; the item itself without one."""
    found = _VALUED.fullmatch(item)
    if found is None and (behind := _BEHIND_NAME.search(item)) and behind.end() == len(item) and "(" in behind[0]:
        starts = re.match(FIGURE.pattern + r"(?:[,;:]\s|$)", behind[2])
        found = re.match(r"(.*?)$", item[: behind.start()] + behind[1]) if starts and is_context(behind[2]) else None
    return (
        found[1].rstrip(" *_") if found and not _TIMES.search(item) and not OPEN.search(item[len(found[1]) :]) else item
    )
