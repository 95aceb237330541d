"""Does what a site serves bear a key out? `evidence` in a check's params: a text on a page, or a cell of a file.

{kind = "text", url, selector, value}               the element's text, white space collapsed, equals value
{kind = "cell", url, sheet, key, column, value}     the cell of the served .csv or .xlsx equals value; in a .zip, of
                                                    its `member`; for a csv also `encoding` and `delimiter`

`answer = true` marks the piece whose value the oracle agent hands in.
"""

from collections.abc import Callable, Iterator, Mapping
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup
from soupsieve import SelectorSyntaxError

from webds.cells import read_cell
from webds.errors import Fault, InputFault, blame
from webds.types import Json

type Fetch = Callable[[str], bytes]

_FIELDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "text": (("url", "selector", "value"), ("answer",)),
    "cell": (
        ("url", "key", "column", "value"),
        ("sheet", "key_column", "member", "encoding", "delimiter", "answer"),
    ),
}
"""Evidence kinds: needed and optional fields."""


def problems(evidence: Json, fetch: Fetch) -> Iterator[tuple[str, str]]:
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
        try:
            with blame(Fault, "fetch"):
                found = _text(item, fetch) if item["kind"] == "text" else _cell(item, fetch)
        except (InputFault, Fault) as error:
            yield f"evidence[{number}]", str(error)
            continue
        if found != str(item["value"]):
            yield (
                f"evidence[{number}].value",
                f"{item['url']}: serves {found[:120]!r}, not {str(item['value'])[:120]!r}",
            )


def _fields_fault(item: Json) -> str:
    if not isinstance(item, Mapping) or item.get("kind") not in _FIELDS:
        kind = item.get("kind") if isinstance(item, Mapping) else item
        return f"kind {kind!r:.80}; known: {', '.join(_FIELDS)}"
    needed, optional = _FIELDS[str(item["kind"])]
    known = ("kind", *needed, *optional)
    missing = [name for name in needed if not isinstance(item.get(name), str)]
    unknown = sorted(set(item) - set(known))
    if missing or unknown:
        wrong = f"field {missing[0]}: missing or no text" if missing else f"field {unknown[0]}: unknown"
        return f"{wrong}; known: {', '.join(known)}"
    return ""


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
    needed, optional = _FIELDS["cell"]
    where = {
        name: item[name] for name in (*needed, *optional) if name in item and name not in ("url", "value", "answer")
    }
    return read_cell(fetch(url), unquote(urlsplit(url).path.rpartition("/")[2]), where)
