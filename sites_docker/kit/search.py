"""Search without server state: an index made once, read by static/search.js in the browser, and by `find` in tests.

A query is taken apart into words (accents off, lower case, letters and digits). An entry is found when each word
begins one of its words. Entries whose titles hold the words come first, then by `rank`, then by title.
"""

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

LIMIT = 60
"""So many results are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something that search can find: a page, or a row that stands on a page."""

    title: str
    url: str
    kind: str = "Page"
    text: str = ""
    """Words to be found by; not shown."""
    note: str = ""
    """One line shown under the title; searched too."""
    rank: int = 5
    """Lower comes first among entries that match equally well."""


def words(text: str) -> list[str]:
    """`São Tomé, 2019` -> sao, tome, 2019. search.js does the same."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.category(c).startswith("M"))
    return re.findall(r"[^\W_]+", bare.lower())


class Index:
    """Terms to entries."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)
        self.terms: dict[str, list[int]] = {}
        for number, entry in enumerate(self.entries):
            for term in sorted(set(words(f"{entry.title} {entry.text} {entry.note}"))):
                self.terms.setdefault(term, []).append(number)

    def json(self) -> bytes:
        """What /search/index.json serves: entries as [title, url, kind, note, rank], and terms to entry numbers."""
        rows = [[e.title, e.url, e.kind, e.note, e.rank] for e in self.entries]
        body = {"limit": LIMIT, "entries": rows, "terms": dict(sorted(self.terms.items()))}
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()

    def find(self, query: str) -> list[Entry]:
        """The entries of a query, best first; the same as the page shows. Nothing for a query without words."""
        asked = words(query)
        if not asked:
            return []
        sets = [{n for term, ns in self.terms.items() if term.startswith(word) for n in ns} for word in asked]
        found = [self.entries[number] for number in sorted(set.intersection(*sets))]
        return sorted(found, key=lambda entry: (_misses(entry.title, asked), entry.rank, entry.title))[:LIMIT]


def _misses(title: str, asked: list[str]) -> int:
    held = words(title)
    return sum(not any(term.startswith(word) for term in held) for word in asked)
