"""The wordings that say what a value in a clause is: asserted, context, bound, alternative, denied. Patterns only."""

import re

CUE = re.compile(
    r"^\s*in (?:total|all|sum)\b,?|\b(?:is|are|was|were|be|been|equals?|comes? (?:out )?(?:to|at)|"
    r"came (?:out )?to|amounts? to|(?<!in )(?<!a )totals?|totall?ed|"
    r"works? out (?:to|at)|stands? at|gives?|gave|yields?|got|get|found|count(?:ed)?|has|have|had|contains?|holds?|"
    r"lists?|shows?|includes?|returned|reached|say|choose|pick|i'd go with|submit|remains?|it's|that's|namely|"
    r"i\.?e|down to|finally)\b|[:=≈]|->|→",
    re.IGNORECASE,
)
IT = re.compile(r"\b(?:it|this|that|answer)(?:'s| is| was| should be| must be)\b", re.IGNORECASE)
BOUND_LEFT = re.compile(
    r"(?:\b(?:more|less|fewer|greater|higher|lower|larger|smaller|bigger|older|longer|shorter|earlier|later|sooner)"
    r"(?: or equal)?(?: than| to)|\bat (?:the )?(?:least|most|earliest|latest)|\bup to|\b(?:just |well |"
    r"slightly |a little )?"
    r"(?:over|above|under|below|beyond)|\bexceed(?:s|ing|ed)?|\bupwards? of|\bnorth of|\bas (?:many|much|few) as|"
    r"\bno (?:earlier|later) than|\bin excess of|"
    r"\b(?:shy|short) of|\bnearly|\balmost|\bclose to|\b(?:min(?:imum)?|max(?:imum)?)\b\.?(?: of)?|"
    r"\bnot (?:quite|even)|[<>≤≥]=?)\s*(?:the\s+|a\s+|about\s+)?$",
    re.IGNORECASE,
)
BOUND_TIME = re.compile(r"\b(?:before|after|since|until|by|prior to|ahead of)\s*(?:the\s+)?$", re.IGNORECASE)
BOUND_RIGHT = re.compile(
    r"^\s*(?:\w+\s+)?(?:\+(?!\s?\d)|or (?:more|less|fewer|higher|lower|above|below|over|under|greater|earlier|later|"
    r"before|after)\b|and (?:above|up|over|more|below)\b|plus\b|at (?:least|most)\b|minimum\b|maximum\b|"
    r"upwards\b|onwards?\b|tops\b|and counting\b|or fewer)",
    re.IGNORECASE,
)
TIMES_LEFT = re.compile(r"\b(?:double|twice|thrice|triple|quadruple|half) (?:of )?(?:the )?$", re.IGNORECASE)
"""A value that is still to be multiplied."""
SHIFTED = re.compile(
    r"^\s*(?:minus|plus|less|\+|-)\s+(?:\w+\s)(?:days?|weeks?|months?|years?|hours?|minutes?|seconds?)\b", re.IGNORECASE
)
"""A moment that is still to be moved: `5 March 2021 minus one day`."""
OPEN_RIGHT = re.compile(
    r"^\W{0,3}(?:is |was |are |remains? |still |yet |currently )*(?:unknown|unclear|undetermined|unavailable|not known|"
    r"not available|not given|no data|missing)\b",
    re.IGNORECASE,
)
"""`as of 5 March 2021 unknown`: not known at a moment. Behind a count it is what was counted: `42 unknown`."""
SET_ASIDE = re.compile(
    r"^\W*(?:the |my |some |all |other )?(?:(?:excluded|eliminated|ruled[- ]out|discarded|rejected|dismissed|wrong|"
    r"incorrect|false)(?: (?:answers?|values?|candidates?|options?|choices?|results?|guess(?:es)?))?|(?:possible|"
    r"potential|typical|common|usual|plausible|candidate|conceivable) (?:answers|values|candidates|options|choices|"
    r"results)|candidates|options|possibilities|alternatives|choices|contenders)\s*(?:\([^()]{0,80}\)\s*)?(?::|\bare\b|\binclude\b)",
    re.IGNORECASE,
)
"""A label that does not assert what stands behind it: `Excluded: 42`, `Possible answers: 42`."""
CONTEXT_LEFT = re.compile(
    r"(?:\b(?:in|from|after|across|among|during|since|until|before|per|through|out of|than|versus|vs\.?|to|against|"
    r"page|step|row|rows|line|column|table|figure|fig\.?|chapter|section|version|sheet|year|task|question|item|note|"
    r"part|day|week|top|tier|checked|checking|filtered|all|these|those|of the|of which|of whom|of them|"
    r"including|removing|dropping|skipping|ignoring|"
    r"compared with|compared to|up from|down from)\s+(?:the\s+|all\s+|about\s+|these\s+|last\s+|first\s+)?)$",
    re.IGNORECASE,
)
SETTING = re.compile(
    r"^\s*(?:after|out of|of the|of all|of|from|based on|with|having|in|among|across|for|given|looking at|by|using|"
    r"between|during|when|once|since|despite|although|though|while)\b",
    re.IGNORECASE,
)
"""How a leading phrase starts that only sets the scene: `After checking 3 tables, ...`."""
OF_LEFT = re.compile(r"\x01\s*(?:\w+\s+)?(?:out\s+)?(?:of|/)\s+(?:the\s+|all\s+)?$", re.IGNORECASE)
SOFT_LEFT = re.compile(r"\b(?:at|by|with|for|on|using|over)\s+(?:the\s+|all\s+)?$", re.IGNORECASE)
DENIED_RIGHT = re.compile(
    r"^[^,.;]{0,30}?\b(?:is|was|are|were|would be|seems|looks|cannot be|can't be|isn't|wasn't)\b[^,.;]{0,20}?"
    r"\b(?:wrong|incorrect|false|not|right|correct|ruled out|excluded|impossible|it|the answer)\b",
    re.IGNORECASE,
)
NEGATES = re.compile(r"wrong|incorrect|false|not|ruled out|excluded|impossible|n't|cannot", re.IGNORECASE)
OR_RIGHT = re.compile(
    r"^\s*(?:\w+\s+){0,2}[,(]?\s*(?:\bor\b(?! (?:so|thereabouts|thereabout)\b)|\|+|and/or\b)", re.IGNORECASE
)
OR = re.compile(r"\bor\b(?! (?:so|more|less)\b)|\|\|", re.IGNORECASE)
LOCATED = re.compile(
    r"\b(?:in|on|at|see|from|of|under)\s(?:the\s)?(?:row|page|line|column|table|figure|fig\.?|section|sheet|"
    r"cell|step)s?\s$|"
    r"\berror(?: code)?:?\s$|\bhttp(?: status)?\s$",
    re.IGNORECASE,
)
"""`the answer is in row 42`: where it stands, not what it is."""
QUALIFIES = re.compile(
    r"^[^()]{0,30}\b(?:with|without|if|or|including|excluding|incl|excl|when|counting)\b", re.IGNORECASE
)
"""In a bracket after a value: another value under another condition."""
REFUSES = re.compile(
    r"\b(?:cannot|can't|unable to|(?:do not|don't|could not|couldn't|did not|didn't)) (?:answer|determine|find|"
    r"know|say|help|tell|"
    r"access|see|complete|finish|get)\b|\bg[ai]ve up\b|\bgiving up\b|\bfailed to\b|\bnot (?:able|possible) to\b|"
    r"\bran out of\b|"
    r"^\W*(?:the )?(?:task|attempt|request|run|page|site)\b[^.]{0,20}\b(?:failed|timed out|crashed)\b|"
    r"\bsorry\b|\bapologi[sz]e\b|\bcould not be (?:completed|done|finished|answered|determined|found)\b",
    re.IGNORECASE,
)
REFUSES_FIRST = re.compile(
    r"(?:\b(?:cannot|can't|unable to|not able to|could not|couldn't|won't|will not) "
    r"(?:answer|determine|help|share|disclose|reveal|assist|comply)|\b(?:refuse|decline) to)\b[^,]*$",
    re.IGNORECASE,
)
OF_THE_SOURCE = re.compile(
    r"\b(?:page|file|site|data|table|sheet|record|snapshot|copy|document|report)s?\s+(?:was |were |is |has been )?"
    r"(?:last )?(?:saved|updated|modified|retrieved|accessed|crawled|downloaded|printed|captured|fetched|visited|"
    r"loaded|opened|viewed)\b",
    re.IGNORECASE,
)
"""`Page saved at 14:30`: of what was read, and only if nothing else is said the answer."""
NAMED = re.compile(r"\banswer\b", re.IGNORECASE)
HEAP = 2_000
"""Characters of a clause that nobody writes around a value without any word that asserts it."""
EITHER = re.compile(
    r"\b(?:either|one of|among|any of|such as|for example|for instance|e\.g\.?)(?!\w)[^,.;]{0,30}$", re.IGNORECASE
)
