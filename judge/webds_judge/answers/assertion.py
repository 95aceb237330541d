"""Which of the values in a text is the answer: rules 10 and 11 for every type that a scanner can find.

Each value gets a rank in its clause (plain, soft context, context) or is denied; each clause gets a strength. The
strongest plain assertion wins, and two different ones, a bound, an alternative or a fallback mean no answer.
"""

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from decimal import Decimal

from webds_judge.answers.clauses import AFFIRMED, NEGATION, Clause, clauses
from webds_judge.answers.limits import CLAUSE_TOKENS, TOKENS
from webds_judge.answers.tokens import EXPRESSION, MOMENTS, OTHER, RANGE, Token

type Scan = Callable[[str], list[Token]]

_CUE = re.compile(
    r"^\s*in (?:total|all|sum)\b,?|\b(?:is|are|was|were|be|been|equals?|comes? (?:out )?(?:to|at)|"
    r"came (?:out )?to|amounts? to|(?<!in )(?<!a )totals?|totall?ed|"
    r"works? out (?:to|at)|stands? at|gives?|gave|yields?|got|get|found|count(?:ed)?|has|have|had|contains?|holds?|"
    r"lists?|shows?|includes?|returned|reached|say|choose|pick|i'd go with|submit|remains?|it's|that's|namely|"
    r"i\.?e|down to|finally)\b|[:=≈]|->|→",
    re.IGNORECASE,
)
_IT = re.compile(r"\b(?:it|this|that|answer)(?:'s| is| was| should be| must be)\b", re.IGNORECASE)
_BOUND_LEFT = re.compile(
    r"(?:\b(?:more|less|fewer|greater|higher|lower|larger|smaller|bigger|older|longer|shorter|earlier|later|sooner)"
    r"(?: or equal)?(?: than| to)|\bat (?:the )?(?:least|most|earliest|latest)|\bup to|\b(?:just |well |"
    r"slightly |a little )?"
    r"(?:over|above|under|below|beyond)|\bexceed(?:s|ing|ed)?|\bupwards? of|\bnorth of|\bas (?:many|much|few) as|"
    r"\bno (?:earlier|later) than|\bnearly|\balmost|\bclose to|\b(?:min(?:imum)?|max(?:imum)?)\b\.?(?: of)?|"
    r"\bnot (?:quite|even)|[<>≤≥]=?)\s*(?:the\s+|a\s+|about\s+)?$",
    re.IGNORECASE,
)
_BOUND_TIME = re.compile(r"\b(?:before|after|since|until|by|prior to)\s*(?:the\s+)?$", re.IGNORECASE)
_BOUND_RIGHT = re.compile(
    r"^\s*(?:\w+\s+)?(?:\+(?!\s?\d)|or (?:more|less|fewer|higher|lower|above|below|over|under|greater|earlier|later|"
    r"before|after)\b|and (?:above|up|over|more|below)\b|plus\b|at (?:least|most)\b|minimum\b|maximum\b|"
    r"upwards\b|or fewer)",
    re.IGNORECASE,
)
_CONTEXT_LEFT = re.compile(
    r"(?:\b(?:in|from|after|across|among|during|since|until|before|per|through|out of|than|versus|vs\.?|to|against|"
    r"page|step|row|rows|line|column|table|figure|fig\.?|chapter|section|version|sheet|year|task|question|item|note|"
    r"part|day|week|top|tier|checked|checking|filtered|all|these|those|of the|of which|of whom|of them|"
    r"including|removing|dropping|skipping|ignoring|"
    r"compared with|compared to|up from|down from)\s+(?:the\s+|all\s+|about\s+|these\s+|last\s+|first\s+)?)$",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r"^\s*(?:after|out of|of the|of all|of|from|based on|with|having|in|among|across|for|given|looking at|by|using|"
    r"between|during|when|once|since|despite|although|though|while)\b",
    re.IGNORECASE,
)
"""How a leading phrase starts that only sets the scene: `After checking 3 tables, ...`."""
_OF_LEFT = re.compile(r"\x01\s*(?:\w+\s+)?(?:out\s+)?(?:of|/)\s+(?:the\s+|all\s+)?$", re.IGNORECASE)
_SOFT_LEFT = re.compile(r"\b(?:at|by|with|for|on|using|over)\s+(?:the\s+|all\s+)?$", re.IGNORECASE)
_DENIED_RIGHT = re.compile(
    r"^[^,.;]{0,30}?\b(?:is|was|are|were|would be|seems|looks|cannot be|can't be|isn't|wasn't)\b[^,.;]{0,20}?"
    r"\b(?:wrong|incorrect|false|not|right|correct|ruled out|excluded|impossible|it|the answer)\b",
    re.IGNORECASE,
)
_NEGATES = re.compile(r"wrong|incorrect|false|not|ruled out|excluded|impossible|n't|cannot", re.IGNORECASE)
_OR_RIGHT = re.compile(
    r"^\s*(?:\w+\s+){0,2}[,(]?\s*(?:\bor\b(?! (?:so|thereabouts|thereabout)\b)|\|+|and/or\b)", re.IGNORECASE
)
_OR = re.compile(r"\bor\b(?! (?:so|more|less)\b)|\|\|", re.IGNORECASE)
_LOCATED = re.compile(
    r"\b(?:in|on|at|see|from|of|under)\s(?:the\s)?(?:row|page|line|column|table|figure|fig\.?|section|sheet|"
    r"cell|step)s?\s$|"
    r"\berror(?: code)?:?\s$|\bhttp(?: status)?\s$",
    re.IGNORECASE,
)
"""`the answer is in row 42`: where it stands, not what it is."""
_QUALIFIES = re.compile(
    r"^[^()]{0,30}\b(?:with|without|if|or|including|excluding|incl|excl|when|counting)\b", re.IGNORECASE
)
"""In a bracket after a value: another value under another condition."""
_REFUSES = re.compile(
    r"\b(?:cannot|can't|unable to|(?:do not|don't|could not|couldn't|did not|didn't)) (?:answer|determine|find|"
    r"know|say|help|tell|"
    r"access|see|complete|finish|get)\b|\bg[ai]ve up\b|\bgiving up\b|\bfailed to\b|\bnot (?:able|possible) to\b|"
    r"\bran out of\b|"
    r"^\W*(?:the )?(?:task|attempt|request|run|page|site)\b[^.]{0,20}\b(?:failed|timed out|crashed)\b|"
    r"\bsorry\b|\bapologi[sz]e\b|\bcould not be (?:completed|done|finished|answered|determined|found)\b",
    re.IGNORECASE,
)
_REFUSES_FIRST = re.compile(
    r"\b(?:cannot|can't|unable to|not able to|could not|couldn't) (?:answer|determine|help)\b[^,]*$", re.IGNORECASE
)
_NAMED = re.compile(r"\banswer\b", re.IGNORECASE)
_HEAP = 2_000
"""Characters of a clause that nobody writes around a value without any word that asserts it."""
_EITHER = re.compile(
    r"\b(?:either|one of|among|any of|such as|for example|for instance|e\.g\.?)(?!\w)[^,.;]{0,30}$", re.IGNORECASE
)
_PLAIN, _SOFT, _CONTEXT, _DENIED = range(4)


