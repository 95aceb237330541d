"""From an agent's raw text to what a reader would see: rule 13 (hidden text, markup, invisible characters).

The text is data (rule 14): the patterns below are ours, the agent's text is never one.
"""

import html
import re
import unicodedata
import warnings

from bs4 import BeautifulSoup

from webds_judge.answers import styles
from webds_judge.answers.limits import TAGS

_TAG = re.compile(r"</?[A-Za-z][^<>]{0,2000}>")
_HIDDEN_TAGS = ["script", "style", "template", "noscript", "head", "title", "del", "s", "strike", "think", "thinking"]
_BLOCK_TAGS = ["p", "div", "li", "tr", "ul", "ol", "table", "h1", "h2", "h3", "h4", "section", "article", "pre"]
_LINK = re.compile(r"(!?)\[([^\[\]\n]{0,500})\](?:\([^()\s]{0,2000}(?:\s\"[^\"\n]{0,200}\")?\)|\[[^\[\]\n]{0,50}\])")
_URL = re.compile(r"<?\bhttps?://[^\s<>]{1,2000}>?")
_REMARK = re.compile(
    r"\[(?://|comment|\^?_?hidden)\]:\s{0,9}(?:#|<>)?\s{0,9}(?:\([^()\n]{0,2000}\)|\"[^\"\n]{0,2000}\")?", re.IGNORECASE
)
"""A comment in Markdown: [//]: # (hidden)."""
_FORGED = re.compile(
    r"<\|[a-z_]{2,30}\|>|\[/?INST\]|<<?/?SYS>>?|</?(?:system|assistant|user|grader|judge|tool)(?:\s[^<>]{0,100})?>",
    re.IGNORECASE,
)
"""Marks of another speaker's turn: what follows is not said by the agent."""
_STRUCK = re.compile(
    r"~~[^~\n]{0,2000}~~|.[\u0335-\u0338]|"
    r"\\(?:sout|xout|st|hl?cancel|[bx]?cancel|stkout|strikeout|[hv]?phantom)\s?\{[^{}\n]{0,2000}\}|"
    r"\\(?:text)?color\s?\{white\}\s?\{[^{}\n]{0,2000}\}"
)
_EMPHASIS = (
    (re.compile(r"(?<!\d)\*\*|\*\*(?!\s?[-\d(])"), ""),
    (re.compile(r"(?<!\w)__(?=\S)|(?<=\S)__(?!\w)"), ""),
    (re.compile(r"(?<![\w*)])\*([^\s*](?:[^*\n]{0,300}[^\s*])?)\*(?![\w*(])"), r"\1"),
    (re.compile(r"(?<![\w_])_([^\s_](?:[^_\n]{0,300}[^\s_])?)_(?![\w_])"), r"\1"),
    (re.compile(r"`+"), ""),
    (re.compile(r"(?m)^[ \t]{0,3}#{1,6}[ \t]+"), ""),
    (re.compile(r"(?m)^[ \t]{0,3}>[ \t]*(?![\s\d>=])"), ""),
    (re.compile(r"\[\^\d{1,3}\]"), ""),
)
_WRAPPED = (re.compile(r"\\(?:boxed|text|mathrm|mathbf|textbf|mathit)\s?\{([^{}\n]{0,500})\}"), r"\1")
_LATEX = (
    *[_WRAPPED] * 3,  # one in another: the inner one goes first
    (re.compile(r"\\d?frac\s?\{(\d{1,40})\}\s?\{(\d{1,40})\}"), r"\1/\2"),
    (re.compile(r"\\(?:times|cdot)(?![a-z])"), "×"),
    (re.compile(r"\\[()\[\]]"), " "),
    (re.compile(r"\\([%$&#_])"), r"\1"),
    (re.compile(r"\^\{([+\-\u2212]?\d{1,6})\}"), r"^\1"),
    (re.compile(r"\\[,;! ]|(?<=\d)\{,\}(?=\d)"), " "),
)

