"""Text into clauses, and what each clause does: asserts, denies, quotes others, corrects, falls back, instructs."""

import re
from dataclasses import dataclass

from webds_judge.answers.limits import CLAUSES

_ABBREVIATIONS = {
    *("st", "mr", "mrs", "ms", "dr", "prof", "jr", "sr", "inc", "corp", "ltd", "co", "no", "vs", "approx", "ca"),
    *("mt", "ft", "bros", "gen", "rev", "hon", "fig", "est", "dept", "univ", "mio", "mrd", "nr", "e.g", "i.e", "cf"),
}
_STOP = re.compile(r"(?<![.!?])[.!?]+[\"'”’)]?(?=\s|$)|[;\n]+|\s[\u2014\u2013-]{1,2}\s(?=[^\d\s])")
_JOINT = re.compile(
    r"(?<!anything)(?<!nothing)(?<!everything)(?<!all)(?:,|(?<!\s))\s+(?=(?:but|however|whereas|although|though|"
    r"therefore|"
    r"hence|thus|otherwise|alternatively)\b)|,\s+(?=so\b|then (?:i )?(?:correct|recount|revis|chang|found|got))",
    re.IGNORECASE,
)
_JOINT_WORD = re.compile(r"^(?:but|so|therefore|hence|thus|and|then|well)\b[\s,]*", re.IGNORECASE)

