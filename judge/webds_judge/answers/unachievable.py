"""Type `unachievable`: the right answer is that the data is not there, with the missing thing named.

A finding says of what the reference names that the source does not hold it. Giving up, "N/A", a refusal, a zero ("there
were no deaths") and a value beside the finding are wrong. Figures of other things may stand in it ("only 3,564 cases").
The reference `N/A` names nothing: any finding meets it. It is for comparing only, a key must name the thing.
"""

import itertools
import re
from collections.abc import Iterator

from unidecode import unidecode

from webds.types import Json
from webds_judge.answers import lacking, numerals, text
from webds_judge.answers.clauses import Clause, clauses
from webds_judge.answers.lacking import HELD, HOLD, NAMELESS_THING, NOT, SOURCE
from webds_judge.answers.payload import scalar_text
from webds_judge.answers.result import Compared, compared
from webds_judge.answers.tokens import OTHER, Token

NAMELESS = "n/a"
_NOT_AVAILABLE = re.compile(
    r"n\.?/?a\.?|not available|unavailable|not applicable|none|no answer|no data|unachievable|not achievable|"
    r"not possible|impossible|"
    r"not answerable|cannot be answered|-+|null",
    re.IGNORECASE,
)
_ESTIMATES = re.compile(
    r"\b(?:answer|estimate\w*|guess\w*|approximat\w*|roughly|would be|likely|probably|presumably|must be)\b",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"(?:\s*(?:of|out of|/)\s*\d[\d,.]{0,12})?\s*(?:\w+ly\s+)?(?!(?:people|persons?|individuals|percent|pct|"
    r"million|billion|thousand|hundred|in|of|or|to|and|"
    r"per|for|on|at|by|is|was|are|were|as|from|died|dead|total|all|altogether|according|based)\b)[a-z]{3,}",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\b(?:page|row|line|table|figure|sheet|step|section|chapter|file|part|tab)s? $", re.IGNORECASE)
"""Before a number of the search: `page 12 lists ...`."""
_MOST = 20_000
"""Characters that are searched for the finding."""


def compare(reference: Json, candidate: str) -> Compared:
    """Whether the text finds that the thing is not there."""
    wanted = text.accepted(reference)
    named = " or ".join(wanted)
    if _is_nameless(wanted) and _NOT_AVAILABLE.fullmatch(candidate.strip().strip(".! ")):
        return compared(True, "says that it is not available", candidate.strip(), named)
    said, problem = scalar_text(candidate)
    if problem:
        return compared(False, problem, None, named)
    every = [clause for clause in clauses(_plain(said)) if not (clause.meta or clause.asks)]
    value = next((v for clause in every for v in _values(clause, wanted)), "")
    if value:
        return compared(False, f"a value is given beside it: {value}", value, named)
    found = _at_the_ends(every)
    if any(_finds(clause.text, wanted) for clause in found) or _across(found, wanted):
        return compared(True, f"says that this is not there: {named}", said, named)
    why = "does not say that the source lacks it" if _names(said, wanted) else f"does not name what is missing: {named}"
    return compared(False, why, said, named)


def sample(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    wanted = text.accepted(reference)
    return "not available" if _is_nameless(wanted) else f"The site does not hold {wanted[0]}."


def names_nothing(reference: Json) -> bool:
    """Whether the reference leaves open what is missing."""
    return _is_nameless(text.accepted(reference))


def agrees(answer: str, reference: Json) -> bool:
    """Whether an answer text beside a reason is no answer of its own: empty, "not available", or the finding again."""
    bare = answer.strip().strip(".\"' ")
    return not bare or bool(_NOT_AVAILABLE.fullmatch(bare)) or compare(reference, answer).passed


def _at_the_ends(found: list[Clause]) -> list[Clause]:
    """The first and the last clauses, about _MOST characters in all: a finding stands before or behind the search."""
    sizes = list(itertools.accumulate(len(clause.text) for clause in found))
    whole = sizes[-1] if sizes else 0
    return [c for c, size in zip(found, sizes, strict=True) if size <= _MOST // 2 or size > whole - _MOST // 2]


def _is_nameless(wanted: tuple[str, ...]) -> bool:
    return all(option.strip().casefold() == NAMELESS for option in wanted)


def _plain(said: str) -> str:
    return re.sub(r"[ \t]+", " ", said.replace("’", "'").replace("‘", "'"))


def _thing(wanted: tuple[str, ...]) -> str:
    """A pattern of the ways to name the missing thing; words in their order, plural or not, two words between them."""
    if _is_nameless(wanted):
        return NAMELESS_THING
    ways = []
    for option in wanted:
        words = re.findall(r"\w+", unidecode(option).casefold())
        ways.append(r"(?:\W+\w+){0,2}?\W+".join(map(_word, words)))
    return rf"\b(?:{'|'.join(ways)})\b"


def _word(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return re.escape(word[:-3]) + "(?:y|ies)"
    stem = word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    return re.escape(stem) + "(?:e?s)?"


def _finds(said: str, wanted: tuple[str, ...]) -> bool:
    """Whether one clause says that the source lacks the thing."""
    thing = _thing(wanted)
    shown = unidecode(said[:2_000]).casefold()
    return any(re.search(pattern, shown) for pattern in lacking.patterns(thing))


def _across(found: list[Clause], wanted: tuple[str, ...]) -> bool:
    """One clause names the thing, the next says that there is no such data."""
    thing = re.compile(_thing(wanted))
    lack = re.compile(
        rf"\bno such\b|\b{SOURCE} (?:\w+ ){{0,2}}?(?:do|does|did)(?: not|n't) {HOLD} "
        r"(?:that|this|them|these|it|any)\b|"
        rf"\b(?:that|this|these|they|it)(?: \w+){{0,3}} (?:{NOT})\b(?: \w+){{0,2}}? {HELD}\b"
    )
    shown = [unidecode(clause.text[:2_000]).casefold() for clause in found]
    return any(thing.search(a) and lack.search(b) for a, b in itertools.pairwise(shown))


def _names(said: str, wanted: tuple[str, ...]) -> bool:
    return bool(re.search(_thing(wanted), unidecode(said[:_MOST]).casefold()))


def _values(clause: Clause, wanted: tuple[str, ...]) -> Iterator[str]:
    """Numbers of the clause that stand as an answer: no years, and none with another thing's name behind it."""
    said = clause.text[:2_000]
    thing = re.compile(_thing(wanted)) if not _is_nameless(wanted) else None
    for token in numerals.scan(numerals.numeric_form(said)):
        if (
            token.kind == OTHER
            or _PLACE.search(said[: token.start][-20:])
            or _is_year(said, token)
            or _is_word(said, token)
            or _is_named(said, token, thing)
        ):
            continue
        after = said[token.end : token.end + 40]
        labelled = _LABELLED.match(after) and not (thing and thing.match(after.strip().casefold()))
        if not labelled or _ESTIMATES.search(said):
            yield said[token.start : token.end]


def _is_year(said: str, token: Token) -> bool:
    digits = said[token.start : token.end].strip()
    return bool(re.fullmatch(r"1[5-9]\d\d|20\d\d", digits))


def _is_named(said: str, token: Token, thing: re.Pattern[str] | None) -> bool:
    """Digits of the missing thing's own name, as of a month: 2021-09."""
    spans = thing.finditer(said.casefold()) if thing else ()
    return any(match.start() <= token.start and token.end <= match.end() for match in spans)


def _is_word(said: str, token: Token) -> bool:
    """Number words in running text ("one", "no", "half") are hardly ever an answer beside a finding."""
    return not any(c.isdigit() for c in said[token.start : token.end])
