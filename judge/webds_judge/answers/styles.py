"""Which HTML elements a reader does not see: hidden by their tag, an attribute, their own style or a style sheet.

Style sheets are read by tag names, classes and ids alone (rule 14: the agent's selectors are compared, never run);
rules for print, for states such as `:hover`, and selectors of any other kind are not applied.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from bs4 import BeautifulSoup, Tag

RULES = 500
"""Most rules of style sheets that are read."""

_HIDING = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|font-size:0(?![.\d])|opacity:0(?:\.0+)?(?![.\d])|content-visibility:"
    r"hidden|text-decoration(?:-line)?:[^;]*line-through|clip:rect\(|clip-path:(?:inset\((?:50|100)%|circle\(0)|"
    r"text-indent:-\d{3}|margin(?:-left|-top)?:-\d{3}|(?:scale|scale3d|scalex|scaley)\(0(?![.\d])|"
    r"translate(?:x|y|3d)?\((?:0[a-z]*,)?-\d{3}"
)
_PLACED = re.compile(r"position:(?:absolute|fixed|relative)")
_FAR = re.compile(r"(?:^|;)(?:left|top|right|bottom|inset):(?:-\d{3}|[1-9]\d{4})")
_NO_SIZE = re.compile(r"(?:^|;)(?:max-)?(?:width|height):[01](?:px|em|pt)?(?:;|!|$)")
_CUT = re.compile(r"overflow(?:-[xy])?:(?:hidden|clip)")
_WHITE = r"(?:white|snow|#f{3,4}|#f{6}|#f{8}|rgba?\(255,255,255(?:,1)?\))(?:;|!|$)"
_PALE = re.compile(rf"(?:^|;)color:(?:transparent|rgba\([\d.,]+,0?(?:\.0+)?\)|{_WHITE})")
_GROUND = re.compile(rf"(?:^|;)background(?:-color|-image)?:(?!none|transparent|{_WHITE})|(?:^|;)bgcolor:(?!{_WHITE})")
_ATTRIBUTES = ("display", "visibility", "opacity", "color", "bgcolor", "font-size")
"""Attributes that do what the style of the same name does, in SVG and in old HTML."""
_CLOSED = ("dialog", "datalist", "canvas", "audio", "video", "iframe")
"""Elements whose text is not shown (a dialog unless it is open)."""
_FOR_PRINT = re.compile(r"@media[^{}]{0,200}\bprint\b[^{}]{0,200}\{(?:[^{}]{0,2000}\{[^{}]{0,2000}\}){0,200}[^{}]*\}")
_RULE = re.compile(r"([^{}]{1,500})\{([^{}]{0,2000})\}")
_NOTE = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
type _Rule = tuple[int, str, str]
"""Place in the sheets, compound selector, declarations."""
_LAST = re.compile(r"(?:^|[\s>+~])((?:\*|[a-z][\w-]*)?(?:[.#][\w-]+)*)$")


def unseen(soup: BeautifulSoup) -> list[Tag]:
    """The outermost elements that are hidden. Read before the style sheets are taken out."""
    sheet = _sheet(soup)
    styles = {id(tag): _style(tag, sheet) for tag in soup.find_all(True)}
    return [tag for tag in soup.find_all(True) if _is_hidden(tag, styles)]


def _is_hidden(tag: Tag, styles: Mapping[int, str]) -> bool:
    if "hidden" in tag.attrs or tag.attrs.get("aria-hidden") == "true":
        return True
    if tag.name in _CLOSED and "open" not in tag.attrs:
        return True
    style = styles[id(tag)]
    if not style:
        return False
    if _HIDING.search(style) or (_PLACED.search(style) and _FAR.search(style)):
        return True
    return bool(_NO_SIZE.search(style) and _CUT.search(style)) or _is_pale(tag, style, styles)


def _is_pale(tag: Tag, style: str, styles: Mapping[int, str]) -> bool:
    """White or transparent letters with no other ground behind them."""
    if not _PALE.search(style):
        return False
    return not any(_GROUND.search(styles.get(id(one), "")) for one in (tag, *tag.parents))


def _style(tag: Tag, sheet: Mapping[str, Sequence[_Rule]]) -> str:
    """What is declared for the element in small letters without spaces; of two the later one holds, as in a browser."""
    found = [f"{name}:{tag.attrs[name]}" for name in _ATTRIBUTES if name in tag.attrs]
    if sheet:
        marks = {f".{name}" for name in _classes(tag)} | {f"#{tag.attrs.get('id', '')}".lower()}
        rules = [rule for key in (tag.name, "*", *marks) for rule in sheet.get(key, ())]
        found += [rule[2] for rule in sorted(rules) if _fits(rule[1], tag.name, marks)]
    found.append(str(tag.attrs.get("style", "")))
    told: dict[str, str] = {}
    for part in "".join(";".join(found).lower().split()).split(";"):
        name, _, value = part.partition(":")
        if value and ("!important" in value or "!important" not in told.get(name, "")):
            told[name] = value
    return ";".join(f"{name}:{value}" for name, value in told.items())


def _classes(tag: Tag) -> list[str]:
    given: object = tag.attrs.get("class", [])
    return [str(name).lower() for name in (given if isinstance(given, list) else str(given).split())]


def _fits(compound: str, name: str, marks: set[str]) -> bool:
    """`p.note#a` fits an element of that name with all those classes and that id."""
    head = re.match(r"[^.#]*", compound)
    return (not head or head[0] in ("", "*", name)) and set(re.findall(r"[.#][\w-]+", compound)) <= marks


def _sheet(soup: BeautifulSoup) -> dict[str, list[_Rule]]:
    """The rules of all style sheets in the text, by one of the names in their compound."""
    out: dict[str, list[_Rule]] = {}
    for place, (compound, told) in enumerate(_rules(" ".join(tag.get_text() for tag in soup.find_all("style")))):
        key = next(iter(re.findall(r"[.#][\w-]+", compound)), compound)
        out.setdefault(key, []).append((place, compound, told))
    return out


def _rules(source: str) -> Iterator[tuple[str, str]]:
    """The last compound of each selector: `.a .b` is taken for `.b`."""
    source = _FOR_PRINT.sub(" ", _NOTE.sub(" ", source.lower()))
    for number, found in enumerate(_RULE.finditer(source)):
        if number >= RULES:
            return
        for selector in found[1].split(","):
            last = _LAST.search(selector.strip())
            if last and last[1] and ":" not in selector:
                yield last[1], found[2].strip()
