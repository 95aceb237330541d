"""Untrusted text on its way into a prompt: JSON inside a boundary drawn at random, look-alikes escaped, spotlighted.

Spotlighting (data marking): arXiv 2403.14720. It helps and is no boundary; what holds is that the reader believes
nothing without the nonce, and no quote that is not in the evidence.
"""

import json
import re
import secrets
import string
import unicodedata
from dataclasses import dataclass
from typing import Any

_MARKS = "\u02c6\u02d9\u2021\u00a6\u00a4\u2020\u02da\u203b"
_LOOKALIKE = re.compile(
    r"(?i)evidence[^a-z0-9]{0,3}(?=[0-9a-f]{6})|<\|?|\|?>|```|(?<![a-z0-9])nonce(?![a-z0-9])|\[/?inst\]"
)
"""Looked for in the texts, not in their JSON: there a line break before `once` would make one. A mark is no letter."""
_PLAIN = frozenset(string.ascii_letters + string.digits + string.punctuation) - frozenset('"\\<>')
_ANGLES = "\uff1c\uff1e\u2039\u203a\u3008\u3009\u27e8\u27e9\u276e\u276f\u00ab\u00bb\ufe64\ufe65"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """What one call was drawn: boundary, nonce that the reply has to repeat, and the mark between words."""

    boundary: str
    nonce: str
    mark: str

    def around(self, value: Any) -> str:
        """`value` as JSON between two boundary lines, one line of text, every look-alike escaped."""
        return f"<{self.boundary}>\n{_json(self._marked(value))}\n</{self.boundary}>"

    def unmarked(self, text: str) -> str:
        """A quote without the marks of this call."""
        return text.replace(self.mark, " ")

    def _marked(self, value: Any) -> Any:
        if isinstance(value, str):
            return value.replace(self.mark, " ").replace(" ", self.mark)
        if isinstance(value, dict):
            return {self._marked(str(key)): self._marked(item) for key, item in value.items()}
        return [self._marked(item) for item in value] if isinstance(value, list | tuple) else value


def draw() -> Fence:
    """A fence that nobody can have guessed."""
    return Fence(boundary=f"evidence-{secrets.token_hex(12)}", nonce=secrets.token_hex(8), mark=secrets.choice(_MARKS))


def _json(value: Any) -> str:
    if isinstance(value, str):
        return f'"{_escaped(value)}"'
    if isinstance(value, dict):
        return "{" + ",".join(f"{_json(key)}:{_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_json, value)) + "]"
    return json.dumps(value)


def _escaped(text: str) -> str:
    """What stands between the quotes of a JSON string: the first character of each look-alike is escaped."""
    firsts = {found.start() for found in _LOOKALIKE.finditer(text)}
    return "".join(_hex(char) if place in firsts else _character(char) for place, char in enumerate(text))


def _character(char: str) -> str:
    if char in _PLAIN:
        return char
    named = json.dumps(char, ensure_ascii=False)[1:-1]
    return _hex(char) if len(named) == 1 and _tricky(char) else named


def _tricky(char: str) -> bool:
    """Brackets that look like tags, and characters that are not seen: direction marks, zero width, tags, line ends."""
    return char in "<>" or char in _ANGLES or unicodedata.category(char) in ("Cf", "Cc", "Co", "Cs", "Cn", "Zl", "Zp")


def _hex(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
