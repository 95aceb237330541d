"""Refusals: an action that did nothing says why and what to try."""

import re

from playwright.async_api import Error

_NOISE = re.compile(r"^(?:\w+\.\w+: |Error: |Protocol error \([\w.]+\): )+")


class Refused(Exception):
    """The action did nothing; the text says why and what to try."""


def first_line(error: Error) -> str:
    """Playwright's message without method name, stack and call log, at most 300 characters."""
    lines = error.message.split("Call log:")[0].strip().splitlines() or ["no reason given"]
    return _NOISE.sub("", lines[0])[:300]


_KNOWN: tuple[tuple[str, str], ...] = (
    ("not stable", "it keeps moving; wait, or click by x and y"),
    ("not visible", "it is hidden; make it visible first (open its menu, tab or section)"),
    ("not enabled", "it is disabled; something else has to be filled or chosen first"),
    ("not editable", "it is read only"),
    ("outside of the viewport", "it lies outside the window and cannot be scrolled into it"),
    ("detached", "it left the page meanwhile; observe again for current ids"),
)


def why(error: Error) -> str:
    """What kept Playwright from acting on an element, and what to try, from the end of its call log."""
    log = [line.strip(" -") for line in error.message.splitlines()]
    covered = [line for line in log if "intercepts pointer events" in line]
    if covered:
        what = re.sub(r"\s+", " ", covered[-1].replace(" intercepts pointer events", ""))[:160]
        return f"{what} lies over it; close or move that first, or scroll"
    for line in reversed(log):
        for words, advice in _KNOWN:
            if words in line:
                return advice
    return first_line(error)
