"""Type `boolean`: yes or no, as a word, a predicate or a short sentence. Both, neither or mere doubt fail."""

import re

from webds.errors import InputFault
from webds.types import Json
from webds_judge.answers.assertion import choose
from webds_judge.answers.clauses import AFFIRMED
from webds_judge.answers.payload import scalar_text
from webds_judge.answers.result import Compared, compared
from webds_judge.answers.tokens import Token

_YES = r"yes|yeah|yep|true|correct|right|affirmative|indeed|certainly|definitely|absolutely"
_NO = r"no|nope|false|incorrect|wrong|untrue|negative"
_WHOLE = {
    True: {
        "1",
        "y",
        "t",
        "oui",
        "ja",
        "si",
        "sí",
        "sim",
        "да",
        "✓",
        "✔",
        "✅",
        "☑",
        "是",
        "yes sir",
        "of course",
        "i think so",
        "i believe so",
    },
    False: {
        "0",
        "n",
        "f",
        "non",
        "nein",
        "nao",
        "não",
        "нет",
        "✗",
        "✘",
        "❌",
        "否",
        "not at all",
        "by no means",
        "no way",
        "i don't think so",
        "i do not think so",
        "i don’t think so",
        "i think not",
        "i believe not",
        "i'm afraid not",
        "certainly not",
        "definitely not",
        "absolutely not",
        "of course not",
    },
}
_BOTH = re.compile(
    rf"\b(?:{_YES})\s*(?:and|or|/|&|,? but(?: also)?|\||,)\s*(?:also )?(?:{_NO})\b|\b(?:{_NO})\s*(?:and|or|/|&|"
    rf",? but(?: also)?|\||,)\s*"
    rf"(?:also )?(?:{_YES})\b|\b(?:{_YES})\s*[(\[]\W*(?:or |and |but )?(?:{_NO})\b|"
    rf"\b(?:{_NO})\s*[(\[]\W*(?:or |and |but )?(?:{_YES})\b|"
    r"\b(?:neither|either|both|partly|partially|half[- ]true|depends|undecided|sometimes)\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:no (?:idea|answer|data|information|way to|clue|access|evidence either|opinion)|(?:don't|do not|cannot|"
    r"can't|could "
    r"not|couldn't|unable to|not possible to|impossible to) (?:know|tell|say|determine|answer|decide|help|"
    r"confirm|verify|"
    r"find)|unknown|unclear|not (?:sure|certain|clear|known|available|enough)|n/a)\b",
    re.IGNORECASE,
)
_HEDGE = (
    r"(?:(?:definitely(?= (?:yes|no)\b)|certainly(?= (?:yes|no)\b)|sure|well|absolutely(?= (?:yes|no)\b)|"
    r"probably|likely|"
    r"most likely|i think|i believe|i'd say|i would say|so|therefore|well|apparently|"
    r"clearly|in short|overall|"
    r"perhaps|maybe)\b[\s,:]*)*"
)
_START = re.compile(
    rf"^\W*{_HEDGE}(?P<neg>not )?(?P<word>{_YES}|{_NO})(?!\.?\s*\d)(?=\W*$|\s*[,.;:!\u2014\u2013(-]|"
    rf"\s+(?:indeed|sir|of course|it|"
    rf"they|that|there|this|"
    r"he|she|the|because|since|as|we|i)\b)",
    re.IGNORECASE,
)
_PREDICATE = re.compile(
    rf"(?:\b(?:is|was|be|it's|that's|answer|verdict|result|conclusion|seems|claim)\b|[:=])\s*(?:definitely |"
    rf"probably |clearly "
    rf"|likely |most likely |a )?(?P<neg>not |n't )?(?P<word>{_YES}|{_NO})(?=\W|$)|\b(?P<neg2>isn't|wasn't)\s+"
    rf"(?P<word2>{_YES}|{_NO})(?=\W|$)",
    re.IGNORECASE,
)
_ECHOED = (
    r"(?:it|they|he|she|that|this|there|we)\s+(?P<verb>(?:is|was|did|does|do|has|have|are|were|can|will|would|had|"
    r"could))(?P<neg>\s+not|n't|n’t)?\W*$"
)
_ECHO = re.compile(rf"^\W*{_ECHOED}", re.IGNORECASE)
_START_ECHO = re.compile(rf"^\W*(?P<word>{_YES}|{_NO})\W+{_ECHOED}", re.IGNORECASE)
"""`Yes it does not`."""
_REVISED = re.compile(
    r"\b(?:wait|actually|correction|sorry|on (?:second|further) thoughts?|on reflection|scratch that)\b[,:.\s]+(?=\w)",
    re.IGNORECASE,
)
_WAS_ONCE = re.compile(
    r"\b(?:used to|once|formerly|previously|no longer|unlikely to|not likely to|(?:claimed|said|alleged|supposed|"
    r"rumou?red|reported) to)\s*(?:be\s*)?$",
    re.IGNORECASE,
)
"""Before a predicate that is not asserted of now: `it used to be true`."""
_THAT_NOT = re.compile(
    r"^\s*that\b[^.;]{0,200}?\b(?:not|never|cannot)\b|^\s*that\b[^.;]{0,200}?n['’]t\b", re.IGNORECASE
)
"""`it is true that it does not`."""