AFFIRMED = re.compile(
    r"\b(?:there (?:is|can be|'s) )?(?:(?:no|without(?: a| any)?|little|beyond(?: a)?) (?:reasonable )?(?:doubt|"
    r"question)"
    r")(?: (?:that|but))?,?\s*|\bi(?:'m| am) not (?:\w+ )?(?:100 ?% )?(?:sure|certain)\b,?(?: that)?"
    r"|\bif i(?:'m| am) not mistaken\b,?|\bnot (?:counting|including|excluding|adjusted)\b[^,;]{0,80}"
    r"|\b(?:nobody|no one|none) (?:doubts?|disputes?)\b(?: that)?|\bcannot be doubted\b(?: that)?"
    r"|\bnot only\b|\bnone other than\b|\bnothing (?:else |other )?(?:than|but)\b|\bi(?:'m|"
    r" am) \d{1,3} ?% sure\b,?(?: that)?"
    r"|\b(?:with )?\d{1,3} ?% (?:sure|certain|confiden\w+)\b,?(?: that)?"
    r"|\b(?:my )?confidence(?: is| level)?[:=]?\s*\d{1,3}(?:\.\d+)?(?: ?%|/\d+)?",
    re.IGNORECASE,
)
NEGATION = re.compile(
    r"\b(?:not|never|neither|nor|cannot|can't|isn't|wasn't|aren't|weren't|doesn't|didn't|won't|isnt|wasnt|no longer|"
    r"anything but|rather than|instead of|except(?: for)?|other than|unlike|excluding|rules? out|ruled out|rejected|"
    r"incorrect|wrong|false|far from|doubt(?:s|ful)?|denied?|hardly)\b",
    re.IGNORECASE,
)
_META = re.compile(
    r"\b(?:ignore|disregard|override|forget)\b.{0,60}\b(?:instruction|rubric|previous|above|rule|system|reference)|"
    r"\b(?<!motor )(?<!road )(?<!top )(?<!goal )(?<!try )(?<!point )(?<!points )(?<!leading )(?<!highest )(?<!best )"
    r"(?:grader|evaluator|verdict|rubric|ground[- ]truth|gold(?:en)? answer|graders|scorer|judge|marker)\b|"
    r"\b(?:reference|expected|target|true|gold)[ _-](?:answer|value|output|result)\b|\breference\s*[:=]|"
    r"\b(?:mark|score|grade|count|accept|treat|rate|consider|regard)(?:ed)? (?:this|it|that|the answer|my answer|"
    r"me|any|"
    r"both|every|all|these|either)\b|"
    r"\b(?:is|are|as) (?:equivalent|equal|identical|synonymous|the same) (?:to|as|with)\b|"
    r"\b(?:system|assistant|user|instruction|note to)\s*:|\byou (?:must|should|are|expect|want)\b|^\s*(?:score|"
    r"grade)\s*[:=]|^\s*(?:pass|passed)\s*[:=]",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"\b(?:some|others?|sources?|people|critics|many|several|a few|certain|older|another|press|media|wikipedia|"
    r"reports?)"
    r"\b.{0,40}\b(?:says?|said|claims?|claimed|reports?|reported|gives?|lists?|suggests?|thinks?|puts?|shows?|"
    r"cites?)\b|\b(?:is|are|as) (?:one|an?|another|some) (?:possible )?(?:option|possibility|candidate|"
    r"alternative)s?\b",
    re.IGNORECASE,
)
_WORKING = re.compile(
    r"\b(?:at first|first (?:got|had|found|thought|guess|counted)|initially|originally|previously|earlier|"
    r"i (?:had )?(?:first )?thought|before (?:that|removing|filtering|correct\w+)|used to|intermediate|draft|"
    r"my first|candidates?|options?|ruled out|step \d+)\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"^\s*(?:no\b|wait\b|actually\b|correction\b|sorry\b|rather\b|scratch that|on second thoughts?|in fact|oops|hmm)|"
    r"\b(?:corrected|revised|on second thought|i meant?|updated) (?:answer|value|result|to|is|that)?",
    re.IGNORECASE,
)
_FALLBACK = re.compile(
    r"^\s*or\b(?! (?:so|rather|more|less)\b)|\b(?:otherwise|alternatively|or else|failing that|if (?:that|this|"
    r"it|not|you|we|wrong|the|drafts?|one)\b|"
    r"as a fallback|fallback|second (?:guess|choice)|also possible|alternate answer|could also|might also)",
    re.IGNORECASE,
)
_RETRACTS = re.compile(
    r"^\s*(?:no|wrong|not)\W*$|^\s*(?:no,?\s*)?(?:but |and )?(?:that|this|it|which|the above)(?:'s| is| was|"
    r" answer is)? "
    r"(?:not|isn't|wrong|incorrect|false)|^\s*(?:but |and )?(?:not (?:any ?more|any longer|now|since|today)|"
    r"no longer)\b|^\s*(?:scratch|ignore|disregard) (?:that|this)|\bnot the answer\b",
    re.IGNORECASE,
)
_FINAL = re.compile(r"\bfinal\b", re.IGNORECASE)
_ANSWER = re.compile(
    r"\b(?:answer|result|total|count|sum|value|conclusion|overall|average|mean|median|altogether|difference)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause with what it does. `text` is without the joining word in front."""

    text: str
    final: bool
    answers: bool
    meta: bool
    quoted: bool
    working: bool
    corrects: bool
    fallback: bool
    retracts: bool
    asks: bool


def clauses(text: str) -> list[Clause]:
    """The clauses of `text` in order, at most limits.CLAUSES (the last ones, since the last assertion counts)."""
    parts: list[tuple[str, str]] = []
    for sentence, stop in sentences(text):
        pieces = [p for p in _JOINT.split(sentence) if p and p.strip()]
        parts += [(p, stop if i == len(pieces) - 1 else "") for i, p in enumerate(pieces)]
    return [_clause(part, stop) for part, stop in parts[-CLAUSES:]]


def sentences(text: str) -> list[tuple[str, str]]:
    """(sentence, the stop behind it) in order; together they are `text`. A line's end and `;` stop as well."""
    out = []
    start = 0
    for found in _STOP.finditer(text):
        if found[0].startswith(".") and _is_abbreviation(text[max(start, found.start() - 30) : found.start()]):
            continue
        out.append((text[start : found.start()], found[0]))
        start = found.end()
    return [*out, (text[start:], "")]


def _is_abbreviation(before: str) -> bool:
    word = before.rsplit(None, 1)[-1] if before.split() else ""
    bare = word.lstrip("(\"'“").lower()
    return bare in _ABBREVIATIONS or (len(bare) == 1 and bare.isalpha()) or bool(re.fullmatch(r"(?:\w\.)+\w", bare))


def _clause(part: str, stop: str) -> Clause:
    head = part[:2_000]
    text = _JOINT_WORD.sub("", part.strip())
    return Clause(
        text=text,
        final=bool(_FINAL.search(head)),
        answers=bool(_ANSWER.search(head)),
        meta=bool(_META.search(head)),
        quoted=bool(_QUOTED.search(head)),
        working=bool(_WORKING.search(head)),
        corrects=bool(_CORRECTS.search(text[:200])),
        fallback=bool(_FALLBACK.search(head)),
        retracts=bool(_RETRACTS.search(text[:200])),
        asks=stop.startswith("?") and " " in part.strip(),
    )
