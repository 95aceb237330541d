"""What a checkout holds of tasks, keys and sites, read without stopping at a fault: each is a Finding."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from webds.errors import InputFault
from webds.types import AnswerKey
from webds_judge.fields import Finding, Site
from webds_judge.keys import KeyFault, each_key

type Row = tuple[str, int, Mapping[str, Any]]
"""A task table with its file (relative to the root) and its place in it, from 1."""


@dataclass(slots=True)
class Checkout:
    """`tasks` and `keys` by id, each with its file relative to the root; `sites` by name; what was wrong so far."""

    root: Path
    sites: dict[str, Site] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    tasks: dict[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)
    keys: dict[str, tuple[str, AnswerKey]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def sites_of(self, task: str) -> list[Site]:
        """The known sites of a task: where it starts, then those that it names."""
        entry = self.tasks[task][1] if task in self.tasks else {}
        labels = entry.get("labels")
        named = labels.get("sites") if isinstance(labels, Mapping) else ()
        names = [start_site(entry), *(named if isinstance(named, list | tuple) else ())]
        return [self.sites[name] for name in dict.fromkeys(map(str, names)) if name in self.sites]


def read(root: Path, rows: Iterable[Row] | None = None) -> Checkout:
    """The checkout under `root`; `rows` stand in for its task files."""
    found = Checkout(root)
    found.sites = _sites(root, found.findings)
    found.rows = list(_task_rows(root, found.findings)) if rows is None else list(rows)
    found.tasks = _by_id(found.rows, found.findings)
    found.keys = _keys(root, found.findings)
    found.findings += list(_pairs(found))
    return found


def toml(root: Path, path: Path, findings: list[Finding]) -> dict[str, Any]:
    """The tables of one file, or none and a finding."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        findings.append(Finding(str(path.relative_to(root)), "-", "-", f"not TOML: {' '.join(str(error).split())}"))
        return {}


def _sites(root: Path, findings: list[Finding]) -> dict[str, Site]:
    out = {}
    for path in sorted(root.glob("sites_docker/*/site.toml")):
        head = toml(root, path, findings)
        findings += (Finding(str(path.relative_to(root)), "-", *fault) for fault in _site_faults(head) if head)
        if isinstance(head.get("name"), str):
            out[head["name"]] = Site(
                head["name"], str(head.get("domain", "")), path.parent, str(head.get("canary", ""))
            )
    return out


def _site_faults(head: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(field, problem) of what keeps a site from being served."""
    for name in ("name", "title", "frozen", "serve"):
        if not isinstance(head.get(name), str):
            yield name, "missing, or no text"
    try:
        datetime.fromisoformat(str(head.get("frozen", "2022-06-24")))
    except ValueError:
        yield "frozen", f"{head['frozen']!r:.60}; wanted an instant like 2022-06-24T12:00:00Z"


def _task_rows(root: Path, findings: list[Finding]) -> Iterator[Row]:
    for path in sorted(root.glob("tasks_public/*/tasks.toml")):
        file = str(path.relative_to(root))
        content = toml(root, path, findings)
        unknown = sorted(set(content) - {"task"})
        findings += (Finding(file, "-", name, "unknown; known: task (a list of tables)") for name in unknown)
        rows = content.get("task", [])
        if not isinstance(rows, list):
            findings.append(Finding(file, "-", "task", "not a list of tables"))
            continue
        yield from ((file, number, row) for number, row in enumerate(rows, start=1))


def _by_id(rows: list[Row], findings: list[Finding]) -> dict[str, tuple[str, Mapping[str, Any]]]:
    out: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for file, number, entry in rows:
        name = entry.get("id") if isinstance(entry, Mapping) else None
        if not isinstance(name, str):
            continue
        if name in out:
            findings.append(Finding(file, name, "id", f"row {number}, column id: stands twice, also in {out[name][0]}"))
        out.setdefault(name, (file, entry))
    return out


def _keys(root: Path, findings: list[Finding]) -> dict[str, tuple[str, AnswerKey]]:
    out: dict[str, tuple[str, AnswerKey]] = {}
    for path in sorted(root.glob("tasks_public/*/keys.toml")):
        file = str(path.relative_to(root))
        try:
            for key in each_key(path):
                if isinstance(key, KeyFault):
                    findings.append(Finding(file, key.task, key.field, key.problem))
                elif key.task in out:
                    findings.append(Finding(file, key.task, "task", f"has a key already in {out[key.task][0]}"))
                else:
                    out[key.task] = (file, key)
        except InputFault as error:
            findings.append(Finding(file, "-", "-", str(error).removeprefix(f"{path}: ")))
    return out


def _pairs(found: Checkout) -> Iterator[Finding]:
    """A key for each task and a task for each key, of one revision. What has a fault of its own is not missed too."""
    told = {(fault.file, fault.task) for fault in found.findings}
    keys = found.keys
    for name, (file, entry) in found.tasks.items():
        if name not in keys:
            theirs = f"{file.rpartition('/')[0]}/keys.toml"
            if not told & {(theirs, name), (theirs, "-")}:
                yield Finding(file, name, "id", "no key in any keys.toml")
        elif keys[name][1].revision != entry.get("revision"):
            of_key = keys[name][1].revision
            yield Finding(file, name, "revision", f"{entry.get('revision')!r:.40}, the key is of revision {of_key}")
    for name, (file, _) in keys.items():
        if name not in found.tasks and (f"{file.rpartition('/')[0]}/tasks.toml", "-") not in told:
            yield Finding(file, name, "task", "no such task in any tasks.toml")


def start_site(entry: Mapping[str, Any]) -> str:
    """Name of the site that a task table starts on, or an empty text."""
    start = entry.get("start")
    url = start.get("url") if isinstance(start, Mapping) else ""
    try:
        return (urlsplit(str(url)).hostname or "").removesuffix(".test")
    except ValueError:
        return ""
