"""Several run folders of one plan (shards, or machines that shared the work) as one run folder.

What is planned, given and served must be the same in all of them; the machine, the hour and the number of slots need
not. The merged folder is an ordinary run: episodes that nobody ran are planned in it, and `--resume` runs them.
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webds.codec import canonical, digest
from webds.errors import InputFault
from webds.runner.plan import read_tasks
from webds.store import RunFolder, read_lines, sync_folder, write_atomic, write_json

PLAN = ("suite", "track", "agent", "repeat", "tasks", "key_given", "declares", "selection")
"""Fields of run.json that make two runs parts of one."""
PLACE = ("isolation", "sandbox", "sites", "provider")
"""Facts of the World that a score depends on."""
MACHINE = ("chromium", "engine", "prices", "task_files")
"""Configuration that names places on one machine, or how many it worked with; tasks themselves are compared."""
FILES = ("sites", "resolver", "ca", "prices")
"""Files of the tables `live` and `agents.NAME`: they may lie elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What was written."""

    folder: RunFolder
    episodes: int
    missing: int
    """Planned and in none of the runs."""
    warnings: tuple[str, ...]


def merge(runs: Sequence[Path], out: Path) -> Merged:
    """Write the run that these are parts of into `out`, all of it or nothing.

    InputFault in one line: runs of different plans, archives or isolation, one still in use, an episode that two of
    them have with different evidence, or an `out` that is there.
    """
    if out.exists():
        raise InputFault(f"{out}: is there already; choose another --out")
    parts = [_opened(path) for path in runs]
    beside = out.with_name(f".{out.name}.part")
    try:
        _refuse_different(parts)
        owners = _owners(parts)
        head = _head(parts)
        _write(beside, parts, owners, head)
        beside.rename(out)
    finally:
        shutil.rmtree(beside, ignore_errors=True)  # gone where all went well
        for part in parts:
            part.release()
    sync_folder(out.absolute().parent)
    folder = RunFolder.open(out)
    folder.rebuild_index()
    missing = len({(task, repeat) for task, repeat in head["plan"]} - set(owners))
    return Merged(folder=folder, episodes=len(owners), missing=missing, warnings=tuple(_warnings(parts)))


def _write(
    into: Path, parts: Sequence[RunFolder], owners: Mapping[tuple[str, int], RunFolder], head: Mapping[str, Any]
) -> None:
    shutil.rmtree(into, ignore_errors=True)
    (into / "episodes").mkdir(parents=True)
    for (task, repeat), part in owners.items():
        name = f"{task}~{repeat}"
        shutil.copytree(part.path / "episodes" / name, into / "episodes" / name, symlinks=True)
    for part in parts:
        _copy_blobs(part, into)
    write_atomic(into / "log.jsonl", b"".join(_log(parts)))
    write_json(into / "run.json", head)


def _opened(path: Path) -> RunFolder:
    """A run that nobody writes to; on a read-only disk nobody can."""
    try:
        return RunFolder.open(path)
    except OSError:
        return RunFolder.view(path)


def _refuse_different(parts: Sequence[RunFolder]) -> None:
    first = parts[0]
    for part in parts[1:]:
        for field, ours, theirs in _compared(first.head, part.head):
            if digest(ours) != digest(theirs):
                raise InputFault(
                    f"{part.path}: field {field}: not that of {first.path}; these are not parts of one run"
                )


def _compared(first: Mapping[str, Any], other: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """(field, its value in one run.json, in the other) of everything that has to be the same."""
    found = [(name, first.get(name), other.get(name)) for name in PLAN]
    configs = [_placeless(head.get("config", {})) for head in (first, other)]
    names = sorted({*configs[0], *configs[1]})
    found += [(f"config.{name}", configs[0].get(name), configs[1].get(name)) for name in names]
    facts = [head.get("facts", {}) for head in (first, other)]
    found += [(f"facts.{name}", facts[0].get(name), facts[1].get(name)) for name in PLACE if name != "sites"]
    for kind in ("sites", "archives"):
        served = [fact.get(kind) or {} for fact in facts]
        common = sorted(set(served[0]) & set(served[1]))
        found += [(f"facts.{kind}.{name}", served[0][name], served[1][name]) for name in common]
    return found


def _placeless(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with files by their names alone."""
    agents = {name: _named(table) for name, table in config.get("agents", {}).items()}
    kept = {name: value for name, value in config.items() if name not in MACHINE}
    return {**kept, "live": _named(config.get("live", {})), "agents": agents}


def _named(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: Path(str(value)).name if name in FILES and value else value for name, value in table.items()}


def _owners(parts: Sequence[RunFolder]) -> dict[tuple[str, int], RunFolder]:
    """The run that each episode is taken from. An episode that was begun and never committed counts for nothing."""
    found: dict[tuple[str, int], tuple[RunFolder, str]] = {}
    for part in parts:
        for item in part.committed():
            if item.key not in found:
                found[item.key] = (part, item.digest)
            elif found[item.key][1] != item.digest:
                other = found[item.key][0].path
                task, repeat = item.key
                raise InputFault(f"{part.path}: episode {task}~{repeat}: also in {other}, with other evidence")
    return {key: part for key, (part, _) in sorted(found.items())}


def _copy_blobs(part: RunFolder, into: Path) -> None:
    """Blobs are named by content: each once."""
    for blob in sorted((part.path / "blobs").glob("*/*")):
        target = into / "blobs" / blob.parent.name / blob.name
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(blob, target)


def _log(parts: Sequence[RunFolder]) -> Iterator[bytes]:
    """The runners' logs one after the other, a line before each saying whose it is."""
    for part in parts:
        for line in ({"event": "merge", "run": part.head.get("id")}, *read_lines(part.path / "log.jsonl")):
            yield canonical(line) + b"\n"


def _head(parts: Sequence[RunFolder]) -> dict[str, Any]:
    heads = [part.head for part in parts]
    tasks = read_tasks(heads[0], str(parts[0].path / "run.json"))
    plan = [[task.id, repeat] for repeat in range(int(heads[0]["repeat"])) for task in tasks]
    sites = {name: value for head in heads for name, value in head.get("facts", {}).get("sites", {}).items()}
    facts = {**heads[0].get("facts", {}), **({"sites": sites} if sites else {})}
    kept = {name: value for name, value in heads[0].items() if name != "shard"}
    return {
        **kept,
        "created": min(str(head.get("created", "")) for head in heads),
        "plan": plan,
        "facts": facts,
        "warnings": list(dict.fromkeys(line for head in heads for line in head.get("warnings", ()))),
        "merged": [{name: head.get(name) for name in ("id", "created", "shard", "versions")} for head in heads],
    }


def _warnings(parts: Sequence[RunFolder]) -> list[str]:
    first, found = parts[0], []
    for part in parts[1:]:
        ours, theirs = first.head.get("versions", {}), part.head.get("versions", {})
        names = [name for name in sorted({*ours, *theirs}) if ours.get(name) != theirs.get(name)]
        if names:
            found.append(f"{part.path}: other versions than in {first.path}: {', '.join(names)}")
    return found