_LONG_SPACE = re.compile(r"(\s{200})\s+")
"""More white space in a row than any answer has; the patterns of several modules are quadratic in it."""
_LONE = re.compile(r"(?:[*•]\s+|1[.)]\s+|-\s+(?![\d.])|\|\s*)?([^\n|]{1,300}?)(?:\s*\|)?")
"""One line that is a list, or a table, of one: its mark is no part of the value."""


_RULED = re.compile(r"(?m)^[ \t]*\|[ \t]*:?-{1,50}:?[ \t]*\|[ \t]*$")
_BOXED = re.compile(r"[ \t]*\|([^|\n]{0,500})\|[ \t]*")


class TooMuchMarkup(ValueError):
    """More tags than limits.TAGS: the answer is not read."""


def drop_invisible(text: str) -> str:
    """Without format and control characters (byte order mark, zero width, direction marks); line ends kept."""
    text = _LONG_SPACE.sub(r"\1", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "".join(c for c in text if c in "\n\t" or _is_visible(c))


def _is_visible(char: str) -> bool:
    if char < "\x7f":
        return char >= " "
    if "\ufe00" <= char <= "\ufe0f" or char == "\u034f":
        return False
    return unicodedata.category(char) not in ("Cf", "Cc", "Cs", "Co", "Cn")


def drop_comments(text: str) -> str:
    """Without `<!-- ... -->`; one that is never closed hides everything after it."""
    kept = []
    start = 0
    while (opened := text.find("<!--", start)) >= 0:
        kept.append(text[start:opened])
        closed = text.find("-->", opened + 4)
        if closed < 0:
            return "".join(kept)
        start = closed + 3
    return "".join([*kept, text[start:]])


def parse_html(text: str) -> BeautifulSoup:
    """The tags of `text`, hidden parts removed. Raises TooMuchMarkup."""
    if text.count("<") > TAGS:
        raise TooMuchMarkup(f"more than {TAGS} tags")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        soup = BeautifulSoup(text, "html.parser")
    hidden = styles.unseen(soup)
    for tag in (*soup.find_all(_HIDDEN_TAGS), *hidden):
        if not tag.decomposed:  # not already gone with its parent
            tag.decompose()
    return soup


def has_tags(text: str) -> bool:
    """Whether there is HTML in the text."""
    return bool(_TAG.search(text))


def _text_of_html(text: str) -> str:
    soup = parse_html(text)
    for tag in soup.find_all("br"):
        tag.replace_with("\n")
    for tag in soup.find_all("sup"):
        before = str(tag.previous_sibling or "").rstrip()
        if before.endswith("10"):
            tag.insert_before("^")
    for tag in soup.find_all(_BLOCK_TAGS):
        tag.insert_before("\n")
        tag.insert_after("\n")
    return soup.get_text()


def drop_markdown(text: str) -> str:
    """Links by their text, no images, no struck text, no emphasis marks, headings or LaTeX wrappers."""
    text = _STRUCK.sub(" ", _REMARK.sub(" ", text))
    text = _LINK.sub(lambda found: "" if found[1] else found[2], text)
    bare = _URL.sub(" ", text)
    text = bare if bare.strip() else text
    for pattern, by in (*_LATEX, *_EMPHASIS):
        text = pattern.sub(by, text)
    stripped = text.strip()
    if len(stripped) > 2 and stripped[0] == stripped[-1] == "$":
        return stripped.strip("$")
    return text


def _unboxed(text: str) -> str:
    """A Markdown table of one column as its lines, without the header."""
    if not _RULED.search(text):
        return text
    lines = text.splitlines()
    ruled = [_RULED.fullmatch(line) is not None for line in lines]
    kept = [line for line, rule, below in zip(lines, ruled, [*ruled[1:], False], strict=True) if not rule and not below]
    return "\n".join(found[1] if (found := _BOXED.fullmatch(line)) else line for line in kept)


def visible(text: str) -> str:
    """What a reader sees of `text`. Raises TooMuchMarkup."""
    text = _FORGED.split(drop_comments(drop_invisible(text)), maxsplit=1)[0]
    text = _text_of_html(text) if has_tags(text) else html.unescape(text)
    text = _unboxed(drop_invisible(drop_markdown(text))).strip()
    lone = _LONE.fullmatch(text)
    return lone[1] if lone else text
