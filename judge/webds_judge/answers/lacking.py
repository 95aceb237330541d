"""The ways to say in one clause that a source lacks a thing, as patterns over case-folded text in ASCII.

The thing is a pattern of its own. Two readings are kept apart: that the source has nothing on it ("no village is
published", "Illinois sent no report"), which is the finding, and that there was none of it ("no deaths were reported",
"Illinois had no cases"), which is a figure of zero.
"""

from collections.abc import Iterator

_PLACE = (
    r"(?:\w*(?:ledger|portal|site|sheet|page|dataset|data|database|table|source|archive|wiki|file|map|record|list|"
    r"codebook|collection|publication|series|workbook|report|document|forum)s?)"
)
SOURCE = rf"(?:{_PLACE}|it|they|which|that|there)"
_DATA = (
    r"(?:data|datasets?|figures?|counts?|numbers?|totals?|informations?|records?|columns?|fields?|tables?|values?|"
    r"series|statistics|breakdowns?|entry|entries|rows?|pages?|mention|reports?|estimates?|rates?|documentation|"
    r"readings?|measurements?|observations?|means?|names?|such)"
)
HOLD = (
    r"(?:hold|contain|have|has|record|report|give|include|list|publish|provide|cover|track|show|break|count|state|"
    r"offer|carry|keep|tell|store|collect|specify|mention|distinguish|register|document|supply|say|name|release)"
)
HELD = (
    r"(?:held|available|recorded|reported|given|listed|included|published|provided|covered|contained|kept|tracked|"
    r"present|shown|stored|collected|stated|there|documented|counted|part of|broken|found (?:in|on)|specified|"
    r"mentioned|registered|supplied|released|in (?:the|this|any|it)|on (?:the|this|any)|anywhere|exist)"
)
_PUBLISHED = (
    r"(?:published|available|given|provided|included|contained|covered|held|kept|stored|supplied|released|named|"
    r"listed|stated|specified|mentioned|distinguished|shown|told|disclosed|broken (?:out|down))"
)
"""What a source does with data. Not what happens to cases: "no deaths were reported" is a zero."""
NAMELESS_THING = rf"(?:\b{_DATA}\b)"
NOT = r"(?:not|never|no longer|nowhere|neither)|n't"
_HOLDS = r"(?:holds?|has|have|contains?|includes?|covers?|keeps?|carries|stores?)"
_TELLS = r"(?:reports?|reported|records?|recorded|shows?|showed|counts?|counted|registers?|registered|lists?|listed)"
"""Of these verbs "no deaths" may be a count: "the site reports no deaths in 2015"."""
_GONE = (
    r"(?:missing|absent|unavailable|lacking|left out|omitted|excluded|unrecorded|removed|withheld|suppressed|"
    r"stripped|dropped|unpublished|empty|blank|silent)"
)
_LACKS = rf"(?:lacks?|lacking|omits?|excludes?|missing|absent|without|(?:do|does|did|has|have)(?:\s+not|n't)\s+{HOLD})"
_OF = r"[^.;!?\n]{0,80}?"
_VERB = r"\b(?:is|are|was|were|has|have|had|do|does|did|hold|holds|contain|contains|list|lists)\b"
_BE = r"(?:(?:is|are|was|were|be|been|being|has|have|can|could) ){1,3}"
_ON = r"(?:for|of|from|on|about|by|in|at|regarding|concerning|covering|to|with)"
_WHEN = r"(?: (?:in|for|during) (?:the year )?(?:\w+ )?\d{4})?"
_WHOLE = r"(?! (?:gaps?|problems?|issues?)\b)(?!(?: \w+){0,3} (?:missing|lacking|absent|needed|wanting)\b)"
"""Behind "no report": that none is missing would say the contrary."""
_NONE = (
    rf"(?:no (?:(?!{_ON}\b)\w+ ){{0,3}}?{_DATA}\b{_WHOLE}|nothing\b(?! but| else| (?:is |was )?(?:missing|lacking)))"
)
_SEND = (
    r"(?:sent|sends?|submitted|submits?|filed|files?|delivered|delivers?|handed in|supplied|supplies|provided|"
    r"provides?|gave|gives?|made|makes?|returned|returns?|reported|reports?|published|publishes|has|have|had|shows?|"
    r"contains?|holds?)"
)
_FAILED = r"(?:did not|didn't|does not|doesn't|has not|hasn't|never|failed to|fails to)"
_COUNTED = r"(?: (?:any|an?|a single|more|fewer|less|as many|cases?|deaths?|patients?|victims?|infections?)\b)"


def patterns(thing: str) -> Iterator[str]:
    """Patterns of which one fits a clause that says that `thing` is not held."""
    if thing == NAMELESS_THING:
        yield rf"\bno (?:\w+ ){{0,2}}?{_DATA}\b"
        lacks = rf"{_HOLDS} no|{HOLD}(?:e?s|ed)? no|(?:do|does|did)(?: not|n't) {HOLD}|lacks?"
        yield rf"\b{SOURCE} (?:\w+ ){{0,3}}?(?:{lacks})\b"
    yield from _before(thing)
    yield from _behind(thing)


