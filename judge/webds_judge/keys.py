"""The answer keys: `tasks_public/*/keys.toml` under a root. Only the judge, the validator and the oracle read them.

[[key]]
task = "group.task"        # the task's id
revision = 1               # as in tasks.toml
gold = "gold/states.csv"   # optional, relative to this file: becomes `reference` of the csv_file checks
[[key.checks]]
name = "answer"
kind = "answer"
weight = 1.0               # optional
[key.checks.params]
type = "number"
reference = 12.5
"""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from webds.codec import faults, load
from webds.errors import InputFault
from webds.types import AnswerKey, Check
from webds_judge.answers import known
from webds_judge.checks import answer, csv_file, picture, report, sql

CHECK_FIELDS: Mapping[str, tuple[str, ...]] = {
    "answer": answer.FIELDS,
    "csv_file": csv_file.FIELDS,
    "picture": picture.FIELDS,
    "report": report.FIELDS,
    "sql": sql.FIELDS,
}
"""Check kinds and the params that each takes."""
_NEEDED = {
    "answer": ("type", "reference"),
    "csv_file": ("file", "reference"),
    "picture": ("file",),
    "report": ("file", "required"),
    "sql": ("collect", "query"),
}
_FIELDS = ("task", "revision", "checks", "gold")


class KeyFault(InputFault):
    """One fault of one table of a keys file. `task` is its place ("row 2") where it names none; `field` is as in
    `amount.kind` where a check is at fault."""

    def __init__(self, path: Path, row: int, task: str, check: str, field: str, problem: str) -> None:
        where = f"{path}: task {task or f'number {row}'}{f': check {check}' if check else ''}"
        super().__init__(f"{where}: field {field}: {problem}")
        self.task = task or f"row {row}"
        self.field = f"{check}.{field}" if check else field
        self.problem = problem


type _Report = Callable[[str, str, str], None]
"""report(check, field, problem)"""


class KeyRing:
    """All keys under `root`, or in `files` where there are any, read once.

    A faulty file raises InputFault, or with `strict=False` is kept in `faults`.
    The judge process is not strict: one group's broken file must not leave every other group's tries ungraded.
    """

    def __init__(self, root: Path, strict: bool = True, files: Iterable[Path] = ()) -> None:
        self._keys: dict[str, AnswerKey] = {}
        self._files: dict[str, Path] = {}
        self.faults: tuple[str, ...] = ()
        for path in tuple(files) or sorted(root.glob("tasks_public/*/keys.toml")):
            try:
                self._read(path)
            except InputFault as error:
                if strict:
                    raise
                self.faults = (*self.faults, str(error))

    def _read(self, path: Path) -> None:
        for key in read_keys(path):
            if key.task in self._keys:
                where = self._files[key.task]
                raise InputFault(f"{path}: task {key.task}: field task: has a key already in {where}")
            self._keys[key.task] = key
            self._files[key.task] = path

    def key(self, task: str) -> AnswerKey:
        """The task's key. InputFault lists the known tasks."""
        if task not in self._keys:
            broken = f"; not read: {'; '.join(self.faults)}" if self.faults else ""
            raise InputFault(f"no key for task {task!r:.100}; known: {', '.join(sorted(self._keys)) or 'none'}{broken}")
        return self._keys[task]

    def tasks(self) -> tuple[str, ...]:
        """Ids of the tasks that have a key."""
        return tuple(sorted(self._keys))

    def file(self, task: str) -> Path:
        """The file that holds the task's key."""
        self.key(task)
        return self._files[task]


def read_keys(path: Path) -> Iterator[AnswerKey]:
    """The keys of one file. InputFault names file, task, field and the known values."""
    for key in each_key(path):
        if isinstance(key, KeyFault):
            raise key
        yield key


