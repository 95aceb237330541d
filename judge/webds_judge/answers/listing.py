"""Types `list` (a multiset) and `ordered_list` (a sequence): rule 8."""

import re
from collections.abc import Mapping

from webds.errors import InputFault
from webds.types import Json
from webds_judge.answers import numbered
from webds_judge.answers.blocks import BULLET, bodies, is_set_aside, without_figures
from webds_judge.answers.cells import number_in, reference_text, same_item
from webds_judge.answers.emptiness import is_empty
from webds_judge.answers.limits import ITEMS
from webds_judge.answers.matching import unmatched
from webds_judge.answers.numerals import numeric_form, scan
from webds_judge.answers.payload import NOTHING, item_text, unwrap, visible_text
from webds_judge.answers.result import Compared, compared

_NUMBERED = re.compile(r"(?:^|(?<=[\s,;]))\(?\d{1,3}[.)]\s+")
_LEFT_OPEN = re.compile(r"[,;\s](?:\.{3}|…|and so (?:on|forth))\W*$", re.IGNORECASE)
_INTRO = re.compile(
    r"^[^\n:;]{0,200}?(?:(?:\b(?:is|are|was|were|be|include|includes|included|contains?|comprises?|namely|found|"
    r"got)\b:?)"
    r"|:)\s+(?=\S)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^[^\n:;,]{0,200}:\s+(?=\S)")
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_PLACE = re.compile(
    rf"^(?:(?P<word>{'|'.join(_PLACES)})|#?(?P<number>\d{{1,3}})(?:st|nd|rd|th|:|(?<=\d)(?=\s)))[:\s]\s*", re.IGNORECASE
)
_PLACE_AFTER = re.compile(rf"\s+(?:is\s|came\s)?(?P<word>{'|'.join(_PLACES)})$", re.IGNORECASE)
_WRAP = " \t\n\"'“”‘’`"


def compare(reference: Json, candidate: str) -> Compared:
    """Type `list`: the same items, each as often, in any order."""
    wanted = _wanted(reference)
    return _compared(wanted, candidate, ordered=False)


def compare_ordered(reference: Json, candidate: str) -> Compared:
    """Type `ordered_list`: the same items in the same order."""
    return _compared(_wanted(reference), candidate, ordered=True)


