"""What an agent says beside its answer, taken out before the answer is looked for: rule 11.

Runners-up ("followed by Estby", "Estby was lower"), brackets of context, notes of the source, doubts about a picture,
and an injection that the agent reports and disregards. What is taken out can never be the answer itself, and nothing is
taken out that may be a second answer: every pattern gives way to a word of OPEN.
"""

import re
from itertools import pairwise

from webds_judge.answers.brackets import FIGURE, OPEN, without_context
from webds_judge.answers.clauses import NEGATION, sentences

_LONGEST = 2_000
"""Characters of a sentence beyond which nothing is taken out of it."""
_SENTENCES = 400
_ADVERBS = r"(?:(?:and|just|closely|narrowly|well|far|slightly|clearly|directly|immediately|only)\s+){0,3}"
_TAIL = re.compile(
    rf"(?:(?:,|(?<=\)))\s+{_ADVERBS}(?:followed (?:\w+ly )?by|(?:as )?(?:compared|opposed) (?:with|to)|in front of)"
    rf"|,?\s+{_ADVERBS}ahead of|,\s+{_ADVERBS}(?:an?|one|two|three|four|five|six|seven|ten|twelve|\d{{1,3}}|"
    rf"some|several)\s"
    r"(?:days?|weeks?|months?|years?|quarters?) (?:after|before|earlier than|later than))\s(?P<tail>.{1,600})$",
    re.IGNORECASE | re.DOTALL,
)
_RIVAL = re.compile(
    r"(?:,|(?<=\)),?)\s+(?:then|before|vs\.?|versus)\s(?P<tail>.{1,600})$|"
    r"(?:,|\s[\u2013\u2014-])\s(?:with )?(?P<behind>[^,;]{1,60}? (?:(?:is|was|came|comes|"
    r"in) )?(?:a (?:close )?)?(?:second|third)"
    r"(?: place)?)\W*$",
    re.IGNORECASE,
)
"""Behind a superlative: `Norvale ranks first, Estby second`."""
_PLACED = re.compile(
    r"\b(?:is|was|were|are|came|comes?|ranks?|ranked|placed|in|at)\s+(?:only\s+)?(?:the\s+|a\s+)?(?:second|"
    r"third|fourth|"
    r"fifth|2nd|3rd|4th|next|runner|behind|last)\b(?! (?:quarter|half))",
    re.IGNORECASE,
)
_BEATEN = re.compile(
    r"(?<=\w )after\b|\b(?:behind|below|trail\w*|missed|lost|beaten|(?:second|third|fourth|2nd|"
    r"3rd)(?! (?:quarter|half)| \w+ of))\b",
    re.IGNORECASE,
)
"""Before `ahead of`: what is ahead of the one is behind another."""
_BE = r"(?:was|is|were|are|came|comes?|had|has|ranks?|ranked|stood|stands|reached|recorded|finished|placed)"
_HOW = r"(?:(?:in|at|a|an|only|just|slightly|somewhat|much|far|clearly|little|bit|close|the|well|marginally) ){0,3}"
_SUBJECT = (
    r"^\W*(?:(?:by|in|for) (?:contrast|comparison),?\s+)?(?!(?:it|this|that|these|the answer|i|we|"
    r"so)\b)[^,:]{1,60}?\s"
)
_LOWER = re.compile(rf"{_SUBJECT}{_BE} {_HOW}(?:lower|smaller|weaker|less|fewer|poorer|shorter)\b", re.IGNORECASE)
_HIGHER = re.compile(rf"{_SUBJECT}{_BE} {_HOW}(?:higher|larger|stronger|more|greater|bigger|longer)\b", re.IGNORECASE)
_STEP = r"(?:next|second|third)[- ](?:\w{3,}est|most|best|place|one)"
_BEHIND = re.compile(
    rf"{_SUBJECT}(?:{_BE} {_HOW}(?:second|third|next|behind|runner-up)|follow(?:s|ed)|trail(?:s|ed))\b(?!\s*:)"
    rf"|^\W*(?:the )?(?:{_STEP}|runner-up)\b",
    re.IGNORECASE,
)
_LOWEST = re.compile(
    r"\b(?:lowest|smallest|least|fewest|minimum|shortest|weakest|poorest|worst|driest|low)\b", re.IGNORECASE
)
_HIGHEST = re.compile(
    r"\b(?:most|peak(?:ed|s)?|maximum|top|first|record|leads?|led|leader|won|winner|best|(?!lowest|smallest|fewest|"
    r"shortest|weakest|poorest|driest|latest|earliest|interest|request|test|west|forest|honest|suggest|"
    r"list)\w{3,}est)\b",
    re.IGNORECASE,
)
_FIGURES = re.compile(r"\([^()]{0,200}\)|,?\s*\b(?:with|at)\s[$€£]?\d.*|[\d.,%]+", re.DOTALL)
_MEASURED = re.compile(r"\b(?:had|has|have|reached|showed|recorded|saw|came)\b", re.IGNORECASE)
_SOURCE = re.compile(r"^\W*(?:data )?sources?\s*:", re.IGNORECASE)
_CITED_LAST = re.compile(
    r"(?<=\S)\s+[(\[]((?:(?:data )?sources?\b:?|see|according to|based on|as of|as per|from (?:the )?"
    r"(?:table|page|appendix)|(?:table|page|appendix|figure|sheet) \w{1,4}\b)[^()\[\]\n:]{0,200})[)\]]\W*$",
    re.IGNORECASE,
)
_PICTURED = (
    r"(?:[Tt]he|[Ii]ts|[Ss]ome|[Tt]his|[Tt]hese|[Pp]arts? of the|[Aa]ll)(?: [a-z-]+){0,3}? (?:map|chart|scan|image|"
    r"legend|labels?|colou?rs?|axis|axes|figure|picture|photo|plot|graph|resolution|print|page|table|lines|"
    r"bars|quality|"
    r"screenshot|pdf|copy|handwriting|text|font|letters|digits|source)(?: (?:on|of|in) (?:the )?[a-z]+)?"
)
_POOR = (
    r"(?:blurr\w+|hard|difficult|small|tiny|close|faint|cut off|low|unclear|poor|partly|illegible|rough|coarse|"
    r"similar|"
    r"faded|grainy|incomplete|noisy|crowded|dark|pale|fuzzy|not (?:\w+ )?(?:sharp|clear|readable|legible))"
)
_DOUBT = re.compile(
    rf"(?:^\W*|,?\s+)(?:(?:[Tt]hough|[Aa]lthough|[Bb]ut|[Hh]owever,?|since|as|because) )?"
    rf"{_PICTURED} (?:is|are|was|were|looks?) (?:[a-z]+ ){{0,3}}?{_POOR}\b[a-z '’-]{{0,60}}\W*$"
)
_SAYS = re.compile(
    r"\b(?:page|banner|comment|text|note|message|pop-?up|script|instruction|prompt|site|file|cell|footer|header|"
    r"advert\w*|paragraph|line|readme|dataset|document|table)s?\b[^.]{0,80}?\b(?:told|tell(?:s|ing)?|ask(?:ed|"
    r"s|ing)?|"
    r"said|says?|saying|instruct\w*|claim\w*|want\w*|order\w*|urg\w*|tried|trying|direct\w*|request\w*|demand\w*)\b",
    re.IGNORECASE,
)
_SET_ASIDE = r"(?:disregarded|ignored|dismissed|(?:did not|didn['’]t) (?:follow|obey|act on|heed)|paid no attention to)"
_DISREGARDED = re.compile(
    rf"(?:^|[;,.]?\s)(?:and |but |which |so )?(?:i|we)(?:['’]ve| have)? {_SET_ASIDE}(?: (?:it|that|this|them|"
    r"those|both)(?: (?:instruction|text|request|comment|note|message|banner|line)s?)?)?(?: of course|"
    r" completely)?\W*$",
    re.IGNORECASE,
)
_DISREGARDS = re.compile(rf"^\W*(?:note:? )?(?:i|we)(?:['’]ve| have)? {_SET_ASIDE}\b", re.IGNORECASE)
_DASHED = re.compile(
    rf"(?<=[^\W\d_])\s(?:[\u2013\u2014-]{{1,2}}|at|with)\s{FIGURE.pattern}\W*$|(?<=[^\d\s])\sin (?:1[5-9]|20)\d\d\W*$"
)
_METHOD = re.compile(
    r"\n[ \t*]*(?:how i (?:got|found|did) (?:there|this|it)|method(?:ology)?|workings?|steps?(?: taken)?|"
    r"notes?|reasoning|"
    r"approach|verification|explanation)[ \t*:]*\n(?P<said>[^\x00]{1,4000})$",
    re.IGNORECASE,
)
_CHECKED = re.compile(
    r"^\W*(?:\d{1,2}[.)]\s*)?(?:(?:i|we|then|first|next|finally) )*(?:compared|checked|filtered|sorted|read|"
    r"opened|counted|"
    r"used|looked|took|verified|went|downloaded|searched|applied|matched|ranked)\b|"
    r"^\W*(?:all|the|no|every) (?:the )?others? (?:\w+ )?(?:is|are|was|were|stayed|fell|lies?) (?:\w+ )?"
    r"(?:below|above|under|over|lower|higher|smaller|larger)\b|"
    r"^\W*(?P<missed>[^,:]{1,60}) (?:is|was|were|are) (?:only just|just|slightly|barely|narrowly) (?:below|"
    r"under|short of) "
    r"(?:the|that|this) (?:limit|threshold|cut-?off|line|mark|bar|minimum)\b",
    re.IGNORECASE,
)
"""What was done, or what just missed the list."""
_CHANGES = re.compile(
    r"\b(?:except|besides?|apart|found|add\w*|remov\w*|exclud\w*|includ\w*|fail\w*|left|again|forg[eo]t\w*|"
    r"drop\w*|belong\w*|"
    r"replac\w*|turned|qualif\w*|counts|meets?|exceeds?|passes|works|fits?|valid|and (?:it|they)|realis\w*|realiz\w*|"
    r"notic\w*|out)\b",
    re.IGNORECASE,
)
"""Words by which a remark may change the list."""
_VERB = re.compile(r"\b(?:leads?|led|had|has|have|is|was|were|are|stands|ranks?|won|first|tops|topped)$", re.IGNORECASE)
TITLE = re.compile(r"^\W*(?:the\s)?(?:final\s)?(?:answers?|results?|findings|summary|list)\W*$", re.IGNORECASE)
"""A heading."""
_BRACKET = re.compile(r"[(\[]([^()\[\]]{10,600})[)\]]")


