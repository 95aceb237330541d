"""How an answer says that a list is empty, and why it is: rule 8 for a list without items."""

import re

_EMPTY = re.compile(
    r"^\W*(?:(?:the (?:answer|result|list|set)(?: is|:)|answer:|result:)\s*)?(?:none(?: of (?:them|the \w+|"
    r"these)\b[^:]{0,60})?|nothing|"
    r"nobody|no one|no[- ]?where|an? )?(?:empty(?: list| set)?|zero(?: items| rows| results)?)?(?: \w+ (?:the|"
    r"that|this) .{0,60})?\W*$",
    re.IGNORECASE,
)
_NO_ITEMS = re.compile(
    r"^\W*(?:(?:there (?:is|are|were|was)|i found|we found|found|it (?:has|contains|returns|returned)|"
    r"the \w+ (?:has|contains|is|"
    r"returned|returns))\s+)?(?:no|none|zero|0(?= [a-z])|not any|an empty|there (?:are|were|is|was)(?: not|"
    r"n['’]t) any)\b(?!\s+(?:idea|access|data available|"
    r"way|answer|clue|doubt|"
    r"longer|information|problem|but|of your|of my)\b)"
    r"(?![^,;:.]{0,80}\b(?:except|besides?|other than|apart from|aside from|save for|excluding|beyond|barring|but)\b)"
    r"[^,;:.]{0,80}$|"
    r"^\W*(?:the )?(?:list|set|result|"
    r"answer|it) is empty\W*$|"
    r"^\W*(?:nothing|nobody|no one) (?:matches|matched|found|was found|qualifies|qualified|meets|met|"
    r"fits)\b[^,;:.]{0,60}$",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"\b(?:cannot|can't|could ?n[o']t|unable|sorry|n/a|unknown|not available|i don't)\b", re.IGNORECASE
)
_EXCEPT = re.compile(
    r"\b(?:except\w*|excluding|besides?|other than|apart|aside|save|barring|beyond|but|only|however|although|"
    r"though|or|"
    r"maybe|perhaps|possibly|could|cannot|can't|couldn't|failed|fails?|load\w*|open\w*|access\w*|errors?|unavailable|"
    r"missing|unless|until|if|not sure|unclear|unknown|timed|crash\w*|data|found was|answer)\b",
    re.IGNORECASE,
)
"""What leaves an item over, or says that nothing was looked at."""
_REASONED = re.compile(
    r"^\W*(?:none(?: of (?:them|the (?:\d+ )?\w+|these))?|no (?:such )?\w+(?: \w+){0,4}|nothing|nobody|no one|"
    r"empty(?: list| set)?|the (?:list|set|result) is empty|there (?:are|were) (?:none|no \w+(?: \w+){0,3}))"
    r"\s*(?:[:;.,]|\s[\u2014\u2013-])\s+",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"(?:(?:since|because|as) )?(?:(?:no|none|not (?:a|one)|nobody|nothing|neither)\b.{1,160}"
    r"|(?:all|every|each)\b[^,;:.]{0,60} (?:passed|pass|stay\w*|remain\w*|complied|met|"
    r"(?:is|are|was|were|fell|lies?) (?:below|under|within|above|over)|(?:was|were) \w+ (?:in|on) time)\b[^,;:]{0,60}"
    r"|the \w+(?: \w+){0,3} (?:is|was|are|were) (?:only )?\d.{0,80})$",
    re.IGNORECASE | re.DOTALL,
)
"""`None: no station exceeded the limit.`"""
_LEFT_OVER = re.compile(
    r"^\W*none\b.*\b(?:except|besides?|other than|apart from|aside from|save for|excluding|barring|but|failed to|"
    r"could not|couldn't)\b",
    re.IGNORECASE | re.DOTALL,
)


def is_empty(text: str) -> bool:
    """Whether `text` (as a reader sees it) says that there are no items."""
    if len(text) > 200 or _REFUSES.search(text):
        return False
    bare = text.strip(" .!")
    reasoned = _REASONED.match(bare)
    if reasoned and _REASON.fullmatch(bare, reasoned.end()):
        return not _EXCEPT.search(bare)
    if _LEFT_OVER.search(bare):
        return False
    return (
        bare in ("[]", "{}", "()", "∅", "ø")
        or bool(_NO_ITEMS.match(bare))
        or bool(any(c.isalnum() for c in bare) and _EMPTY.match(bare))
    )
