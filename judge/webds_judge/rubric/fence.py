"""Untrusted text on its way into a prompt: JSON inside a boundary drawn at random, look-alikes escaped, spotlighted.

Spotlighting (data marking): arXiv 2403.14720. It helps and is no boundary; what holds is that the reader believes
nothing without the nonce, and no quote that is not in the evidence.
"""

import json
import re
import secrets
import unicodedata
from dataclasses import dataclass
from typing import Any

_MARKS = "\u02c6\u02d9\u2021\u00a6\u00a4\u2020\u02da\u203b"
_LOOKALIKE = re.compile(r"(?i)evidence[\W_]{0,3}(?=[0-9a-f]{6})|<\|?|\|?>|```|\bnonce\b|\[/?inst\]")
_ANGLES = "\uff1c\uff1e\u2039\u203a\u3008\u3009\u27e8\u27e9\u276e\u276f\u00ab\u00bb\ufe64\ufe65"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """What one call was drawn: boundary, nonce that the reply has to repeat, and the mark between words."""

    boundary: str
    nonce: str
    mark: str

    def around(self, value: Any) -> str:
        """`value` as JSON between two boundary lines, one line of text, every look-alike escaped."""
        text = json.dumps(self._marked(value), ensure_ascii=False, separators=(",", ":"))
        return f"<{self.boundary}>\n{_escaped(text)}\n</{self.boundary}>"

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


def _escaped(text: str) -> str:
    text = _LOOKALIKE.sub(lambda found: _hex(found[0][0]) + found[0][1:], text)
    return "".join(_hex(char) if _tricky(char) else char for char in text)


def _tricky(char: str) -> bool:
    """Brackets that look like tags, and characters that are not seen: direction marks, zero width, tags."""
    return char in "<>" or char in _ANGLES or unicodedata.category(char) in ("Cf", "Cc", "Co", "Cs", "Cn")


def _hex(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
