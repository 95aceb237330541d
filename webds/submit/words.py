"""What was said of a task in an entry: the outcome of each repeat, and the share that it counts as."""

import json
from collections.abc import Iterable, Mapping, Sequence

from webds.report.stats import NOT_RUN
from webds.stats import wilson

type Words = Mapping[str, Sequence[str]]
"""Task -> the outcome of each repeat; one `not_run` where the run did not try it."""


def read(detail: str) -> Words:
    """As the books keep them: one word, or a list of words a task."""
    found: dict[str, str | list[str]] = json.loads(detail)
    return {task: [words] if isinstance(words, str) else words for task, words in found.items()}


def tried(words: Sequence[str]) -> bool:
    """Whether the run had the task at all."""
    return any(word != NOT_RUN for word in words)


def share(words: Sequence[str], denominator: str) -> float | None:
    """Passes over the graded repeats (lenient; None where none was graded), or over all of them (strict)."""
    known = len(words) if denominator == "strict" else sum(word in ("pass", "fail") for word in words)
    return words.count("pass") / known if known else None


def mean(shares: Iterable[float | None]) -> tuple[float, int, float, float]:
    """(sum, n, low, high) of the shares that are there; the ends are Wilson's for a share of n tasks."""
    known = [value for value in shares if value is not None]
    return sum(known), len(known), *wilson(min(sum(known), len(known)), len(known))
