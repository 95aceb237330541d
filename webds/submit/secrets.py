"""What must not leave a packer's machine: keys and tokens of services, and the paths of a home folder."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

SCRUBBED = "[scrubbed]"
KINDS: Mapping[str, re.Pattern[str]] = {
    "private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----", re.ASCII),
    "API key": re.compile(
        r"\b(?:sk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|hf_[A-Za-z0-9]{30,}"
        r"|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}|glpat-[A-Za-z0-9_-]{20,}|xox[abprs]-[A-Za-z0-9-]{10,})",
        re.ASCII,
    ),
    "token": re.compile(
        r"(?i)\b(?:authorization\W{1,4}(?:bearer|basic)|bearer)\s+[A-Za-z0-9._~+/=-]{16,}"
        r"|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",  # once a word: linear
        re.ASCII,
    ),
    "home path": re.compile(
        r"(?:/home/|/Users/|[A-Za-z]:\\\\?Users\\\\?)[A-Za-z0-9._-]+|(?<![\w.])/ro{2}t(?=/)", re.ASCII
    ),
}
"""ASCII, so that a text and its UTF-8 bytes are read alike."""
GRAVE = ("private key", "API key", "token")
"""Kinds that a verifier refuses; a home path is only scrubbed."""

_HINTS = {
    "private key": (b"-----begin ",),
    "API key": tuple(b"sk- akia aiza hf_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xox".split()),
    "token": (b"bearer", b"authorization", b"eyj"),
}
"""Without any of these, in small letters, there is none: ten times faster to see."""
_BYTES = {kind: re.compile(pattern.pattern.encode(), re.ASCII) for kind, pattern in KINDS.items()}


def found(text: bytes) -> str:
    """The first grave kind in the text with its article, or ""."""
    small = text.lower()
    likely = (kind for kind in GRAVE if any(hint in small for hint in _HINTS[kind]))
    kind = next((kind for kind in likely if _BYTES[kind].search(text)), "")
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}" if kind else ""


def is_homely(text: bytes) -> bool:
    """Whether the path of a home folder is in the text."""
    return _BYTES["home path"].search(text) is not None


def scrub(value: Any, counts: Counter[str]) -> Any:
    """The JSON value with every secret replaced by [scrubbed]; `counts` goes up by kind."""
    if isinstance(value, str):
        for kind, pattern in KINDS.items():
            value, times = pattern.subn(SCRUBBED, value)
            counts[kind] += times
        return value
    if isinstance(value, Mapping):
        return {scrub(str(name), counts): scrub(item, counts) for name, item in value.items()}
    return [scrub(item, counts) for item in value] if isinstance(value, list | tuple) else value
