"""Does what a site serves bear a key out? `evidence` in a check's params: texts, cells, tips and drawn points.

{kind = "text", url, selector, value}               the element's text, white space collapsed, equals value
{kind = "cell", url, sheet, key, column, value}     the cell of the served .csv or .xlsx equals value; in a .zip, of
                                                    its `member`; for a csv also `encoding` and `delimiter`
{kind = "tip", url, x, y, value}                    what a real pointer resting at x, y brings up holds value: CSS
                                                    pixels of a window of 1280 x 720 after load, without scrolling
{kind = "drawn", url, image, series, key, value}    the page shows the picture, and record and pixel say value

`answer = true` marks the piece whose value the oracle agent hands in.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup
from soupsieve import SelectorSyntaxError

from webds.cells import read_cell
from webds.errors import Fault, InputFault, blame
from webds.types import Json
from webds_judge.drawn import Pictures

type Fetch = Callable[[str], bytes]
type Hover = Callable[[str, float, float], str]
"""hover(url, x, y): the text that came up in a browser, white space collapsed."""

FIELDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "text": (("url", "selector", "value"), ("answer",)),
    "cell": (
        ("url", "key", "column", "value"),
        ("sheet", "key_column", "member", "encoding", "delimiter", "answer"),
    ),
    "tip": (("url", "x", "y", "value"), ("answer",)),
    "drawn": (("url", "image", "series", "key", "value"), ("answer",)),
}
"""Evidence kinds: needed and optional fields."""
_NUMBERS = ("x", "y")
WINDOW = (1280, 720)


@dataclass(frozen=True, slots=True)
class Views:
    """Ways to look at the sites. Without `hover` tips are left out."""

    fetch: Fetch
    pictures: Pictures
    hover: Hover | None = None


def problems(evidence: Json, views: Views) -> Iterator[tuple[str, str]]:
    """(field, problem) of each piece of evidence that does not hold."""
    if not isinstance(evidence, list | tuple):
        yield "evidence", "not a list"
        return
    for number, item in enumerate(evidence, start=1):
        why = _fields_fault(item)
        if why:
            yield f"evidence[{number}]", why
            continue
        assert isinstance(item, Mapping)
        if item["kind"] == "tip" and views.hover is None:
            continue
        try:
            with blame(Fault, "look"):
                found = _found(item, views)
        except (InputFault, Fault) as error:
            yield f"evidence[{number}]", str(error)
            continue
        wanted = str(item["value"])
        if not (wanted in found if item["kind"] == "tip" else wanted == found):
            yield f"evidence[{number}].value", f"{item['url']}: serves {found[:120]!r}, not {wanted[:120]!r}"


def _found(item: Mapping[str, Json], views: Views) -> str:
    if item["kind"] == "text":
        return _text(item, views.fetch)
    if item["kind"] == "cell":
        return _cell(item, views.fetch)
    if item["kind"] == "drawn":
        return views.pictures.value(item)
    assert views.hover is not None
    return " ".join(views.hover(str(item["url"]), float(str(item["x"])), float(str(item["y"]))).split())


def _fields_fault(item: Json) -> str:
    if not isinstance(item, Mapping) or item.get("kind") not in FIELDS:
        kind = item.get("kind") if isinstance(item, Mapping) else item
        return f"kind {kind!r:.80}; known: {', '.join(FIELDS)}"
    needed, optional = FIELDS[str(item["kind"])]
    known = ("kind", *needed, *optional)
    for name in needed:
        if why := _value_fault(name, item.get(name)):
            return f"field {name}: {why}; known: {', '.join(known)}"
    unknown = sorted(set(item) - set(known))
    return f"field {unknown[0]}: unknown; known: {', '.join(known)}" if unknown else ""


def _value_fault(name: str, value: Json) -> str:
    if name not in _NUMBERS:
        return "" if isinstance(value, str) else "missing or no text"
    most = WINDOW[_NUMBERS.index(name)]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return "" if is_number and 0 <= float(str(value)) < most else f"missing, or no number from 0 to under {most}"


def _text(item: Mapping[str, Json], fetch: Fetch) -> str:
    soup = BeautifulSoup(fetch(str(item["url"])), "html.parser")
    try:
        found = soup.select(str(item["selector"]), limit=2)
    except SelectorSyntaxError as error:
        raise InputFault(f"selector {item['selector']!r}: not a CSS selector") from error
    if len(found) != 1:
        raise InputFault(
            f"{item['url']}: selector {item['selector']!r} finds {len(found) or 'no'} elements, one is needed"
        )
    return " ".join(found[0].get_text().split())


def _cell(item: Mapping[str, Json], fetch: Fetch) -> str:
    url = str(item["url"])
    needed, optional = FIELDS["cell"]
    where = {
        name: item[name] for name in (*needed, *optional) if name in item and name not in ("url", "value", "answer")
    }
    return read_cell(fetch(url), unquote(urlsplit(url).path.rpartition("/")[2]), where)
