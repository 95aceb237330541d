"""Which of the values in a text is the answer: rules 10 and 11 for every type that a scanner can find.

Each value gets a rank in its clause (plain, soft context, context) or is denied; each clause gets a strength. The
strongest plain assertion wins, and two different ones, a bound, an alternative or a fallback mean no answer.
"""

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from decimal import Decimal

from webds_judge.answers import phrases
from webds_judge.answers.clauses import AFFIRMED, NEGATION, Clause, clauses
from webds_judge.answers.limits import CLAUSE_TOKENS, TOKENS
from webds_judge.answers.tokens import EXPRESSION, MOMENTS, OTHER, RANGE, Token

type Scan = Callable[[str], list[Token]]

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
        _refused(claim) or (claim.strength == 1 and any(phrases.REFUSES.search(c.clause.text[:2_000]) for c in found))
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
    return (
        bool(phrases.REFUSES_FIRST.search(claim.clause.text[: claim.tokens[0].start][:2_000]))
        if claim.tokens
        else False
    )


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
    hedged = re.match(
        r"\s*(?:or|maybe|perhaps|possibly|could be|and|(?:\w+\s)?it (?:could|may|might) (?:well |also )?be)\b",
        other.clause.text,
        re.IGNORECASE,
    )
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
    if phrases.SET_ASIDE.match(masked[:200]):
        return _Claim(0, clause, (), "the value is set aside")
    cue = _last_cue(masked, tokens)
    after = [t for t in tokens if t.start >= cue] if cue else tokens
    ranked = [(_rank(masked, t, cue), t) for t in after]
    best = min(rank for rank, _ in ranked)
    if best == _DENIED:
        return _Claim(0, clause, (), "the value is denied")
    chosen = tuple(t for rank, t in ranked if rank == best)
    if not cue and len(masked) - masked.count("\x01") > phrases.HEAP:
        return _Claim(0, clause, (), "a value in a heap of words")
    problem = _problem(masked, chosen) or _offered_before(masked, tokens, chosen)
    return _Claim(_strength(clause, masked, bool(cue)), clause, chosen, problem)


def _offered_before(masked: str, tokens: list[Token], chosen: tuple[Token, ...]) -> str:
    """`17 or maybe it is 42`: a value before the last cue that an `or` joins to the chosen one."""
    before = [t for t in tokens if t.end <= chosen[0].start and t not in chosen]
    joint = masked[before[-1].end : chosen[0].start] if before else ""
    return "alternatives are given" if len(joint) < 80 and phrases.OR.search(joint) else ""


def _mask(text: str, tokens: list[Token]) -> str:
    """`text` with every value replaced by \\x01, so that its own commas and words are not read as the clause's."""
    out = list(text)
    for token in tokens:
        out[token.start : token.end] = "\x01" * (token.end - token.start)
    return "".join(out)


def _last_cue(masked: str, tokens: list[Token]) -> int:
    """End of the last cue with a value after it; 0 where there is none. One in a bracket behind a value is a remark."""
    ends = [found.end() for found in phrases.CUE.finditer(masked[:20_000])]
    for end in reversed(ends):
        if end <= tokens[-1].start and not _opened(masked[:end]) > tokens[0].start:
            return end
    return 0


def _rank(masked: str, token: Token, cue: int) -> int:
    left = masked[max(0, token.start - 80) : token.start]
    right = masked[token.end : token.end + 80]
    scope = re.split(r"[,(](?![^(]*\))|:", left)[-1] if "," in left or "(" in left or ":" in left else left
    negated = NEGATION.search(scope)
    denied = phrases.DENIED_RIGHT.search(right)
    if negated or phrases.LOCATED.search(left) or (denied and phrases.NEGATES.search(denied[0])):
        return _DENIED
    if (
        phrases.SETTING.match(masked)
        and "," in masked[: token.start] + masked[token.end :]
        and "," not in masked[: token.start]
        and not phrases.CUE.search(masked[: token.start])
    ):
        return _CONTEXT
    if _in_brackets(masked, token):
        return _PLAIN if _restates(masked, token) or phrases.QUALIFIES.match(right) else _CONTEXT
    left = masked[max(0, token.start - 80, cue) : token.start]  # `comes to 5`: the cue is no context
    if phrases.OF_LEFT.search(left) or (phrases.CONTEXT_LEFT.search(left) and token.kind != RANGE):
        return _CONTEXT
    return _SOFT if phrases.SOFT_LEFT.search(left) else _PLAIN


def _in_brackets(masked: str, token: Token) -> bool:
    return _opened(masked[: token.start]) > 0


def _opened(before: str) -> int:
    """Where the bracket that is still open began, if something stands in front of it; else 0."""
    for left, right in ("()", "[]"):
        opened = before.rfind(left)
        if opened > before.rfind(right) and before[:opened].strip("([ "):
            return opened
    return 0


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
        in_time = token.kind in MOMENTS and phrases.BOUND_TIME.search(left)
        if token.kind in MOMENTS and phrases.OPEN_RIGHT.search(right):
            return "the answer is said to be unknown"
        if phrases.TIMES_LEFT.search(left) or (token.kind in MOMENTS and phrases.SHIFTED.search(right)):
            return "arithmetic is not worked out"
        if in_time or phrases.BOUND_LEFT.search(left) or phrases.BOUND_RIGHT.search(right):
            return "only a bound is given"
        if phrases.OR_RIGHT.search(right) or phrases.EITHER.search(left):
            return "alternatives are given"
    return ""


def _strength(clause: Clause, masked: str, cued: bool) -> int:
    """5 final answer, 4 answer, 3 named result, 2 bare value or `it is`, 1 other, 0 a fact of the source."""
    if phrases.OF_THE_SOURCE.search(masked[:500]):
        return 0
    if cued and clause.final:
        return 5
    if cued and phrases.NAMED.search(masked):
        return 4
    if cued and clause.answers:
        return 3
    bare = re.sub(r"[\x01\W]+", " ", masked).split()
    return 2 if len(bare) <= 3 or (cued and phrases.IT.search(masked)) else 1