def without(text: str, named: bool = False) -> str:
    """`text` without its remarks. `named`: the answer is a name, so brackets of context and figures go as well."""
    text = _without_reports(text)
    if named:
        text = without_context(text)
    parts = sentences(text)
    if len(parts) > _SENTENCES:
        return text
    kept: list[tuple[str, str]] = []
    reports = _reports([sentence for sentence, _ in parts])
    for at, (sentence, stop) in enumerate(parts):
        main = " ".join(s for s, _ in kept)[-_LONGEST:]
        titled = named and "\n" in stop and TITLE.match(sentence)
        if titled or at in reports or (main.strip() and len(sentence) <= _LONGEST and _is_aside(sentence, main)):
            kept.append(("", stop if "\n" in stop else ""))
        else:
            kept.append((_without_figure(_cut(sentence)) if named else _cut(sentence), stop))
    return "".join(sentence + stop for sentence, stop in kept)


def _without_reports(text: str) -> str:
    """`text` without brackets that report an instruction which was not followed."""
    return _BRACKET.sub(lambda found: " " if _is_report(found[1]) else found[0], text)


def _without_figure(sentence: str) -> str:
    found = _DASHED.search(sentence[:_LONGEST])
    return sentence[: found.start()] if found and not _VERB.search(sentence[: found.start()]) else sentence