def compare(reference: Json, candidate: str) -> Compared:
    """Whether the asserted truth value is the reference's."""
    wanted = _wanted(reference)
    value, why = _asserted(candidate)
    if value is None:
        return compared(False, why, None, wanted)
    return compared(value is wanted, f"the answer says {_word(value)}, the reference {_word(wanted)}", value, wanted)


def sample(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    return _word(_wanted(reference))


def _wanted(reference: Json) -> bool:
    if not isinstance(reference, bool):
        raise InputFault(f"reference: {reference!r:.80} is not true or false")
    return reference


def _word(value: bool) -> str:
    return "yes" if value else "no"


def _asserted(candidate: str) -> tuple[bool | None, str]:
    text, problem = scalar_text(candidate)
    if problem:
        return None, problem
    bare = text.strip(" \t\n.!\"'“”()").lower()
    for value, words in _WHOLE.items():
        if bare in words:
            return value, ""
    text = AFFIRMED.sub(" ", text)
    text = _REVISED.split(text)[-1]
    if _BOTH.search(text[:5_000]):
        return None, "both or neither is said"
    choice = choose(text, scan, lambda token: token.value)
    if choice.token is not None:
        value = bool(choice.token.value)
        return value, ""
    why = "undecided" if _DOUBT.search(text[:5_000]) else choice.why
    return None, why


def scan(text: str) -> list[Token]:
    """The truth value of a clause, as at most one token over its whole text."""
    text = text[:2_000]
    if _DOUBT.search(text):
        return []
    predicates = [found for found in _PREDICATE.finditer(text) if not _is_unasserted(text, found)]
    start = _START.match(text)
    if (both := _START_ECHO.match(text)) and bool(re.fullmatch(_YES, both["word"].lower())) is bool(both["neg"]):
        return []
    said = [_truth(found) for found in (start, predicates[-1] if predicates else None) if found]
    denies = (
        start
        and predicates
        and re.fullmatch("false|incorrect|wrong|untrue", predicates[-1]["word"] or "", re.IGNORECASE)
    )
    if denies and said == [True, False]:
        return []  # yes, that is false
    if said:
        return [Token(0, len(text), said[0], "truth")]
    echo = _ECHO.match(text)
    return [Token(0, len(text), not echo["neg"], "truth")] if echo else []


def _is_unasserted(text: str, found: re.Match[str]) -> bool:
    """Whether the predicate is of the past, hearsay, or of what is not so."""
    word = next(place for place in ("word", "word2") if found[place])
    return bool(_WAS_ONCE.search(text[: found.start(word)][-60:]) or _THAT_NOT.match(text[found.end(word) :]))


def _truth(found: re.Match[str]) -> bool:
    parts = found.groupdict()
    word = (parts["word"] or parts.get("word2") or "").lower()
    negated = bool(parts["neg"] or parts.get("neg2"))
    return bool(re.fullmatch(_YES, word)) is not negated
