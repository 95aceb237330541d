"""What a quote may be found in: the raw fields of a trajectory, by step and kind."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

SHORTEST = 12
"""Characters that a quote needs."""
ANSWER = -1
"""The step number that stands for the final answer."""


def fold(text: str) -> str:
    """NFKC, white space as single spaces: how quotes and fields are compared."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One raw text of the evidence. `kind`: answer, page, served, tool, action or file."""

    step: int
    kind: str
    text: str


class Exhibits:
    """Fields, and the steps whose picture was shown; ANSWER stands for what was handed in."""

    def __init__(self, fields: Iterable[Field], images: Iterable[int] = ()) -> None:
        self._fields: dict[int, list[tuple[str, str]]] = {}
        for field in fields:
            self._fields.setdefault(field.step, []).append((field.kind, fold(field.text)))
        self._images = frozenset(images)

    def fault(self, quote: str, steps: Sequence[int], kinds: Sequence[str]) -> str:
        """Why the quote proves nothing, or ""."""
        said = fold(quote)
        if self._is_whole_answer(said, steps, kinds):
            return ""
        if len(said) < SHORTEST:
            return f"the quote has {len(said)} characters, {SHORTEST} are needed"
        unknown = [step for step in steps if step not in self._fields]
        if not steps or unknown:
            return f"no step {unknown[0]}" if unknown else "no step is named"
        found = [kind for step in steps for kind, text in self._fields[step] if said in text]
        if not found:
            return "the quote is not in the steps that it names"
        return "" if set(found) & set(kinds) else f"the quote stands in {found[0]} only, which proves nothing here"

    def _is_whole_answer(self, said: str, steps: Sequence[int], kinds: Sequence[str]) -> bool:
        """An answer shorter than a quote is quoted whole."""
        return bool(said) and "answer" in kinds and ANSWER in steps and ("answer", said) in self._fields.get(ANSWER, ())

    def pictured(self, steps: Sequence[int], kinds: Sequence[str]) -> bool:
        """Whether every step's picture was shown; one that was handed in proves what a file may prove."""
        return bool(steps) and self._images.issuperset(steps) and (ANSWER not in steps or "file" in kinds)

    def steps(self) -> Mapping[int, int]:
        """Number of fields by step."""
        return {step: len(fields) for step, fields in self._fields.items()}