def sample(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    wanted = _wanted(reference)
    return "; ".join(_shown(item) for item in wanted) if wanted else "[]"


def _wanted(reference: Json) -> list[Json]:
    if not isinstance(reference, list | tuple):
        raise InputFault(f"reference: {reference!r:.80} is not a list")
    for item in reference:
        same_item("", item)  # raises InputFault for a nested or malformed item
    return list(reference)


def _shown(item: Json) -> str:
    return _options(item)[0]


def _options(item: Json) -> list[str]:
    """The ways to write an item, the first for showing."""
    options = item["any_of"] if isinstance(item, Mapping) else [item]
    assert isinstance(options, list | tuple)
    return [reference_text(option) for option in options]


def _compared(wanted: list[Json], candidate: str, ordered: bool) -> Compared:
    named = ", ".join(_shown(item) for item in wanted) or "an empty list"
    readings, problem = _readings(candidate, wanted, ordered)
    if problem:
        return compared(False, problem, None, named)
    whys = []
    for items in readings:
        why = _difference(items, wanted, ordered)
        if not why:
            return compared(True, f"the same {len(wanted)} items", ", ".join(items), named)
        whys.append(why)
    return compared(False, whys[0], ", ".join(readings[0]), named)


def _difference(items: list[str], wanted: list[Json], ordered: bool) -> str:
    """What differs, or ""."""
    if len(items) != len(wanted):
        return f"{len(items)} items where {len(wanted)} are expected"
    if ordered:
        at = next((i for i, (a, b) in enumerate(zip(items, wanted, strict=True)) if not same_item(a, b)), None)
        return "" if at is None else f"item {at + 1} is {items[at][:60]!r}, not {_shown(wanted[at])[:60]!r}"
    extra, missing = unmatched(items, wanted, same_item)
    if not extra:
        return ""
    return f"{extra[0][:60]!r} is not expected and {_shown(missing[0])[:60]!r} is missing"


def _readings(candidate: str, wanted: list[Json], ordered: bool) -> tuple[list[list[str]], str]:
    """The ways to read the candidate as a list, likeliest first; or why there is none."""
    payload = unwrap(candidate)
    if payload.problem:
        return [], payload.problem
    if isinstance(payload.value, list):
        return _from_json(payload.value)
    text = item_text(payload.value) if payload.value is not NOTHING else payload.text
    shown, problem = visible_text(text)
    if problem:
        return [], problem
    if is_empty(shown):
        return [[]], ""
    if _LEFT_OPEN.search(shown) or is_set_aside(shown):
        return [], "the list is left open, or set aside"
    readings = _of_text(text, shown, wanted, ordered)
    if any(len(r) > ITEMS for r in readings):
        return [], f"more than {ITEMS} items"
    return readings or [[shown]], ""


def _of_text(text: str, shown: str, wanted: list[Json], ordered: bool) -> list[list[str]]:
    """The readings of a text, whole and without what stands around the list; `shown` is what a reader sees of it."""
    numeric = bool(wanted) and all(not isinstance(i, Mapping) and number_in(reference_text(i)) for i in wanted)
    readings = [*_split(shown, wanted, ordered), *_numbered_readings(text, wanted, ordered)]
    readings += [items for body in bodies(shown) for items in _split(body, wanted, ordered)]
    readings += [bare for items in readings if (bare := without_figures(items, ordered))]
    if numeric:
        readings = [r for r in (_numbers(shown), *readings) if r]
    return readings


def _numbered_readings(text: str, wanted: list[Json], ordered: bool) -> list[list[str]]:
    """The readings of a text in which a number before an item belongs to the item or, in one line, is its place."""
    options = [option for item in wanted for option in _options(item)]
    written = [text, *numbered.closed(text, options)]
    ways = dict.fromkeys([*written[1:], *map(numbered.kept, written)])
    split = [items for way in ways if way != text for items in _split(visible_text(way)[0], wanted, ordered)]
    return [[numbered.opened(item) for item in items] for items in split]


def _from_json(value: list[object]) -> tuple[list[list[str]], str]:
    if any(isinstance(item, list | Mapping) for item in value):
        return [], "a nested list where a flat one is expected"
    if len(value) > ITEMS:
        return [], f"more than {ITEMS} items"
    seen = [visible_text(item_text(item))[0] for item in value]
    raw = [item.strip() if isinstance(item, str) else seen[i] for i, item in enumerate(value)]
    return [seen, raw] if raw != seen else [seen], ""  # `1. FC Brook` is a name, where `1. Brook` may be an item


def _numbers(text: str) -> list[str]:
    """The numbers, where nothing but separators, units and an introduction stands between them."""
    plain = numeric_form(_unbullet(_outer(_intro(text))))
    tokens = [t for t in scan(plain) if t.value is not None]
    if len(tokens) < 1 or any(t.kind not in ("plain", "percent") for t in scan(plain)):
        return []
    rest = plain
    for token in reversed(tokens):
        rest = rest[: token.start] + "\x01" + rest[token.end :]
    if not re.fullmatch(r"\s*\x01(?:\s*(?:[,;|>\n]|→|->|\band\b|&|\s)+\s*\x01)*\s*\.?\s*", rest):
        return []
    return [plain[t.start : t.end] for t in tokens]


def _intro(text: str) -> str:
    """Without an introducing sentence: `The items are`, `Answer:`."""
    found = _LABEL.match(text) or _INTRO.match(text)
    if not found or "," in found[0]:
        return text
    return text[found.end() :]


def _outer(text: str) -> str:
    text = text.strip()
    pairs = {"[": "]", "{": "}", "(": ")"}
    if text[:1] in pairs and text.endswith(pairs[text[0]]) and text.count(text[0]) == 1:
        return text[1:-1]
    return text


def _unbullet(text: str) -> str:
    return "\n".join(BULLET.sub("", line) for line in text.splitlines())


def _split(text: str, wanted: list[Json], ordered: bool) -> list[list[str]]:
    """Items as text, whole first, then without the introduction."""
    out = []
    for body in dict.fromkeys((_intro(text), text, BULLET.sub("", _intro(text)))):
        items = _items(_outer(body), ordered)
        out.append(_without_places(items) if ordered else items)
        if any(re.search(r",| & | and ", _shown(item)) for item in wanted):
            out.append(_rejoined(_outer(body), wanted))
    return [items for items in out if items]


def _without_places(items: list[str]) -> list[str]:
    """`1st Norvale, 2nd Estby` without the places, where they run from one upwards."""
    if items and re.match(r"first,?\s", items[0], re.IGNORECASE) and not any(_PLACE.match(i) for i in items[1:]):
        items = [re.sub(r"^first,?\s+", "", items[0], flags=re.IGNORECASE), *items[1:]]
    behind = [p for item in items if (p := _PLACE_AFTER.search(item))]
    if [_PLACES.index(p["word"].lower()) for p in behind] == list(range(len(items))):
        return [item[: p.start()] for item, p in zip(items, behind, strict=True)]
    found = [_PLACE.match(item) for item in items]
    places = [f and (_PLACES.index(f["word"].lower()) + 1 if f["word"] else int(f["number"])) for f in found]
    if places != list(range(1, len(items) + 1)):
        return items
    return [item[f.end() :] for item, f in zip(items, found, strict=True) if f]


def _items(body: str, ordered: bool) -> list[str]:
    lines = [line for line in body.splitlines() if line.strip()]
    if len(lines) > 1:
        items = [_clean(BULLET.sub("", f"{line} ")) for line in lines if not line.rstrip().endswith(":")]
        return [item for item in items if item]  # a mark alone: its item was struck
    parts = [p for p in _NUMBERED.split(body) if p.strip()] if len(_NUMBERED.findall(body)) > 1 else []
    if parts:
        return [_clean(part) for part in parts]
    separators = [r"\s*;\s*", r"\s+\|\s+", r"\t+"] + ([r"\s+/\s+"] if "," not in body else [])
    if ordered:
        separators += [
            r"\s*(?:->|→|➔|=>)\s*",
            r"\s+>\s+",
            r",?\s+(?:and\s+)?(?:then|followed by|next|finally|lastly)\s+",
        ]
    for separator in separators:
        parts = re.split(separator, body.strip().rstrip(".;"))
        if len(parts) > 1:
            if "followed by" in separator:
                parts = [piece for part in parts for piece in _by_commas(part)]
            return [_clean(re.sub(r"^and\s+", "", part)) for part in parts if part.strip()]
    return [_clean(part) for part in _by_commas(body) if part.strip(_WRAP)]


def _by_commas(body: str) -> list[str]:
    quoted = re.fullmatch(r"\s*(?:(['\"])(?:(?!\1).){0,500}\1\s*,?\s*)+", body)
    if quoted:
        return [found[2] for found in re.finditer(r"(['\"])((?:(?!\1).){0,500})\1", body)]
    parts = re.split(r",\s+(?:as well as\s+)?|,(?!\d{3}(?!\d))", body.strip().rstrip("."))
    tail = re.split(r"\s+(?:and|&)\s+", parts[-1])
    last = re.sub(r"^and\s+", "", tail[0])
    return [*parts[:-1], last, *tail[1:]]


def _rejoined(body: str, wanted: list[Json]) -> list[str]:
    """Comma parts put together again where the reference's items hold commas (Washington, D.C., Portland, Oregon)."""
    parts = [p.strip() for p in re.split(r",\s+(?:and\s+)?|\s+and\s+", body.strip().rstrip("."))]
    longest = max(_shown(item).count(",") for item in wanted) + 1
    out: list[str] = []
    at = 0
    while at < len(parts) and len(out) <= len(wanted):
        for size in range(min(longest, len(parts) - at), 0, -1):
            joined = ", ".join(parts[at : at + size])
            if size == 1 or any(same_item(joined, item) for item in wanted):
                out.append(_clean(joined))
                at += size
                break
    return out if at >= len(parts) else []


def _clean(item: str) -> str:
    return item.strip(_WRAP + ",;").removesuffix(".").strip(_WRAP)
