"""Where a list stands in an answer that says more than the list: behind an introduction, before a note of the source.

An introduction says what was done or what follows, and names no items; a label that sets the list aside ("Ruled out:",
"The others:") makes it no answer.
"""

import re
from collections.abc import Iterator, Sequence

from webds_judge.answers import phrases, remarks
from webds_judge.answers.brackets import OPEN, figure_behind
from webds_judge.answers.clauses import NEGATION

BULLET = re.compile(r"^\s*(?:[-*•‣◦–]|\(?\d{1,3}[.)]|[a-z]\))\s+", re.IGNORECASE)
_PROSE = re.compile(
    r"^\W*(?:i|we|i['’]ve|based|looking|using|according|below|having|after|"
    r"from|to|"
    r"step \d|the following)\b",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"\W*here(?: is|'s| are) (?:what i (?:found|did|got)|(?:the|my) (?:\w+ )?(?:answer|list|results?|items?|"
    r"findings|summary))\W*",
    re.IGNORECASE,
)
_CLAIMS = re.compile(
    r"\b(?:got|gets?|gives?|gave|has|have|had|is|yields?|found(?! (?:the|these|this|on|in|it|that|them|out|"
    r"\w+ \w+:)\b)|answer|are(?! (?:the|these|those|listed|"
    r"shown|what|as)\b)|includes?|qualif\w+|namely)\b(?!\s*\W*$)",
    re.IGNORECASE,
)
"""An introduction with these words may name items of its own."""
_ASIDE = re.compile(
    r"\b(?:not|never|more|further|addition\w*|besides|plus|then|next|second|except|excluding|without|excluded|"
    r"rest|others?|remaining|rejected|dropped|removed|instead|"
    r"either|"
    r"ruled out|discarded|dismissed|possible|potential|any of|one of|or|also|wrong|candidates?|options?|maybe|"
    r"perhaps|possibly|could|may|might)\b|n['’]t\b",
    re.IGNORECASE,
)
_UNCOUNTED = re.compile(
    r"^[^:\n]{0,200}\b(?:wrong|incorrect|in addition to|besides|apart from|aside from|plus|others say|(?:do|"
    r"does|did)(?: not|n['’]t) (?:count|qualify|belong|meet|apply)|not the answer|the "
    r"(?:rest|others)|remaining ones)\b[^:\n]{0,80}:",
    re.IGNORECASE,
)


_MEETS = re.compile(
    r"\s[\u2013\u2014-]\s(?:yes|(?:is |are )?(?:above|over|more than|within|at least)|exceeds?|meets?|passes|"
    r"qualifies|listed)"
    r"(?: [a-z]+){0,5}$"
)
_NAME = re.compile(r".{1,80}?(?=\s[\u2013\u2014-]\s)")
"""An item before a dash; what stands behind is a remark if it is the same of every item."""


_PREDICATE = re.compile(
    r"^(?:only )?(?P<items>[^\n:]{1,2000}?) (?:exceed|are (?:above|over|listed)|qualify|meet|satisfy|pass|match)\b"
    r"(?:(?! and )[^,;.\n]){0,120}\.?$",
    re.IGNORECASE,
)
"""`Tin and lead exceed the limit.`"""


def is_set_aside(text: str) -> bool:
    """Whether the label before the items says that they are not the answer: `Ruled out:`, `These do not qualify:`."""
    return bool(phrases.SET_ASIDE.match(text[:300]) or _UNCOUNTED.match(text))


def bodies(text: str) -> Iterator[str]:
    """The list's own lines, where the rest is an introduction or a note; as often as there is a reading."""
    plain = remarks.without_notes(text)
    if plain != text:
        yield plain
    lines = [line for line in plain.splitlines() if line.strip()]
    said = _PREDICATE.match(plain)
    if said and not (NEGATION.search(plain) or OPEN.search(plain[said.end("items") :])):
        yield said["items"]
    if len(lines) < 2 or len(lines) > 2_000:
        return
    first = _first_item(lines)
    if first and _introduces(lines[:first]):
        yield "\n".join(lines[first:])


def _first_item(lines: Sequence[str]) -> int:
    """Where the items begin: the bullets if nothing else follows them, else the last line if it has a label; or 0."""
    marked = [bool(BULLET.match(f"{line} ")) for line in lines]
    if any(marked):
        first = marked.index(True)
        return first if all(marked[first:]) else 0
    last = len(lines) - 1
    return last if ":" in lines[last] and _introduces([lines[last].split(":", 1)[0] + ":"]) else 0


def _introduces(head: Sequence[str]) -> bool:
    """Whether the lines before the items only lead to them."""
    *before, label = head
    if len(" ".join(head)) > 4_000 or any(_ASIDE.search(line) for line in (label, *before[-1:])):
        return False
    if not label.rstrip(" *_").endswith(":"):
        before = list(head)
    return all(
        remarks.TITLE.match(line) or _LEADS.fullmatch(line) or (_PROSE.match(line) and not _CLAIMS.search(line))
        for line in before
    )


def without_figures(items: list[str], ordered: bool) -> list[str]:
    """The items without the figure that each has behind it; empty where not every one has one."""
    bare = [figure_behind(item) for item in items]
    alike = {item[len(found[0]) :] if (found := _NAME.match(item)) else "" for item in items}
    if len(items) > 1 and len(alike) == 1 and "" not in alike and _MEETS.match(next(iter(alike))):
        bare = [item.removesuffix(next(iter(alike))) for item in items]
    if not items or any(a == b for a, b in zip(items, bare, strict=True)):
        return []
    places = [re.sub(r"\D", "", item[len(name) :]) for item, name in zip(items, bare, strict=True)]
    if not any(places):
        return bare
    wanted = [str(i + 1) for i in range(len(items))]
    if ordered and sorted(places) == sorted(wanted) and places != wanted:
        return []  # places that contradict the order
    return bare
