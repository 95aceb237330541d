"""Is what a person reads in a prompt whole? A line that was wrapped at a hyphen breaks a word or an address in two."""

import re
from collections.abc import Callable, Collection
from urllib.parse import urlsplit

_ADDRESS = re.compile(r"\b(?:https?://|www\.)\S*", re.IGNORECASE)
_HOST = re.compile(r"\w[\w.-]*\.test\b", re.IGNORECASE)
_AFTER = ".,;:!?)]}>\"'"
"""Signs of the sentence that may stand behind an address."""
_BROKEN = re.compile(r"(\S*\w[-\u2010])\s+(?!(?:and|or|to|nor|but)\b)(\w\S*)")
"""A word that ends in a hyphen, and the next one; `7- and 28-day` is no break."""
_TORN_PATH = re.compile(r"(https?://\S*[/?&=#_.%~])\s+([\w-]+[/?&=#_]\S*)")
"""An address that ends in a sign of addresses, and a next word that has one."""


def is_of(url: str, hosts: Collection[str]) -> bool:
    """Is this a https address on one of the hosts?"""
    try:
        parts = urlsplit(url)
        return parts.scheme == "https" and parts.netloc in hosts
    except ValueError:
        return False


def report_breaks(prompt: str, hosts: Collection[str], report: Callable[[str, str], None]) -> None:
    """report(field, problem) of every address that is of no known site, and every word or address that was torn."""
    known = ", ".join(sorted(hosts)) or "none"
    for found in _ADDRESS.finditer(prompt):
        url = found[0].rstrip(_AFTER)
        if not is_of(url, hosts):
            report("prompt", f"{url!r:.120}: an address of no known site; known: {known}")
    for found in _HOST.finditer(_ADDRESS.sub(" ", prompt)):
        if found[0] not in hosts:
            report("prompt", f"{found[0]!r:.120}: no known site; known: {known}")
    for pattern, what in ((_BROKEN, "a word broken after its hyphen"), (_TORN_PATH, "white space in an address")):
        for found in pattern.finditer(prompt):
            report("prompt", f"{found[0]!r:.120}: {what}; is a line of the file wrapped there?")