@dataclass(frozen=True, slots=True)
class Choice:
    """The asserted value's token, or None and why there is none."""

    token: Token | None
    why: str = ""
    text: str = ""
    """The clause that the token stands in."""


@dataclass(frozen=True, slots=True)
class _Claim:
    strength: int
    clause: Clause
    tokens: tuple[Token, ...]
    problem: str


def choose(
    text: str, scan: Scan, same: Callable[[Token], Hashable] = lambda token: (token.value, token.kind)
) -> Choice:
    """The one asserted value in `text`. `same` maps tokens to what must agree between repeated mentions."""
    found = [claim for clause in clauses(AFFIRMED.sub(" ", text)) if (claim := _claim(clause, scan))]
    if sum(len(claim.tokens) for claim in found) > TOKENS:
        return Choice(None, f"more than {TOKENS} values")
    claims = [claim for claim in found if claim.tokens]
    if not claims:
        return Choice(None, next((c.problem for c in found if c.problem), "no value of this type is asserted"))
    claim, why = _winner(found, claims, same)
    if claim and (
        _refused(claim) or (claim.strength == 1 and any(_REFUSES.search(c.clause.text[:2_000]) for c in found))
    ):
        return Choice(None, "the answer is refused")
    if claim is None:
        return Choice(None, why)
    values = {same(token) for token in claim.tokens}
    if claim.problem:
        return Choice(None, claim.problem)
    if len(values) > 1:
        return Choice(None, "more than one answer is given")
    return Choice(claim.tokens[-1], text=claim.clause.text)


