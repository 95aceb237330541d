"""Is a `[[task]]` table complete, each field with a known value? Findings name file, task, row, field and problem."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webds.codec import faults
from webds.types import Task
from webds_judge.prompts import is_of, report_breaks

KNOWN_LABELS: Mapping[str, tuple[str, ...]] = {
    "kind": ("qa", "action"),
    "hops": ("single", "multi"),
    "data": ("structured", "unstructured"),
    "media": ("text", "non_text"),
}
"""Labels with a fixed set of values; `tools` and `navigation` are booleans, `sites` and `domain` those of the sites."""
LABELS = (*KNOWN_LABELS, "tools", "navigation", "sites", "domain")
ID = re.compile(r"[a-z0-9][a-z0-9.-]{0,98}")
"""A task's id, which names its folder in a run."""
_NEEDED = ("id", "suite", "revision", "prompt", "start", "labels", "guard")
_FIELDS = (*_NEEDED, "inputs", "budget", "collect")
_BUDGET = ("steps", "seconds", "tokens", "dollars")


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: which file, which task (id, or its row number), which field, and what is wrong with it."""

    file: str
    task: str
    field: str
    problem: str


@dataclass(frozen=True, slots=True)
class Site:
    """What the validator needs of a site.toml."""

    name: str
    domain: str
    folder: Path
    canary: str = ""


type Report = Callable[[str, str], None]
"""report(field, problem)"""


def check_task(file: str, row: int, entry: Any, sites: Mapping[str, Site]) -> Iterator[Finding]:
    """Findings about one task table; `row` is its place in the file, from 1."""
    name = entry.get("id") if isinstance(entry, Mapping) else None
    task = name if isinstance(name, str) and name else f"row {row}"
    found: list[tuple[str, str]] = []

    def report(field: str, problem: str) -> None:
        found.append((field, problem))

    if isinstance(entry, Mapping):
        _names(entry, report)
        _values(entry, report)
        _start(entry.get("start"), sites, report)
        report_breaks(str(entry.get("prompt", "")), [f"{site}.test" for site in sites], report)
        _budget(entry.get("budget", {}), report)
        _labels(entry.get("labels"), sites, report)
        _rest(entry, [field for field, _ in found], report)
    else:
        report("-", "not a table")
    return (Finding(file, task, field, f"row {row}, column {field}: {problem}") for field, problem in found)


def _rest(entry: Mapping[str, Any], told: list[str], report: Report) -> None:
    """What a run would refuse of the table besides, such as inputs that are no list of texts."""
    for field, why in faults(
        Task, {name: value for name, value in entry.items() if name in _FIELDS and name != "guard"}
    ):
        if not any(field == name or field.startswith(f"{name}.") for name in told):
            report(field, why)


def _names(entry: Mapping[str, Any], report: Report) -> None:
    for name in _NEEDED:
        if name not in entry:
            report(name, f"missing; known: {', '.join(_FIELDS)}")
    for name in sorted(set(entry) - set(_FIELDS)):
        report(name, f"unknown; known: {', '.join(_FIELDS)}")


def _values(entry: Mapping[str, Any], report: Report) -> None:
    for name in ("id", "suite", "prompt", "guard"):
        if name in entry and (not isinstance(entry[name], str) or not entry[name].strip()):
            report(name, f"{entry[name]!r:.80} is not a text")
    if isinstance(entry.get("id"), str) and not ID.fullmatch(entry["id"]):
        report("id", f"{entry['id']!r:.120}; wanted small letters, digits, - and .")
    revision = entry.get("revision", 1)
    if isinstance(revision, bool) or not isinstance(revision, int) or revision < 1:
        report("revision", f"{revision!r:.80}; a whole number from 1 is needed")
    guard = entry.get("guard", "")
    if isinstance(guard, str) and re.search(r"[\r\n]", guard.strip()):
        report("guard", "more than one line")


def _start(start: Any, sites: Mapping[str, Site], report: Report) -> None:
    if start is None:
        return
    url = start.get("url") if isinstance(start, Mapping) else None
    if not isinstance(url, str):
        report("start.url", "missing; for example https://<site>.test/")
        return
    if re.search(r"\s", url):
        report("start.url", f"{url!r:.120}: white space in an address")
    elif not is_of(url, [f"{site}.test" for site in sites]):
        report("start.url", f"{url!r:.120}: no known site; known: {_listed(sites)}")


def _budget(budget: Any, report: Report) -> None:
    if not isinstance(budget, Mapping):
        report("budget", f"{budget!r:.80} is not a table")
        return
    for name in sorted(set(budget) - set(_BUDGET)):
        report(f"budget.{name}", f"unknown; known: {', '.join(_BUDGET)}")
    for name in _BUDGET:
        value = budget.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            report(f"budget.{name}", f"{value!r:.80} is out of range; a number from 0 (no limit)")


def _labels(labels: Any, sites: Mapping[str, Site], report: Report) -> None:
    if not isinstance(labels, Mapping):
        return
    for name in LABELS:
        if name not in labels:
            report(f"labels.{name}", f"missing; known: {', '.join(LABELS)}")
    for name in sorted(set(labels) - set(LABELS)):
        report(f"labels.{name}", f"unknown; known: {', '.join(LABELS)}")
    for name in set(labels) & set(LABELS):
        known = _known_values(name, sites)
        value = labels[name]
        items = value if name == "sites" and isinstance(value, list | tuple) and value else (value,)
        for item in items:
            if not any(item is k or (isinstance(item, str) and item == k) for k in known):
                report(f"labels.{name}", f"{item!r:.80}; known: {', '.join(map(_toml, known))}{_swapped(item, name)}")


def _known_values(name: str, sites: Mapping[str, Site]) -> tuple[Any, ...]:
    if name in KNOWN_LABELS:
        return KNOWN_LABELS[name]
    if name == "sites":
        return tuple(sites)
    return tuple(sorted({site.domain for site in sites.values()})) if name == "domain" else (True, False)


def _swapped(value: Any, name: str) -> str:
    """Says so where the value belongs to another label."""
    other = next((n for n, known in KNOWN_LABELS.items() if n != name and value in known), "")
    return f" ({value!r} is a value of {other}: swapped?)" if other else ""


def _toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _listed(sites: Mapping[str, Site]) -> str:
    return ", ".join(sites) or "none"
