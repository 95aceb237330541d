"""Types `string` and `name`: which phrase the text asserts, and whether it is the reference under rule 15.

The phrase must equal an accepted value as a whole. Containment never counts: what stands around it has to be a known
way of asserting ("the answer is", "I think", ", according to the table").
"""

import re
from collections.abc import Callable, Iterator

from webds.errors import InputFault
from webds.types import Json
from webds_judge.answers import phrases, remarks
from webds_judge.answers.clauses import AFFIRMED, NEGATION, Clause, clauses
from webds_judge.answers.names import same_name, same_string
from webds_judge.answers.payload import scalar_text
from webds_judge.answers.references import alternatives
from webds_judge.answers.result import Compared, compared

_LEAD = re.compile(
    r"^(?:(?:i\s+(?:think|believe|guess|suppose|would say|am (?:fairly |pretty |quite )?(?:sure|certain|confident))|"
    r"i'd say|i'm (?:fairly |pretty |quite )?(?:sure|certain|confident)|it (?:seems|appears|looks like|would be)"
    r"(?: to be)?|probably|most likely|likely|possibly|perhaps|maybe|apparently|in my (?:view|opinion)|approximately|"
    r"clearly|certainly|definitely|undoubtedly|surely|obviously|evidently|presumably|well|sure|okay|ok|yes|so|"
    r"therefore|thus|hence|then|now|actually|no|wait|correction|"
    r"sorry|rather|instead|indeed|ultimately|finally|in (?:conclusion|summary|the end|fact))\b(?:\s+that\b)?[\s,:]*|"
    r"(?:based on|according to|after|from|having|as of|given|looking at|per|in|for|among|of)\b[^,:]{1,120}[,:]\s+)",
    re.IGNORECASE,
)
_COPULA = re.compile(
    r"(?:(?<=\w)'s|\b(?:is|was|are|were|would be|should be|must be|can only be|(?:could|might|may) (?:also|well|"
    r"equally) be|could be|might be|may be|will be|equals|"
    r"remains|called|named|"
    r"belongs? to|goes to|has to be|have to be|say|choose|pick|found|go with)|:|(?<![=!<>])=(?!=)|->|"
    r"→)\s+(?:still\s+|most likely\s+|probably\s+|likely\s+|that of\s+|clearly\s+|"
    r"therefore\s+|thus\s+|definitely\s+|certainly\s+|indeed\s+)?",
    re.IGNORECASE,
)
_LABEL_BEFORE = re.compile(
    r"^\W*(?:(?:the|my|final|correct|short|answer|result|value|conclusion|output)\b\s*)+$", re.IGNORECASE
)
_PREDICATE = re.compile(
    r"^(?:(?:is|was) (?:listed|named|given|shown|recorded|identified|credited) as the\b|ranks? first\b(?!\sin\b)|"
    r"(?:narrowly |clearly |just |easily )?(?:beats?|wins?|won)\b(?!.*\b(?:until|when|then|but|before|lost|"
    r"nothing|none|if)\b)|"
    r"(?:has|had|records|recorded|shows|showed) more (?:\w+ ){1,4}than any other\b)|"
    r"^(?:is|was|has|had|holds|held|leads?|led|tops|topped|ranks? (?:first|top|highest)|ranked (?:first|top|highest)|"
    r"recorded|shows|showed|came (?:first|top)|comes (?:first|top)|won|wins|takes|scored|reported|appears)\s+"
    r"(?:the|my|our|correct|right|first|top|by far|with)\b",
    re.IGNORECASE,
)
_NOT_FIRST = re.compile(
    r"\b(?:second|third|fourth|next|runner|after|behind|lowest but|wrong|incorrect|not|false)\b", re.IGNORECASE
)
_TRAIL = re.compile(
    r"(?:,\s+(?:which|who|where|with|based on|according to|as|because|since|not|rather than|instead of|followed by|"
    r"at|in|ahead of|i think|i believe|i suppose|i guess|if i|i'd say|i would say|probably|(?:likely|most likely|"
    r"possibly|perhaps|maybe|"
    r"presumably)(?=\W*$)|though|i'm|per|from)\b|\s+(?:based on|according to|as of|because|since|"
    r"rather than|instead of|for sure|i think|i believe|by far|ahead of|is the (?:final |correct |right )?answer|"
    r"is correct|is right|\((?:though|although|but|based on|according to|see|from|source|not|confidence|as of|"
    r"i'm|i am|fairly|very|"
    r"quite)\b|(?<=\D\s)\([\d.,%\s]+\)$|"
    r"that (?:has|had|is|was|leads|led)\b)|:\s*[$€£]?[\d.,]+\s?%?$|\s+(?:and|but) not\s|,?\s+not\s).{0,2000}$",
    re.IGNORECASE | re.DOTALL,
)
_REVERSED = re.compile(
    r"\b(?:the other way (?:a)?round|vice versa|or the reverse|in either order)\b|\binstead\W*$", re.IGNORECASE
)
"""In a trailing remark: `Norvale, followed by Estby, or the other way round`."""
_EQUALLY = re.compile(
    r"[A-Z]\w+ (?:is |would )?(?:fits?|also|just as|equally)\b|\b(?:fits?|possible|plausible|likely) (?:too|"
    r"as well)\b"
)
"""Another name that is said to do as well."""
_DENIES_TAIL = re.compile(
    r"(?:\s+(?:and|but) not|\s+\((?:though|although|but|not)|,\s+(?:and )?(?:not|unlike|no longer)|(?:,|"
    r"(?<!\s))\s+(?:rather than|"
    r"instead of))\s.{0,2000}$",
    re.IGNORECASE | re.DOTALL,
)
_WITH_FIGURE = re.compile(r"^([^:]{1,200}):\s*[-+$€£]?\d[\d.,]{0,20}\s?[^\s,;]{0,12}$")
"""Norvale: 12.5%"""
_BOTH = re.compile(r"^(.{1,200}?)\s*\(([^()]{1,200})\)$", re.DOTALL)
_CONTRAST = re.compile(
    r"^(?:(?:it(?:'s| is) )?not\s[^:,;]{1,80}[:,]\s+(?:but\s+)?(?:it(?:'s| is)\s+)?|"
    r"(?:it|that|this|the answer)(?:\s(?:is|was)n['’]t|(?:['’]s|\s(?:is|"
    r"was))\snot)\s[^:,;]{1,80}[,;:]\s+(?:but\s+)?it"
    r"(?:['’]s|\s(?:is|was))\s+)(.+)$",
    re.IGNORECASE | re.DOTALL,
)
"""Not Estby: Norvale."""
_CONDITION = re.compile(r"^(?:or\s+)?(?:otherwise|if\b[^,]{1,80}),\s+", re.IGNORECASE)
"""What a fallback is said under: `if not, Carrick` offers Carrick."""
_WRAP = " \t\n\"'“”‘’«»`"
_PICTURES = re.compile(r"[\s\U0001F300-\U0001FAFF\u2600-\u27BF]+$")
_PLACED = re.compile(
    r"^(?:in|at|from|by|(?:written|made|published|located|found|based|set|led|recorded|measured|reported|observed|"
    r"registered|built|designed|issued|held|run|directed|compiled|founded|reached|seen|launched|funded|"
    r"operated|owned|developed|produced|created|signed|released|organi[sz]ed|hosted|introduced|proposed|"
    r"painted|composed|discovered|invented|chaired|edited|translated|conducted|commissioned|managed|maintained|"
    r"prepared|collected|sponsored|adopted|presented|won) (?:by|in|at))\s+",
    re.IGNORECASE,
)
_IS_REMARK = re.compile(r"(?:the|with|by|at|in) [^A-Z]{1,80}$")
"""`the highest rate` beside a name."""
_REMARK = re.compile(
    r"came|comes?|ranked|ranks?|checked|looked|sees?|counted|found|wins?|won|beats?|trails?|follow(?:s|ed)?|has|had|"
    r"is|was|are|were",
    re.IGNORECASE,
)

