"""Digits and their separators as one exact number: rule 3 (grouping and decimal marks)."""

import re
from decimal import Decimal

from webds_judge.answers.limits import DIGITS

BODY = re.compile(
    r"(?<![\d])(?:"
    r"\d{1,3}(?P<mark>[ '_])\d{3}(?:(?P=mark)\d{3})*(?!\d)(?:[.,]\d+)?"
    r"|\d{1,2}(?:[ _]\d{2}){1,30}[ _]\d{3}(?!\d)(?:[.,]\d+)?"
    r"|\d+(?:[.,]\d+)*"
    r"|(?<![\d\w.])[.,]\d+)"
)
_GROUPED = re.compile(r"\d{1,3}([,. '_])\d{3}(?:\1\d{3})*")
_DECIMALS = re.compile(rf"(\d{{1,40}})([.,])(\d{{{DIGITS},}})")
_INDIAN = re.compile(r"\d{1,2}([, _])(?:\d{2}\1)*\d{3}")


def read(body: str) -> Decimal | None:
    """The number, or None where the separators make it a version, a list or the like."""
    body = _shortened(body)
    if sum(c.isdigit() for c in body) > DIGITS:
        return None
    if body.isdigit():
        return Decimal(body)
    last = max(body.rfind(","), body.rfind("."))
    mark = body[last] if last >= 0 else ""
    if not mark or _is_grouping(body, mark):
        return _grouped(body)
    if body.count(mark) > 1:
        return None
    whole = _grouped(body[:last]) if last else Decimal(0)
    tail = body[last + 1 :]
    if whole is None or not tail.isdigit():
        return None
    return Decimal(f"{whole}.{tail}")


def _shortened(body: str) -> str:
    """Of many decimals the first, as many as DIGITS allows; a 1 stands for further ones that are not all zero."""
    long = _DECIMALS.fullmatch(body)
    if not long:
        return body
    kept = DIGITS - 1 - len(long[1])
    rest = long[3][kept:].strip("0")
    return f"{long[1]}{long[2]}{long[3][:kept]}{'1' if rest else ''}"


def _is_grouping(body: str, mark: str) -> bool:
    """Whether the last comma or dot is a grouping mark: one comma needs three digits after it, one dot never is."""
    if len({c for c in body if not c.isdigit()}) > 1 or body.startswith("0"):
        return False
    if body.count(mark) == 1:
        return mark == "," and bool(_GROUPED.fullmatch(body))
    return bool(_GROUPED.fullmatch(body) or _INDIAN.fullmatch(body))


def _grouped(body: str) -> Decimal | None:
    if body.isdigit() or _GROUPED.fullmatch(body) or _INDIAN.fullmatch(body):
        return Decimal("".join(c for c in body if c.isdigit()))
    return None


def split_commas(body: str) -> list[str] | None:
    """`5,5,7` as its items, where commas stand between plain numbers and are no grouping; else None."""
    parts = body.split(",")
    if len(parts) > 2 and all(re.fullmatch(r"\d+(?:\.\d+)?", part) for part in parts):
        return parts
    return None
