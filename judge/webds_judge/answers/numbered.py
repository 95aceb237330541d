"""Items that begin as a line of a numbered list does ("1. FC Koeln"): their number must not be taken for a place.

The space behind such a number is closed ("1.FC Koeln") before a text is read as Markdown or split into items, and
opened again in the items.
"""

import re
from collections.abc import Iterator, Sequence

from unidecode import unidecode

_MARK = re.compile(r"(?<![\d.])(\d{1,3})\\?([.)])[ \t]+(?=\S)")
_FIRST = re.compile(r"^\s*(\d{1,3})[.)](?=\s)")
_CLOSED = re.compile(r"(?<![\d.])(\d{1,3}[.)])(?=[^\W\d])")


def closed(text: str, items: Sequence[str]) -> Iterator[str]:
    """`text` with the numbers of `items` closed: where a whole item stands, and where its first word does."""
    found = [(m[1] + m[2], _plain(item[m.end() :])) for item in items if (m := _MARK.match(item))]
    if found:
        yield _close(text, found)
        yield _close(text, [(number, rest.split(None, 1)[0]) for number, rest in found])


def kept(text: str) -> str:
    """A list in one line with its first number in brackets: as `1.` Markdown would take it and leave the others."""
    return text if "\n" in text.strip() else _FIRST.sub(r"(\1)", text)


def opened(item: str) -> str:
    """An item as it was before `closed`."""
    return _CLOSED.sub(r"\1 ", item, count=1)


def _close(text: str, starts: list[tuple[str, str]]) -> str:
    def mark(found: re.Match[str]) -> str:
        behind = _plain(text[found.end() : found.end() + 200])
        number = found[1] + found[2]
        return number if any(number == n and behind.startswith(rest) for n, rest in starts) else found[0]

    return _MARK.sub(mark, text)


def _plain(text: str) -> str:
    return " ".join(unidecode(text).casefold().split())
