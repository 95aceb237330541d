"""Check kind `report`: a Markdown, HTML, DOCX or PDF report holds every required number with its unit.

Params: file (its exact name), required: a list of {name, type, reference, unit, near}. `type` is number, integer,
percent or year; `unit` (optional) is a text or {any_of = [...]} that stands at the number (before or after it, two
words between at most), or in a table in its row or in the head of its column; `near` (optional) is a list of which
one stands in the same sentence, line or row. What is hidden, struck or a link's target does not exist (rule 13),
and a number that is denied ("is not 48", "48 is wrong") is not claimed. Lines with more than MOST_A_LINE numbers are
dumps and are not read. More different values than MOST_CLAIMS of one item's type, with its unit and words beside them,
are a dump as well. Numbers that nobody asked for are listed in the verdict, not failed.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from webds.errors import InputFault
from webds.ports import CheckFunction
from webds.types import Evidence, Json, Params
from webds_judge.answers import cleaning, integer, numerals, text
from webds_judge.answers.limits import ANSWER_CHARS
from webds_judge.answers.references import Target, targets
from webds_judge.answers.tokens import OTHER, Token
from webds_judge.checks import packed, submitted
from webds_judge.checks.csv_file import decoded

FIELDS = ("file", "required", "evidence", "oracle")
TYPES = ("integer", "number", "percent", "year")
MOST_A_LINE = 60
MOST_LINES = 5_000
MOST_CLAIMS = (24, 60, 200)
"""Different values that may be given for an item with `near` (two years of months), one with a unit or percent only,
one with neither."""
EXTRAS = 50
"""Unasked numbers that a verdict lists."""
PACKED_BYTES = 8_000_000
_PACKED = (".docx", ".pdf")
_ITEM = ("name", "type", "reference", "unit", "near")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\d\"“(])")
_NOT_BEFORE = re.compile(
    r"(?:\b(?:not|never|neither|nor|no longer|cannot|rather than|instead of)|n['’]t)\s+"
    r"(?!(?:only|just|less|fewer|more|but|until|before|including|counting)\b)"
    r"(?:(?!but\b)[^\W\d]{1,20}\s+){0,2}$|"
    r"\b(?:false|wrong|untrue|incorrect|mistaken|not true|not the case|myth|error)\s+(?:\w+\s+)?(?:that|of)\b"
    r"[^.;|]{0,200}$",
    re.IGNORECASE,
)
_WRONG_AFTER = re.compile(
    r"^[^,.;|]{0,40}?\b(?:is|was|are|were)\s+(?:\w+\s+)?(?:wrong|incorrect|false|untrue|mistaken|an? (?:error|mistake|"
    r"myth)|not (?:true|right|correct|the (?:total|answer|value|case|figure)))\b",
    re.IGNORECASE,
)
_WORDS_BETWEEN = r"\W{0,3}(?:\w{1,20}\W{1,3}){0,2}?"


@dataclass(frozen=True, slots=True)
class Required:
    """One number that the report must hold."""

    name: str
    is_percent: bool
    accepts: Callable[[Decimal], bool]
    units: tuple[str, ...]
    near: tuple[str, ...]

    @property
    def most_claims(self) -> int:
        """Different values that may be claimed of it."""
        return MOST_CLAIMS[0 if self.near else 1 if self.units or self.is_percent else 2]


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence or table row with its numbers; `head` is the head of its table, cells apart by |."""

    text: str
    tokens: tuple[Token, ...]
    head: str = ""


def make(config: Params) -> CheckFunction:
    """The check; it takes no settings."""
    if config:
        raise InputFault(f"check report: unknown setting {min(config)}; it takes none")
    return check


def check(evidence: Evidence, folder: Path, params: Params) -> tuple[bool, str, Mapping[str, Json]]:
    """(passed, why, {candidate, reference}). Raises InputFault where the key is wrong."""
    name, required = settings(params)
    wanted = ", ".join(item.name for item in required)
    data, why = submitted.read(
        evidence, folder, name, PACKED_BYTES if name.lower().endswith(_PACKED) else 4 * ANSWER_CHARS
    )
    if why:
        return submitted.no(why, "nothing", wanted)
    try:
        lines = list(_read(name, data))
    except (cleaning.TooMuchMarkup, RecursionError, ValueError) as error:
        return submitted.no(f"{name}: not read: {error}", "nothing", wanted)
    claims = {item.name: [t for line in lines for t in _claims(item, line)] for item in required}
    dumped = next((i for i in required if len({t.value for t in claims[i.name]}) > i.most_claims), None)
    if dumped:
        why = f"{name}: more than {dumped.most_claims} different values are given for {dumped.name}"
        return submitted.no(why, "a dump of numbers", wanted)
    found = {item.name: next((t for t in claims[item.name] if item.accepts(t.value)), None) for item in required}
    missing = [item for item in required if found[item.name] is None]
    count = sum(len(line.tokens) for line in lines)
    if missing:
        named = "; ".join(item.name + (f" in {' or '.join(item.units)}" if item.units else "") for item in missing)
        return submitted.no(f"{name}: not found: {named}", f"{count} numbers", wanted)
    extras = [line.text[t.start : t.end] for line in lines for t in line.tokens if t not in found.values()]
    why = f"{name} holds all {len(required)} required numbers, and {len(extras)} others"
    return True, why, {"candidate": f"{count} numbers", "reference": wanted[:200], "extras": tuple(extras[:EXTRAS])}


def _read(name: str, data: bytes) -> Iterator[Line]:
    if name.lower().endswith(_PACKED):
        return _lines(packed.text(name, data), False, False)
    return _lines(decoded(data)[:ANSWER_CHARS], name.lower().endswith((".html", ".htm")))