def _refused(claim: _Claim) -> bool:
    """`Unable to answer: 77 pages failed`: the clause refuses before it names a value."""
    return bool(_REFUSES_FIRST.search(claim.clause.text[: claim.tokens[0].start][:2_000])) if claim.tokens else False


def _winner(found: list[_Claim], claims: list[_Claim], same: Callable[[Token], Hashable]) -> tuple[_Claim | None, str]:
    """The claim that counts, or why none does."""
    correcting = [c for c in claims if c.clause.corrects]
    if correcting and correcting[-1] is claims[-1]:
        return _unless_retracted(found, correcting[-1])
    plain = [c for c in claims if not (c.clause.quoted or c.clause.working or c.clause.fallback)]
    pool = plain or [c for c in claims if not c.clause.quoted]
    if not pool:
        return None, "only others' claims are given"
    top = max(c.strength for c in pool)
    best = [c for c in pool if c.strength == top]
    last = best[-1]
    rivals = best + [c for c in claims if c.clause.fallback and c is not last]
    rivals += [c for c in claims[:1] if _is_bare(c) and last.strength in (3, 4) and not last.clause.final]
    values = {same(token) for claim in rivals for token in claim.tokens}
    if len(rivals) > 1 and len(values) > 1:
        return None, "more than one answer is given"
    if any(_is_rival(c, last, same) for c in pool if c.strength == top - 1 and top == 2):
        return None, "more than one answer is given"
    return _unless_retracted(found, last)


def _is_bare(claim: _Claim) -> bool:
    """Nothing but the value: an answer of its own, whatever is said after it."""
    return (
        len(claim.tokens) == 1
        and claim.clause.text.strip(" .!") == claim.clause.text[claim.tokens[0].start : claim.tokens[0].end]
    )


def _is_rival(other: _Claim, last: _Claim, same: Callable[[Token], Hashable]) -> bool:
    """A weaker clause that offers another value with `maybe` or `or` in front."""
    hedged = re.match(r"\s*(?:or|maybe|perhaps|possibly|could be|and)\b", other.clause.text, re.IGNORECASE)
    return bool(hedged) and {same(t) for t in other.tokens} != {same(t) for t in last.tokens}


def _unless_retracted(found: list[_Claim], claim: _Claim) -> tuple[_Claim | None, str]:
    after = found[found.index(claim) + 1 :]
    if any(c.clause.retracts and not c.tokens for c in after):
        return None, "the answer is taken back"
    return claim, ""


def _claim(clause: Clause, scan: Scan) -> _Claim | None:
    """What the clause claims; None for an instruction to the judge or a question."""
    if clause.meta or (clause.asks and not clause.fallback):
        return None
    tokens = [t for t in scan(clause.text) if t.kind != OTHER]
    if any(t.restates for t in tokens) and not all(t.restates for t in tokens):
        tokens = [t for t in tokens if not t.restates]
    if not tokens:
        return _Claim(0, clause, (), "")
    if len(tokens) > CLAUSE_TOKENS:
        return _Claim(1, clause, (tokens[0],), f"more than {CLAUSE_TOKENS} values in one clause")
    masked = _mask(clause.text, tokens)
    cue = _last_cue(masked, tokens)
    after = [t for t in tokens if t.start >= cue] if cue else tokens
    ranked = [(_rank(masked, t, cue), t) for t in after]
    best = min(rank for rank, _ in ranked)
    if best == _DENIED:
        return _Claim(0, clause, (), "the value is denied")
    chosen = tuple(t for rank, t in ranked if rank == best)
    if not cue and len(masked) > _HEAP:
        return _Claim(0, clause, (), "a value in a heap of words")
    problem = _problem(masked, chosen) or _offered_before(masked, tokens, chosen)
    return _Claim(_strength(clause, masked, bool(cue)), clause, chosen, problem)