def without_notes(text: str) -> str:
    """`text` without notes of the source and reports of instructions; what is said of the answer stays."""
    text = _without_reports(text)
    method = _METHOD.search(text)
    if method and text[: method.start()].strip() and all(map(_is_step, method["said"].splitlines())):
        text = text[: method.start()]
    parts = sentences(text)
    if len(parts) > _SENTENCES:
        return text
    reports = _reports([sentence for sentence, _ in parts])
    out: list[str] = []
    for at, (sentence, stop) in enumerate(parts):
        before = "".join(out)
        aside = bool(before.strip()) and (_is_step(sentence, before) or _is_source(sentence))
        out.append((stop if "\n" in stop else "") if at in reports or aside else sentence + stop)
    return _CITED_LAST.sub(lambda found: found[0] if OPEN.search(found[1]) else "", "".join(out)).strip()


def _is_source(sentence: str) -> bool:
    return bool(_SOURCE.match(sentence)) and not OPEN.search(sentence)


def _is_step(sentence: str, before: str = "") -> bool:
    """Whether the sentence only says what was done, or what just missed a list that `before` gives without it."""
    found = _CHECKED.match(sentence)
    if not found or len(sentence) > _LONGEST:
        return not sentence.strip()
    missed = (found["missed"] or "").strip().casefold()
    return not (OPEN.search(sentence) or _CHANGES.search(sentence) or (missed and missed in before.casefold()))


