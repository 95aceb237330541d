"""Text from pages, agents and files, made fit to be shown: scrubbed of what no file can hold, and cut visibly."""

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from markupsafe import Markup, escape

from webds.codec import canonical

# Lone surrogates cannot be written as UTF-8; the other control characters end or garble an HTML text.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
UNKNOWN = "unknown"


def clean(text: str) -> str:
    """`text` with each unprintable character shown as U+FFFD."""
    return _UNPRINTABLE.sub("\ufffd", text)


def cleaned(value: Any) -> Any:
    """A JSON value with every text in it cleaned, keys too; NaN and infinities, which JSON has not, become texts."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(item) for item in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def cut(text: str, limit: int) -> str:
    """At most `limit` characters of `text`, then a mark that says how many there were."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]} … [cut: {limit:,} of {len(text):,} characters shown]"


def fit(text: str, size: int) -> str:
    """`text` on one line, cut so that its escaped HTML takes at most about `size` bytes."""
    line = " ".join(clean(text[:size]).split())
    cut_off = len(text) > size
    while len(escape(line).encode()) > size:
        line, cut_off = line[: max(len(line) * 3 // 4, 1)], True
        if len(line) == 1:
            break
    return f"{line} …" if cut_off else line


def shown(value: Any) -> str:
    """Any JSON value as text: strings as they are, None as `unknown`, the rest as canonical JSON."""
    if value is None or value == "":
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return clean(value)
    return clean(canonical(value).decode("utf-8", "replace"))


def listed(value: Any) -> str:
    """As `shown`, but a list as its items with commas between."""
    return ", ".join(shown(item) for item in value) if isinstance(value, list | tuple) else shown(value)


def finalize(value: Any) -> Any:
    """For Jinja2: every expression that a template prints passes here before it is escaped."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value