type Same = Callable[[str, str], bool]


def compare(reference: Json, candidate: str) -> Compared:
    """Type `string`."""
    return _compare(reference, candidate, same_string)


def compare_name(reference: Json, candidate: str) -> Compared:
    """Type `name`: the order of a name's parts is free."""
    return _compare(reference, candidate, same_name)


def sample(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    return accepted(reference)[0]


def accepted(reference: Json) -> tuple[str, ...]:
    """The accepted spellings. InputFault where one is no text or empty."""
    options = alternatives(reference)
    for option in options:
        if not isinstance(option, str) or not option.strip():
            raise InputFault(f"reference: {option!r:.80} is not a text")
    return tuple(str(option) for option in options)


def _compare(reference: Json, candidate: str, same: Same) -> Compared:
    wanted = accepted(reference)
    named = " or ".join(wanted)
    if candidate.strip() in wanted:
        return compared(True, f"the answer is {named}", candidate.strip(), named)
    text, problem = scalar_text(candidate)
    if problem:
        return compared(False, problem, None, named)
    text = _PICTURES.sub("", text)
    whole = text.strip(_WRAP)
    if _is_one_of(whole, wanted, same):
        return compared(True, f"the answer is {named}", whole, named)
    phrase, why = _asserted(AFFIRMED.sub(" ", _plain(text, wanted)), wanted, same)
    if phrase is None:
        return compared(False, why, None, named)
    if _is_one_of(phrase, wanted, same):
        return compared(True, f"{phrase[:80]!r} is asserted", phrase, named)
    return compared(False, f"{phrase[:80]!r} is not {named}", phrase, named)


def _plain(text: str, wanted: tuple[str, ...]) -> str:
    """Without remarks; brackets and figures stay where an accepted value has some of its own."""
    return remarks.without(text, named=not any(c in "([" or c.isdigit() for option in wanted for c in option))


def _is_one_of(phrase: str, wanted: tuple[str, ...], same: Same) -> bool:
    if len(phrase) > 2_000:
        return False
    if any(same(phrase, option) for option in wanted):
        return True
    both = _BOTH.match(phrase)  # World Health Organization (WHO): two accepted spellings of one answer
    return bool(both) and all(any(same(part, option) for option in wanted) for part in both.groups()) if both else False


def _asserted(text: str, wanted: tuple[str, ...], same: Same) -> tuple[str | None, str]:
    """The asserted phrase; where several readings of a clause are possible, the one that is accepted."""
    found = clauses(text)
    claims: list[tuple[int, str, Clause]] = []
    retracted = denied = False
    for clause in found:
        if clause.meta or clause.quoted or (clause.asks and not clause.fallback):
            continue
        if clause.retracts and claims:
            retracted, denied = True, True
            claims.clear()
            continue
        said = _CONDITION.sub("", clause.text) if claims else clause.text
        claim = _claim(said, clause, wanted, same)
        denied = denied or (claim is None and bool(NEGATION.search(clause.text[:2_000])))
        if claim:
            claims.append((*claim, clause))
    if not claims:
        return None, "the value is denied" if denied or retracted else "no plain assertion"
    return _winner(claims, wanted, same)


def _winner(claims: list[tuple[int, str, Clause]], wanted: tuple[str, ...], same: Same) -> tuple[str | None, str]:
    if claims[-1][2].corrects:
        return claims[-1][1], ""
    plain = [c for c in claims if not (c[2].working or c[2].fallback)] or claims
    top = max(strength for strength, _, _ in plain)
    best = [phrase for strength, phrase, _ in plain if strength == top]
    rivals = best + [phrase for _, phrase, clause in claims if clause.fallback]
    right = [_is_one_of(phrase, wanted, same) for phrase in rivals]
    if any(right) and not all(right):
        wrong = [phrase for phrase, ok in zip(rivals, right, strict=True) if not ok]
        is_named = all(option[:1].isupper() for option in wanted)
        if is_named and any(_EQUALLY.search(phrase) for phrase in wrong):
            return None, "more than one answer is given"
        if any(_looks_like_a_value(phrase) and not (is_named and _IS_REMARK.match(phrase)) for phrase in wrong):
            return None, "more than one answer is given"
        return next(phrase for phrase, ok in zip(rivals, right, strict=True) if ok), ""
    return best[-1], ""


def _looks_like_a_value(phrase: str) -> bool:
    """A short phrase or a capitalised name, and not a remark such as `checked the page`."""
    words = phrase.split()
    if any(_REMARK.fullmatch(word) for word in words):
        return False
    return len(words) <= 3 or all(w[:1].isupper() or w[:1].isdigit() or len(w) <= 3 for w in words)


def _claim(said: str, clause: Clause, wanted: tuple[str, ...], same: Same) -> tuple[int, str] | None:
    """(strength, phrase) of what the clause asserts; None for a denial or a mere remark."""
    text = _without_lead(said[:4_000])
    contrast = _CONTRAST.match(text)
    text = contrast[1] if contrast else text
    if phrases.SET_ASIDE.match(text[:200]):
        return None
    if NEGATION.search(_DENIES_TAIL.sub("", text)):
        return None
    readings = list(_readings(text))
    for strength, phrase in readings:
        if _is_one_of(phrase, wanted, same):
            return strength + (clause.final and strength >= 3), phrase
    return max(readings, key=lambda reading: reading[0], default=None)


def _without_lead(text: str) -> str:
    text = text.strip(_WRAP)
    for _ in range(5):
        shorter = _LEAD.sub("", text, count=1).strip(_WRAP)
        if shorter == text or not shorter:
            break
        text = shorter
    return text


def _readings(text: str) -> Iterator[tuple[int, str]]:
    """Possible (strength, phrase) pairs of a clause, each as it is and without a trailing remark."""
    cues = list(_COPULA.finditer(text))
    if cues:
        last = cues[-1]
        named = _LABEL_BEFORE.match(text[: last.start()]) or re.search(
            r"\banswer\b", text[: last.start()], re.IGNORECASE
        )
        yield from _trimmed(3 if named else 2, text[last.end() :])
        first = cues[0]
        if first is not last:
            yield from _trimmed(2, text[first.end() :])
    figure = _WITH_FIGURE.match(text)
    if figure:
        yield from _trimmed(2, figure[1])
    subject = re.match(
        r"^((?:\S+\s+){1,8}?)(?=(?:is|was|has|had|holds|held|lead|led|top|rank|record|show|came|come|won|win|"
        r"take|score|report|appear|beat|narrowly|clearly|just|easily)\w*\s)",
        text,
        re.IGNORECASE,
    )
    if subject and _PREDICATE.match(text[subject.end() :]) and not _NOT_FIRST.search(text[subject.end() :]):
        yield from _trimmed(2, subject[1])
    if not cues and len(text.split()) <= 12:
        yield from _trimmed(2, text)


def _trimmed(strength: int, phrase: str) -> Iterator[tuple[int, str]]:
    phrase = _without_lead(phrase.strip(_WRAP + ".,;"))
    if phrase:
        yield strength, phrase
        if _PLACED.match(phrase):
            yield strength, _PLACED.sub("", phrase)
        trail = _TRAIL.search(phrase)
        shorter = phrase[: trail.start()].strip(_WRAP + ".,;") if trail else phrase
        if trail and shorter and not _REVERSED.search(trail[0]):
            yield strength, shorter
            if _PLACED.match(shorter):
                yield strength, _PLACED.sub("", shorter)
