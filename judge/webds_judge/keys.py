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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from webds.codec import load
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
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputFault(f"{path}: not TOML: {' '.join(str(error).split())}") from error
    unknown = set(table) - {"key"}
    entries = table.get("key", [])
    if unknown or not isinstance(entries, list):
        raise InputFault(f"{path}: field {min(unknown, default='key')}: unknown here; known: key (a list of tables)")
    for number, entry in enumerate(entries, start=1):
        yield _key(path, number, entry)


def _key(path: Path, number: int, entry: Any) -> AnswerKey:
    task = entry.get("task") if isinstance(entry, dict) else None
    where = f"{path}: task {task if isinstance(task, str) else f'number {number}'}"
    _check_fields(where, entry, _FIELDS, needed=("task", "revision", "checks"))
    key = load(AnswerKey, {**entry, "checks": tuple(entry["checks"])}, where)
    names = [check.name for check in key.checks]
    if not names or len(set(names)) < len(names):
        raise InputFault(f"{where}: field checks: {'one name twice' if names else 'at least one check is needed'}")
    gold = _gold_text(path, where, key.gold) if key.gold else None
    return replace(key, checks=tuple(_check(f"{where}: check {check.name}", check, gold) for check in key.checks))


def _check_fields(where: str, entry: Any, fields: tuple[str, ...], needed: tuple[str, ...]) -> None:
    if not isinstance(entry, Mapping):
        raise InputFault(f"{where}: a table is needed; known fields: {', '.join(fields)}")
    for name in needed:
        if name not in entry:
            raise InputFault(f"{where}: field {name}: missing; known: {', '.join(fields)}")
    for name in sorted(set(entry) - set(fields)):
        raise InputFault(f"{where}: field {name}: unknown; known: {', '.join(fields)}")


def _check(where: str, check: Check, gold: str | None) -> Check:
    if check.kind not in CHECK_FIELDS:
        raise InputFault(f"{where}: field kind: {check.kind!r}; known: {', '.join(CHECK_FIELDS)}")
    if gold is not None and check.kind == "csv_file":
        stated = check.params.get("reference", gold)
        if not isinstance(stated, str) or stated.split() != gold.split():
            raise InputFault(f"{where}: field reference: stated here and by gold, and they differ")
        check = replace(check, params={**check.params, "reference": gold})
    _check_fields(where, check.params, CHECK_FIELDS[check.kind], _NEEDED[check.kind])
    if check.params.get("type", known()[0]) not in known():
        raise InputFault(f"{where}: field type: {check.params['type']!r:.80}; known: {', '.join(known())}")
    return check


def _gold_text(path: Path, where: str, gold: str) -> str:
    file = (path.parent / gold).resolve()
    if Path(gold).is_absolute() or not file.is_relative_to(path.parent.resolve()):
        raise InputFault(f"{where}: field gold: {gold!r} leads out of {path.parent}")
    try:
        return csv_file.decoded(file.read_bytes())
    except OSError as error:
        raise InputFault(f"{where}: field gold: {gold!r} cannot be read: {error.strerror}") from error