def _offered_before(masked: str, tokens: list[Token], chosen: tuple[Token, ...]) -> str:
    """`17 or maybe it is 42`: a value before the last cue that an `or` joins to the chosen one."""
    before = [t for t in tokens if t.end <= chosen[0].start and t not in chosen]
    joint = masked[before[-1].end : chosen[0].start] if before else ""
    return "alternatives are given" if len(joint) < 80 and _OR.search(joint) else ""


def _mask(text: str, tokens: list[Token]) -> str:
    """`text` with every value replaced by \\x01, so that its own commas and words are not read as the clause's."""
    out = list(text)
    for token in tokens:
        out[token.start : token.end] = "\x01" * (token.end - token.start)
    return "".join(out)


def _last_cue(masked: str, tokens: list[Token]) -> int:
    """End of the last cue with a value after it that no negation governs; 0 where there is none."""
    ends = [found.end() for found in _CUE.finditer(masked[:20_000])]
    return max((end for end in ends if any(t.start >= end for t in tokens)), default=0)


def _rank(masked: str, token: Token, cue: int) -> int:
    left = masked[max(0, token.start - 80) : token.start]
    right = masked[token.end : token.end + 80]
    scope = re.split(r"[,(](?![^(]*\))|:", left)[-1] if "," in left or "(" in left or ":" in left else left
    negated = NEGATION.search(scope)
    denied = _DENIED_RIGHT.search(right)
    if negated or _LOCATED.search(left) or (denied and _NEGATES.search(denied[0])):
        return _DENIED
    if (
        _SETTING.match(masked)
        and "," in masked[: token.start] + masked[token.end :]
        and "," not in masked[: token.start]
        and not _CUE.search(masked[: token.start])
    ):
        return _CONTEXT
    if _in_brackets(masked, token):
        return _PLAIN if _restates(masked, token) or _QUALIFIES.match(right) else _CONTEXT
    left = masked[max(0, token.start - 80, cue) : token.start]  # `comes to 5`: the cue is no context
    if _OF_LEFT.search(left) or (_CONTEXT_LEFT.search(left) and token.kind != RANGE):
        return _CONTEXT
    return _SOFT if _SOFT_LEFT.search(left) else _PLAIN


def _in_brackets(masked: str, token: Token) -> bool:
    before = masked[: token.start]
    opened = before.rfind("(")
    return opened > before.rfind(")") and before[:opened].strip("( ") != ""


def _restates(masked: str, token: Token) -> bool:
    """A bracket that holds just another value, no year: `forty-two (42)`."""
    alone = masked[: token.start].rstrip().endswith("(") and masked[token.end :].lstrip().startswith(")")
    is_year = token.kind == "plain" and isinstance(token.value, Decimal | int) and 1900 <= token.value <= 2100
    return alone and not is_year and token.kind != "percent"


def _problem(masked: str, chosen: tuple[Token, ...]) -> str:
    """Why the chosen values are no plain answer, or ""."""
    for token in chosen:
        left = masked[max(0, token.start - 40) : token.start]
        right = masked[token.end : token.end + 40]
        if token.kind in (RANGE, EXPRESSION):
            return "a range is given" if token.kind == RANGE else "arithmetic is not worked out"
        in_time = token.kind in MOMENTS and _BOUND_TIME.search(left)
        if in_time or _BOUND_LEFT.search(left) or _BOUND_RIGHT.search(right):
            return "only a bound is given"
        if _OR_RIGHT.search(right) or _EITHER.search(left):
            return "alternatives are given"
    return ""


def _strength(clause: Clause, masked: str, cued: bool) -> int:
    """5 final answer, 4 answer, 3 named result, 2 bare value or `it is`, 1 other."""
    if cued and clause.final:
        return 5
    if cued and _NAMED.search(masked):
        return 4
    if cued and clause.answers:
        return 3
    bare = re.sub(r"[\x01\W]+", " ", masked).split()
    return 2 if len(bare) <= 3 or (cued and _IT.search(masked)) else 1