def _before(thing: str) -> Iterator[str]:
    """The lack stands before the thing."""
    yield rf"\b{_LACKS}\b{_OF}{thing}"
    # What begins a clause of its own behind a comma is not lacking: "no report for Ohio, Illinois was hit hardest".
    named = rf"(?:(?<!, ){thing}|(?<=, ){thing}(?! (?:is|was|were|had|has|came|comes|leads|ranks|stands)\b))"
    to_thing = rf"(?:(?:(?!\bthan\b)[^.;!?\n]){{0,80}}?\b{_ON} (?:\w+ ){{0,3}}?| (?=below |under |smaller |finer ))"
    yield rf"\bno (?:\w+ ){{0,2}}?{_DATA}\b{_WHOLE}{to_thing}{named}"
    yield rf"\bnothing (?:(?:is|was|were|are|has been|came|comes) )?(?:\w+ )?{_ON} (?:\w+ ){{0,3}}?{thing}"
    yield rf"\bno (?:\w+ ){{0,2}}?{thing} {_DATA}\b"
    yield rf"\bno (?:\w+ ){{0,3}}?{thing}(?: \w+){{0,3}}? {_BE}(?:\w+ )?{_PUBLISHED}\b"
    within = rf"(?:in|on) (?:the|this|any|its|all) (?:\w+ ){{0,3}}?{_PLACE}\b"
    yield rf"\bthere (?:is|are) no (?:\w+ ){{0,2}}?{thing}(?: \w+)? {within}"
    # "The site reports no deaths in 2015" is a count; "in any of its files" is not.
    place = rf"(?:{_ON} (?!(?:\w+ ){{0,3}}?{_PLACE}\b))"
    yield rf"\b{SOURCE} (?:\w+ ){{0,3}}?(?!{_TELLS} )(?:{_HOLDS}|{HOLD}(?:e?s|ed)?) (?:no|nothing)\b{_OF}{named}"
    yield rf"\b{SOURCE} (?:\w+ ){{0,3}}?{_TELLS} (?:no|nothing)\b{_OF}{named}(?! {place})"
    yield rf"\b(?:not|rather than|instead of|nor|excluding) (?:the |any |for |about |on )?(?:\w+ ){{0,2}}?{thing}"


def _behind(thing: str) -> Iterator[str]:
    """The lack stands behind the thing."""
    # The first verb after the thing is the denied one: "deaths are held, ages are not held" does not count.
    to_verb = rf"{thing}(?:(?!{_VERB}|\b(?:no|nothing)\b)[^.;!?\n]){{0,80}}"
    yield rf"{to_verb}(?:\b\w+ ?)?(?:\b{NOT})\b(?: \w+){{0,3}}? {HELD}\b"
    yield rf"{to_verb}(?:{_VERB} )?(?:\w+ )?{_GONE}\b(?!{_OF}\b(?:ranking|comparison|ranked)\b)"
    # Who sends the data: no comma between, or another's lack would count ("Illinois reported, Ohio sent no report").
    yield rf"{thing}{_WHEN} (?:\w+ly )?{_SEND} {_NONE}"
    yield rf"{thing}{_WHEN} {_FAILED} (?:report|send|submit|file|deliver|supply)(?:ed|s)?\b(?!{_COUNTED})"
    yield rf"{thing}(?:(?!\band\b)[^.;!?,\n]){{0,80}} (?:because|as|since) it (?:\w+ly )?{_SEND} {_NONE}"
    yield rf"{thing}(?:,? (?:\w+ ){{0,6}}?)without (?:an? |any )?(?:\w+ ){{0,2}}?{_DATA}\b(?! {_ON} (?!\d|th\w+ year))"
    yield rf"{thing} ?[:(] ?{_NONE}"
    held = rf"(?:{HOLD}(?:e?s)?|{_HOLDS}|is|are|was|were|exists?)"
    yield rf"\b{_ON} (?:\w+ ){{0,2}}?{thing}{_WHEN},? (?:(?:the |this |we )?(?:{SOURCE} |we )?{held} )?{_NONE}"
    # "For Ohio the ledger does not hold what is needed"; "except for Ohio" would say the contrary.
    whole = r"(?:what|enough|the|any|all|it|them|that|this|such|sufficient|complete)"
    apart = r"(?<!except )(?<!but )(?<!than )(?<!save )(?<!only )(?<!apart )"
    about = r"(?:for|of|about|in|at|on|regarding|concerning) (?:(?!but |except |not |than )\w+ ){0,2}?"
    topic = rf"(?:{apart}\b{about}{thing}|^\W*{thing}(?=[^\n]{{0,8}}:))"
    denied = rf"(?:do|does|did)(?: not|n't) {HOLD} (?:{whole}\b|(?:\w+ ){{0,2}}?{_DATA}\b)"
    yield rf"{topic}(?: \d{{4}})?{_WHEN}[,:]? (?:(?:the|this) )?(?:\w+ ){{0,2}}?{SOURCE} {denied}"
    series = rf"(?:{thing}(?: \w+){{0,3}}? {_DATA}|\b{_DATA} {_ON} (?:\w+ ){{0,2}}?{thing})"
    yield rf"{series} (?:\w+ )?(?:ends?|stops?|ended|stopped|breaks? off)\b"