def each_key(path: Path) -> Iterator[AnswerKey | KeyFault]:
    """The keys of one file, and every fault of what is none. InputFault: the file holds no list of tables."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputFault(f"{path}: not TOML: {' '.join(str(error).split())}") from error
    unknown = set(table) - {"key"}
    entries = table.get("key", [])
    if unknown or not isinstance(entries, list):
        raise InputFault(f"{path}: field {min(unknown, default='key')}: unknown here; known: key (a list of tables)")
    for row, entry in enumerate(entries, start=1):
        wrong, key = _key(path, row, entry)
        yield from wrong
        if key is not None:
            yield key


def _key(path: Path, row: int, entry: Any) -> tuple[list[KeyFault], AnswerKey | None]:
    """(faults, the key where there are none)."""
    named = entry.get("task") if isinstance(entry, Mapping) else None
    task = named if isinstance(named, str) else ""
    wrong: list[KeyFault] = []

    def report(check: str, field: str, problem: str) -> None:
        wrong.append(KeyFault(path, row, task, check, field, problem))

    if not isinstance(entry, Mapping):
        report("", "-", f"a table is needed; known fields: {', '.join(_FIELDS)}")
        return wrong, None
    _report_fields("", entry, _FIELDS, ("task", "revision", "checks"), report)
    told = {fault.field for fault in wrong}
    for field, why in faults(AnswerKey, {**entry, "checks": ()}):
        if field not in told:
            report("", field, why)
    gold = _gold_text(path, entry["gold"], report) if isinstance(entry.get("gold"), str) and entry["gold"] else None
    checks = _checks(entry.get("checks", ()), gold, report)
    return wrong, None if wrong else load(AnswerKey, {**entry, "checks": checks}, f"{path}: task {task}")


def _checks(rows: Any, gold: str | None, report: _Report) -> tuple[Check, ...]:
    if not isinstance(rows, list | tuple):
        report("", "checks", "not a list of tables")
        return ()
    found = [_check(str(place), entry, gold, report) for place, entry in enumerate(rows, start=1)]
    checks = tuple(check for check in found if check is not None)
    names = {check.name for check in checks}
    if isinstance(rows, list) and (not rows or len(names) < len(checks)):
        report("", "checks", "one name twice" if rows else "at least one check is needed")
    return checks


def _check(place: str, entry: Any, gold: str | None, report: _Report) -> Check | None:
    """The check with its gold file as reference; None where it is not even a check."""
    named = entry.get("name") if isinstance(entry, Mapping) else None
    name = named if isinstance(named, str) and named else place
    wrong = faults(Check, entry)
    for field, why in wrong:
        report(name, field, why)
    if wrong:
        return None
    check = load(Check, entry, "")
    if check.kind not in CHECK_FIELDS:
        report(name, "kind", f"{check.kind!r}; known: {', '.join(CHECK_FIELDS)}")
        return check
    if gold is not None and check.kind == "csv_file":
        stated = check.params.get("reference", gold)
        if not isinstance(stated, str) or stated.split() != gold.split():
            report(name, "reference", "stated here and by gold, and they differ")
        check = replace(check, params={**check.params, "reference": gold})
    _report_fields(name, check.params, CHECK_FIELDS[check.kind], _NEEDED[check.kind], report)
    if check.params.get("type", known()[0]) not in known():
        report(name, "type", f"{check.params['type']!r:.80}; known: {', '.join(known())}")
    return check


def _report_fields(
    check: str, entry: Mapping[str, Any], fields: tuple[str, ...], needed: tuple[str, ...], report: _Report
) -> None:
    for name in needed:
        if name not in entry:
            report(check, name, f"missing; known: {', '.join(fields)}")
    for name in sorted(set(entry) - set(fields)):
        report(check, name, f"unknown; known: {', '.join(fields)}")


def _gold_text(path: Path, gold: str, report: _Report) -> str:
    """The gold file's text, or none and a fault."""
    file = (path.parent / gold).resolve()
    if Path(gold).is_absolute() or not file.is_relative_to(path.parent.resolve()):
        report("", "gold", f"{gold!r} leads out of {path.parent}")
        return ""
    try:
        return csv_file.decoded(file.read_bytes())
    except OSError as error:
        report("", "gold", f"{gold!r} cannot be read: {error.strerror}")
        return ""
