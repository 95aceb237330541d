"""What of an observation the model gets: cut to a length, and with parts folded that it has been shown before."""

import re

_ID = re.compile(r"\[\d+\] ")
_FOLDED = re.compile(r"^(banner|navigation|contentinfo|complementary|search|region)\b")


def cut(text: str, chars: int) -> str:
    """The text, or its beginning and a line that says how much is left out."""
    if len(text) <= chars:
        return text
    end = text.rfind("\n", chars // 2, chars)
    kept = text[: end if end > 0 else chars]
    return f"{kept}\n[{len(text) - len(kept)} characters left out: use find, table or scroll]"


class Pruner:
    """Folds landmarks (navigation, footer, notices) whose content was shown on an earlier page of the episode."""

    def __init__(self) -> None:
        self._shown: set[str] = set()

    def prune(self, text: str) -> str:
        """The outline with such parts as one line each."""
        lines, kept, place = text.split("\n"), list[str](), 0
        while place < len(lines):
            line = lines[place]
            end = _end(lines, place)
            if _FOLDED.match(line.strip()) and end > place + 1:
                part = _ID.sub("", "\n".join(lines[place:end]))
                if part in self._shown:
                    kept.append(f"{line} (as before, {end - place - 1} lines)")
                    place = end
                    continue
                self._shown.add(part)
            kept.append(line)
            place += 1
        return "\n".join(kept)


def _end(lines: list[str], place: int) -> int:
    """Where the part that begins with this line ends: the next line that is not deeper."""
    depth = len(lines[place]) - len(lines[place].lstrip())
    end = place + 1
    while end < len(lines) and lines[end].strip() and len(lines[end]) - len(lines[end].lstrip()) > depth:
        end += 1
    return end


def lines_of(text: str, ids: list[str]) -> list[str]:
    """The lines of these elements, without indentation."""
    wanted = tuple(f"[{element}]" for element in ids)
    return [line.strip() for line in text.split("\n") if wanted and line.strip().startswith(wanted)]


def ids_of(text: str) -> list[str]:
    """The ids that are shown, in order."""
    return [match[1:-2] for match in _ID.findall(text)]
