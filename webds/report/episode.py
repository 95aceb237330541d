"""One try of one episode, as its page shows it: steps, tool calls, downloads, requests and verdicts."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from webds.codec import digest, load
from webds.errors import InputFault
from webds.outcome import outcome
from webds.report.rows import Row, RunView, committed_folders, read_tolerant
from webds.report.text import clean, cleaned, shown
from webds.store import Committed, read_lines
from webds.types import Json, Observation, Params, Step

CODE_ARGS = {"python": ("code", "source"), "sql": ("query", "sql", "code")}
"""Where the tools carry what they run; the first that is there counts."""
STOPPED = ("blocked", "miss", "error")
_BLOB = re.compile("[0-9a-f]{64}")
_LISTED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """An observation on the page. `image` is a path relative to the page, "" where there is none."""

    url: str
    title: str
    text: str
    refused: str
    image: str
    missing: bool
    """The recording names a screenshot that is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One step on the page."""

    index: int
    name: str
    by: str
    args: tuple[tuple[str, str], ...]
    code: str
    result: str
    saw: Sight
    then: Sight
    seconds: float | None


@dataclass(slots=True, kw_only=True)
class Requests:
    """The proxy's log, counted. `results` by what became of each, `hosts` the busiest first."""

    results: Counter[str] = field(default_factory=Counter)
    hosts: Counter[str] = field(default_factory=Counter)
    stopped: list[tuple[str, str]] = field(default_factory=list)
    """(what, address) of the first 50 that were not served."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """Everything the page of one try shows."""

    name: str
    item: Committed | None
    outcome: str
    steps: tuple[Shot, ...]
    downloads: tuple[str, ...]
    requests: Requests
    chain: str
    """`whole`, `broken` or "" where there is nothing to check: are the steps those that were recorded?"""
    problems: tuple[str, ...]


def tries(view: RunView, row: Row) -> list[Try]:
    """The committed tries of one episode, oldest first; empty where it was not run."""
    if not row.folder:
        return []
    return [read_page(view.path, folder) for folder in committed_folders(view.path / "episodes" / row.folder)]


def read_page(run: Path, folder: Path) -> Try:
    """The try in `folder`. Never raises for broken content: `problems` says what could not be read."""
    item, problems = read_tolerant(folder, folder.name)
    raw = _lines(folder / "trajectory.jsonl", problems)
    steps = _steps(raw, problems)
    seconds = {
        line["index"]: line.get("seconds")
        for line in _lines(folder / "timings.jsonl", problems)
        if isinstance(line, Mapping) and isinstance(line.get("index"), int)
    }
    return Try(
        name=folder.name,
        item=item,
        outcome=str(outcome(item.evidence, item.verdicts).value) if item else "ungraded",
        steps=tuple(_shot(run, step, _number(seconds.get(step.index))) for step in steps),
        downloads=_downloads(steps),
        requests=_requests(_lines(folder / "requests.jsonl", problems)),
        chain=_chain(raw, item),
        problems=tuple(problems),
    )


def blob_path(run: Path, name: str) -> Path | None:
    """Where the blob lies, or None where `name` is no sha256 (it may come from a stranger's recording)."""
    return run / "blobs" / name[:2] / name if _BLOB.fullmatch(name) else None


def _lines(path: Path, problems: list[str]) -> list[Any]:
    """The lines up to the first bad one."""
    lines: list[Any] = []
    try:
        lines.extend(read_lines(path))
    except (InputFault, OSError) as error:
        problems.append(clean(" ".join(str(error).replace(str(path), path.name).split())[:300]))
    return lines


def _steps(raw: list[Any], problems: list[str]) -> list[Step]:
    steps = []
    for number, line in enumerate(raw, start=1):
        try:
            steps.append(load(Step, cleaned(line), f"trajectory.jsonl:{number}"))
        except InputFault as error:
            problems.append(clean(str(error)))
    return steps


def _chain(raw: list[Any], item: Committed | None) -> str:
    """Each step names the hash of the step before, and the evidence that of the last."""
    last = item.evidence.digests.get("trajectory") if item else None
    if not raw or not last:
        return ""
    prev = ""
    for line in raw:
        if not isinstance(line, Mapping) or line.get("prev") != prev:
            return "broken"
        try:
            prev = digest(line)
        except ValueError:
            return "broken"
    return "whole" if prev == last else "broken"


def _shot(run: Path, step: Step, seconds: float | None) -> Shot:
    name, args = step.did.name, dict(step.did.args)
    code_arg = next((key for key in CODE_ARGS.get(name, ()) if key in args), "")
    code = shown(args.pop(code_arg)) if code_arg else ""
    result = step.then.view.get("result")
    return Shot(
        index=step.index,
        name=name,
        by=step.by,
        args=tuple((key, _text(value)) for key, value in args.items()),
        code=code,
        result=_text(result),
        saw=_sight(run, step.saw),
        then=_sight(run, step.then),
        seconds=seconds,
    )


def _sight(run: Path, seen: Observation) -> Sight:
    blob = blob_path(run, seen.image)
    there = blob is not None and blob.is_file()
    return Sight(
        url=_text(seen.view.get("url")),
        title=_text(seen.view.get("title")),
        text=seen.text,
        refused=seen.refused,
        image=f"../../blobs/{seen.image[:2]}/{seen.image}" if there else "",
        missing=bool(seen.image) and not there,
    )


def _text(value: Json) -> str:
    return "" if value is None or value == "" else shown(value)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _downloads(steps: list[Step]) -> tuple[str, ...]:
    """Every download that any step's view lists, in the order of first sight."""
    seen: dict[str, None] = {}
    for step in steps:
        listed = step.then.view.get("downloads")
        for entry in listed if isinstance(listed, list | tuple) else ():
            seen[_download(entry)] = None
    return tuple(seen)


def _download(entry: Json) -> str:
    if not isinstance(entry, Mapping):
        return shown(entry)
    name = entry.get("name", entry.get("path", entry.get("file")))
    size = entry.get("size", entry.get("bytes"))
    return f"{shown(name)} ({size:,} bytes)" if isinstance(size, int) else shown(entry if name is None else name)


def _requests(rows: list[Any]) -> Requests:
    found = Requests()
    for line in rows:
        if isinstance(line, Mapping):
            row = cleaned(line)
            result, url = _result(row), _text(row.get("url"))
            found.results[result] += 1
            found.hosts[_host(row, url)] += 1
            if result in STOPPED and len(found.stopped) < _LISTED:
                found.stopped.append((result, url or shown(row)))
    return found


def _result(row: Params) -> str:
    """What became of a request: its `blocked` mark, else its level, else served."""
    if row.get("blocked") is True:
        return "blocked"
    for key in ("result", "level", "match", "outcome"):
        if isinstance(row.get(key), str) and row[key]:
            return str(row[key])[:40]
    return "served"


def _host(row: Params, url: str) -> str:
    if row.get("host"):
        return shown(row["host"])[:120]
    try:
        return (urlsplit(url if "://" in url else f"//{url}").hostname or "no host")[:120]
    except ValueError:
        return "no host"