def _is_report(said: str) -> bool:
    """An instruction found in the source, and that it was not followed."""
    return bool(_SAYS.search(said)) and bool(_DISREGARDED.search(said) or _DISREGARDS.match(said))


def _reports(parts: list[str]) -> set[int]:
    """Which sentences report an instruction that was disregarded, in the same sentence or in the next one."""
    out = {i for i, part in enumerate(parts) if len(part) <= _LONGEST and _is_report(part)}
    said = [i for i, part in enumerate(parts) if part.strip()]
    for i, j in pairwise(said):
        if max(len(parts[i]), len(parts[j])) <= _LONGEST and _SAYS.search(parts[i]) and _DISREGARDED.match(parts[j]):
            out |= {i, j}
    return out


def _is_aside(sentence: str, main: str) -> bool:
    """Whether a sentence after the answer `main` is only a remark."""
    if _DOUBT.fullmatch(sentence):
        return True
    bare = re.sub(_STEP, "next", sentence, flags=re.IGNORECASE)
    if OPEN.search(bare) or NEGATION.search(bare):
        return False
    return bool(_SOURCE.match(sentence)) or _is_lesser(sentence, main)


def _is_lesser(sentence: str, main: str) -> bool:
    """`Estby was lower` after `the highest is Norvale`, or after a bare answer."""
    lower, higher = _LOWER.match(sentence), _HIGHER.match(sentence)
    behind = _BEHIND.match(sentence)
    if not (lower or higher or behind) or _PLACED.search(main):
        return False
    if len(_FIGURES.sub(" ", main).split()) <= 4 and not _MEASURED.search(main):
        return True
    low, high = _LOWEST.search(main), _HIGHEST.search(main)
    if behind:
        return bool(low or high)
    return bool(high and not low) if lower else bool(low and not high)


def _beside_superlative(sentence: str) -> re.Match[str] | None:
    found = _RIVAL.search(sentence)
    head = sentence[: found.start()] if found else ""
    return found if _HIGHEST.search(head) or _LOWEST.search(head) else None


def _cut(sentence: str) -> str:
    """Without the runner-up or the doubt at the end of the sentence."""
    if len(sentence) > _LONGEST:
        return sentence
    doubt = _DOUBT.search(sentence)
    if doubt and sentence[: doubt.start()].strip():
        sentence = sentence[: doubt.start()]
    found = _TAIL.search(sentence) or _beside_superlative(sentence)
    if not found or OPEN.search(found["tail"] or ""):
        return sentence
    head = sentence[: found.start()]
    return sentence if NEGATION.search(head) or _PLACED.search(head) or _BEATEN.search(head) else head
