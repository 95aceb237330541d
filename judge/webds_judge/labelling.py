"""Do a task's labels say what its solution does? Told by the kinds of its key's checks and evidence.

kind    `action`: something beside the answer is left behind and checked (a post, a file, a report, a picture).
media   `non_text`: a value is read off a picture (`drawn`) or a canvas (`tip`).
data    `unstructured`: a value is read off one of those, or out of running text (a caption, a note, a paragraph).
hops    `multi` takes values from two pages, sheets or files at least.

The rules in words: docs/tasks.md, section Labels.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from webds.types import AnswerKey
from webds_judge.checkout import Checkout
from webds_judge.fields import Finding

type Item = Mapping[str, Any]

_GRAPHIC = ("drawn", "tip")
_RUNNING = re.compile(r"#(p|note-|caption-)\d+$")
"""Selectors by which the sites' running text is named."""
_NO_VALUE = re.compile(r"#(rule|mark|gap|note|left)-|#(dates|missing|smallest|meaning)\b|\.body\b")
"""Selectors of what says how to count, or of a member's post: needed, but no data."""


def faults(found: Checkout) -> Iterator[Finding]:
    """Each label of a task that its key contradicts; of all but kind only where the key has evidence."""
    for task, (_, key) in found.keys.items():
        file, entry = found.tasks.get(task, ("", {}))
        labels = entry.get("labels")
        for name, value, why in _told(key):
            said = labels.get(name) if isinstance(labels, Mapping) else None
            if said is not None and said != value:
                yield Finding(file, task, f"labels.{name}", f"{said!r:.80}; {value}, because {why}")


def _told(key: AnswerKey) -> Iterator[tuple[str, str, str]]:
    """(label, value, the reason for it)."""
    left = [check.kind for check in key.checks if check.kind != "answer"]
    yield ("kind", "action", f"check kind {left[0]}") if left else ("kind", "qa", "only the answer is checked")
    evidence = [item for check in key.checks for item in _listed(check.params.get("evidence"))]
    if not evidence:
        return
    graphic = next((str(item["kind"]) for item in evidence if item.get("kind") in _GRAPHIC), "")
    running = next((place for item in evidence if _RUNNING.search(place := str(item.get("selector", "")))), "")
    if graphic:
        yield "media", "non_text", f"evidence of kind {graphic}"
        yield "data", "unstructured", f"evidence of kind {graphic}"
    else:
        yield "media", "text", "no evidence is drawn or a tip"
        if running:
            yield "data", "unstructured", f"running text at {running}"
        else:
            yield "data", "structured", "no running text"
    sources = {
        tuple(str(item.get(part, "")) for part in ("url", "sheet", "member", "image")) for item in _valued(evidence)
    }
    if len(sources) == 1:
        yield "hops", "single", f"all values are from {next(iter(sources))[0]}"


def _listed(evidence: object) -> Sequence[Item]:
    return [item for item in evidence if isinstance(item, Mapping)] if isinstance(evidence, list | tuple) else []


def _valued(evidence: Sequence[Item]) -> Iterator[Item]:
    for item in evidence:
        if item.get("value") != "" and not _NO_VALUE.search(str(item.get("selector", ""))):
            yield item