def settings(params: Params) -> tuple[str, tuple[Required, ...]]:
    """(file, what it must hold). InputFault names the wrong field."""
    name = submitted.named("report", params)
    if not name.lower().endswith((".md", ".html", ".htm", *_PACKED)):
        raise InputFault(f"check report: field file: {name!r:.80}; known endings: .md, .html, .htm, .docx, .pdf")
    rows = params.get("required")
    if not isinstance(rows, list | tuple) or not rows:
        raise InputFault("check report: field required: a list of at least one table is needed")
    found = tuple(_required(number, row) for number, row in enumerate(rows, start=1))
    if len({item.name for item in found}) < len(found):
        raise InputFault("check report: field required: one name twice")
    return name, found


def _required(number: int, row: Json) -> Required:
    where = f"check report: field required[{number}]"
    if not isinstance(row, Mapping) or not isinstance(row.get("name"), str) or "reference" not in row:
        raise InputFault(f"{where}: needs name, type and reference")
    unknown = sorted(set(row) - set(_ITEM))
    if unknown or row.get("type") not in TYPES:
        wrong = (
            f"unknown field {unknown[0]}; known: {', '.join(_ITEM)}" if unknown else f"type: {row.get('type')!r:.40}"
        )
        raise InputFault(f"{where}: {wrong}; types: {', '.join(TYPES)}")
    near = row.get("near", ())
    if not isinstance(near, list | tuple) or not all(isinstance(word, str) and word for word in near):
        raise InputFault(f"{where}: near: a list of texts is needed")
    units = text.accepted(row["unit"]) if "unit" in row else ()
    kind = str(row["type"])
    accepts = _accepts(kind, row["reference"])
    return Required(str(row["name"]), kind == "percent", accepts, units, tuple(map(str, near)))


def _accepts(kind: str, reference: Json) -> Callable[[Decimal], bool]:
    wanted: tuple[Target, ...] = integer.exact_targets(reference) if kind in ("integer", "year") else ()
    wanted = wanted or targets(reference, percent=kind == "percent")
    return lambda value: any(target.accepts(value) for target in wanted)


def _lines(source: str, is_html: bool, is_marked: bool = True) -> Iterator[Line]:
    """`is_marked`: the text may hold markup (Markdown or HTML), which is dropped."""
    if is_marked and (is_html or cleaning.has_tags(source)):
        source = _cells_apart(source)
    seen = numerals.numeric_form(cleaning.visible(source) if is_marked else source)
    head, was_row = "", False
    for line in seen.split("\n")[:MOST_LINES]:
        is_row = line.count("|") >= 1
        if is_row and not was_row:
            head = line
        was_row = is_row
        for part in [line] if is_row else _SENTENCE.split(line):
            tokens = tuple(t for t in numerals.scan(part) if t.kind != OTHER and isinstance(t.value, Decimal))
            if part.strip() and len(tokens) <= MOST_A_LINE:
                yield Line(part, tokens, head if is_row else "")


def _cells_apart(source: str) -> str:
    """HTML with each table as lines of cells apart by |, hidden parts gone."""
    soup = cleaning.parse_html(source)
    for table in soup.find_all("table"):
        rows = [[" ".join(cell.get_text().split()) for cell in row.find_all(["th", "td"])] for row in table("tr")]
        table.replace_with("\n\n" + "\n".join(" | ".join(row) for row in rows) + "\n\n")
    return str(soup)


def _claims(item: Required, line: Line) -> Iterator[Token]:
    """The numbers of the line that say something of the item: of its type, with its unit and words, not denied."""
    folded = line.text.casefold()
    if item.near and not any(word.casefold() in folded for word in item.near):
        return
    fit = [t for t in line.tokens if (t.kind == numerals.PERCENT) is item.is_percent and not _is_denied(line.text, t)]
    if not item.units:
        yield from fit
        return
    own = [t for t in fit if any(_has_unit(unit, line, t) for unit in item.units)]
    yield from own or (fit if any(_names_unit(unit, line) for unit in item.units) else ())


def _is_denied(said: str, token: Token) -> bool:
    return bool(
        _NOT_BEFORE.search(said[max(0, token.start - 240) : token.start])
        or _WRONG_AFTER.match(said[token.end : token.end + 100])
    )


def _as_word(unit: str) -> tuple[str, re.RegexFlag]:
    """The unit as a pattern of its own word, and how it is searched."""
    word = numerals.numeric_form(unit)
    return rf"(?<!\w){re.escape(word)}(?!\w)", re.RegexFlag(0) if len(word) <= 2 else re.IGNORECASE  # m is not M


def _names_unit(unit: str, line: Line) -> bool:
    """Whether the unit stands somewhere in a table's row, whose numbers then all may have it."""
    alone, flags = _as_word(unit)
    return bool(line.head and re.search(alone, line.text, flags))


def _has_unit(unit: str, line: Line, token: Token) -> bool:
    """Whether the unit stands at the number, or in the head of its column."""
    alone, flags = _as_word(unit)
    before, after = line.text[: token.start], line.text[token.end :]
    inside = line.text[token.start : token.end]
    if re.match(_WORDS_BETWEEN + alone, after[:120], flags) or re.search(alone + r"\W{0,3}$", before[-60:], flags):
        return True
    if re.search(
        re.escape(numerals.numeric_form(unit)), inside, flags
    ):  # a currency or percent sign is part of the numeral
        return True
    if not line.head:
        return False
    column = before.count("|")
    cells = line.head.split("|")
    of_column = cells[column] if column < len(cells) else ""
    return bool(re.search(alone, of_column, flags))
