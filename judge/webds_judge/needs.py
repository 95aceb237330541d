"""What a task cannot do without: a suite, what its key asks to be collected, its start among its sites, solutions."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from webds import plugins
from webds_judge.checkout import Checkout, start_site
from webds_judge.fields import Finding, Site

COLLECTS = ("state",)
"""Collect kinds that an environment can save."""
SOLUTIONS = 2
"""Scripted solutions that a site has at least; where it has fewer tasks, one for each."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")


def faults(found: Checkout) -> Iterator[Finding]:
    """What is missing of the tasks and keys in `found`."""
    suites = sorted(plugins.known("webds.suites"))
    for file, row, entry in found.rows:
        if not isinstance(entry, Mapping):
            continue
        name = entry.get("id")
        task = name if isinstance(name, str) and name else f"row {row}"
        for field, problem in _of_task(entry, suites, found.sites):
            yield Finding(file, task, field, f"row {row}, column {field}: {problem}")
    yield from _uncollected(found)
    yield from _unsolved(found)


def _of_task(entry: Mapping[str, Any], suites: list[str], sites: Mapping[str, Site]) -> Iterator[tuple[str, str]]:
    suite = entry.get("suite")
    if isinstance(suite, str) and suite.strip() and suite not in suites:
        yield "suite", f"{suite!r:.80}; known: {', '.join(suites)}"
    named, start = _sites_of(entry), start_site(entry)
    if start in sites and named and start not in named:
        yield "labels.sites", f"without {start!r}, on which the task starts; known: {', '.join(sites)}"
    yield from _collects(entry, [name for name in (start, *named) if name in sites])


def _sites_of(entry: Mapping[str, Any]) -> tuple[str, ...]:
    labels = entry.get("labels")
    named = labels.get("sites") if isinstance(labels, Mapping) else ()
    return tuple(name for name in named if isinstance(name, str)) if isinstance(named, list | tuple) else ()


def _items(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    rows = entry.get("collect", ())
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list | tuple) else []


def _collects(entry: Mapping[str, Any], sites: list[str]) -> Iterator[tuple[str, str]]:
    """(field, problem) of what the task wants collected. That each item is a table with texts is seen elsewhere."""
    seen: list[str] = []
    for place, item in enumerate(_items(entry), start=1):
        name, kind = str(item.get("name", "")), item.get("kind")
        if not _NAME.fullmatch(name) or name in seen:
            yield f"collect[{place}].name", f"{name!r:.80}; wanted small letters, digits and -, and no name twice"
        seen.append(name)
        if kind not in COLLECTS:
            yield f"collect[{place}].kind", f"{kind!r:.80}; known: {', '.join(COLLECTS)}"
        params = item.get("params")
        site = params.get("site") if isinstance(params, Mapping) else None
        if site not in sites:
            yield f"collect[{place}].params.site", f"{site!r:.80}; known: {', '.join(dict.fromkeys(sites)) or 'none'}"


def _uncollected(found: Checkout) -> Iterator[Finding]:
    """Checks that ask a database which the task does not have collected."""
    for task, (file, key) in found.keys.items():
        if task not in found.tasks:
            continue
        names = [str(item.get("name", "")) for item in _items(found.tasks[task][1])]
        for check in key.checks:
            wanted = check.params.get("collect")
            if check.kind == "sql" and isinstance(wanted, str) and wanted not in names:
                said = f"{wanted!r:.80}: the task does not collect it; known: {', '.join(names) or 'none'}"
                yield Finding(file, task, f"{check.name}.collect", said)


def _unsolved(found: Checkout) -> Iterator[Finding]:
    """Groups of a site with too few scripted solutions. A folder that is no site's may hold a single private task."""
    folders = {site.folder.name for site in found.sites.values()}
    groups: dict[str, list[str]] = {}
    for task, (file, _) in found.tasks.items():
        groups.setdefault(file, []).append(task)
    for file, tasks in groups.items():
        path = found.root / file
        if path.parent.name not in folders or path.parent.parent.name != "tasks_public":
            continue
        wanted = min(SOLUTIONS, len(tasks))
        solved = sum(_solves(path.parent / "solutions" / _script(task)) for task in tasks)
        if solved < wanted:
            said = f"{solved} scripted solutions of its tasks, {wanted} are needed; for example {_script(tasks[0])}"
            yield Finding(file, "-", "solutions", said)


def _script(task: str) -> str:
    """The name of a task's solution, as agent `scripted` looks for it."""
    return f"{task.replace('-', '_').replace('.', '_')}.py"


def _solves(path: Path) -> bool:
    """Is it Python with an `async def solve`?"""
    try:
        lines = ast.parse(path.read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return False
    return any(isinstance(line, ast.AsyncFunctionDef) and line.name == "solve" for line in lines)
