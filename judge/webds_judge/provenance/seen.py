"""Was a value shown by a site? What the agent typed first and a page then echoed does not count."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from webds.types import Step
from webds_judge.provenance.values import Value, holds, telling
from webds_judge.rubric.record import Record
from webds_judge.rubric.triplets import TOOLS

_ECHO = re.compile(r'value "[^"\n]*"|^url: .*$|^tabs?: .*$', re.MULTILINE)
"""What stands in input fields, and addresses: the agent may have put it there."""


@dataclass(frozen=True, slots=True)
class Sight:
    """Where a value stands: the step, and the page or file."""

    step: int
    where: str


def sight(record: Record, value: Value) -> Sight | None:
    """The first place that shows the value, or None."""
    typed: list[str] = []
    for step in record.steps:
        if step.index == 0 and _is_page(step.saw.view) and _shows(step.saw.text, value):
            return Sight(0, _where(step.saw.view))
        if step.did.name not in TOOLS and step.did.name != "submit":
            typed += _texts(step.did.args)
        echoed = _typed(typed, value)
        found = _on_page(step, value, echoed) or _in_files(record, step, value, echoed)
        if found:
            return found
    return None


def _on_page(step: Step, value: Value, echoed: bool) -> Sight | None:
    if step.did.name in TOOLS or echoed or not _is_page(step.then.view):
        return None
    return Sight(step.index, _where(step.then.view)) if _shows(step.then.text, value) else None


def _in_files(record: Record, step: Step, value: Value, echoed: bool) -> Sight | None:
    """In a file that a site served. A file that could repeat what was sent to the site does not count."""
    if echoed and (any(post <= step.index for post in record.posts) or _typed(_addresses(step), value)):
        return None
    for path in record.downloads.get(step.index, ()):
        if holds(record.served[step.index], value, telling(value)):
            return Sight(step.index, f"file {path.name}")
    names = {path.name for paths in record.downloads.values() for path in paths}
    if step.did.name == "files" and step.did.args.get("name") in names and _shows(step.then.text, value):
        return Sight(step.index, f"file {step.did.args['name']}")
    return None


def _addresses(step: Step) -> list[str]:
    listed = step.then.view.get("downloads", ())
    rows = listed if isinstance(listed, tuple | list) else ()
    return [str(row.get("url", "")) for row in rows if isinstance(row, Mapping)]


def _shows(text: str, value: Value) -> bool:
    return holds(_ECHO.sub(" ", text), value, telling(value))


def _typed(typed: list[str], value: Value) -> bool:
    """Whether the agent wrote the value, also in pieces."""
    return any(holds(text, value, rounding=False) for text in (" \n".join(typed), "".join(typed))) or (
        value.number is not None and len(value.text) > 2 and value.text in "".join(typed)
    )


def _texts(args: Mapping[str, Any]) -> Iterator[str]:
    yield from (str(value) for name, value in args.items() if name != "id" and isinstance(value, str | int | float))


def _is_page(view: Mapping[str, Any]) -> bool:
    return str(view.get("url", "")).startswith(("http://", "https://"))


def _where(view: Mapping[str, Any]) -> str:
    return f"page {view.get('url', '')}"
