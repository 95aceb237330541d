"""The rubric's part of `webds judge run`: settings kept in the run, and what the process that judges said."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webds import config as settings
from webds.errors import InputFault
from webds.prices import read_usage, total
from webds.runner.judging import keys_beside
from webds.runner.rubric import Rubric
from webds.store import Committed, RunFolder, read_json, write_json

_KEPT = "rubric.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """force: what has a verdict as well. canaries: ask them before the first uncached call."""

    force: bool
    canaries: bool


def judged(
    root: Path, store: RunFolder, items: Sequence[Committed], sets: Iterable[str], how: How
) -> dict[str, Any] | None:
    """What the rubric said, by episode and in sum; None where no model is named. InputFault: a wrong table."""
    table = _table(store, sets)
    if not table:
        return None
    keys = keys_beside(store.head.get("config", {}))
    asked = Rubric(root=root, table=table, keys=keys, force=how.force, canaries=how.canaries)
    rows, done = asked.judged(store.path, items)
    write_json(store.path / _KEPT, {"table": table, "settings": done["settings"]})
    kinds = Counter(row.get("blame", row["kind"]) for row in rows)
    tries = [{**row, "graded": str(Path(row["graded"]).relative_to(store.path))} for row in rows]
    return {
        "settings": done["settings"],
        "kept": done["kept"],
        "disagreements": done["disagreements"],
        "words": dict(sorted(kinds.items())),
        "usage": total(read_usage(used) for used in (done["canaries"], *(row.get("usage") for row in rows))).record(),
        "tries": sorted(tries, key=lambda row: str(row["graded"])),
    }


def _table(store: RunFolder, sets: Iterable[str]) -> dict[str, Any]:
    """The run's own table, over it what an earlier `judge run` was given, over it `--set`."""
    path = store.path / _KEPT
    kept = read_json(path).get("table", {}) if path.is_file() else {}
    own = store.head.get("config", {}).get("rubric", {})
    return table_of({"rubric": {**own, **kept}}, str(path), sets)


def table_of(config: Mapping[str, Any], where: str, sets: Iterable[str]) -> dict[str, Any]:
    """The table `rubric` of a configuration, `--set` over it. InputFault: a field of another table is set."""
    words = list(sets)
    for word in words:
        if not word.startswith("rubric."):
            raise InputFault(f"--set {word}: only fields of rubric can be set here, for example rubric.model=NAME")
    table: dict[str, Any] = settings.resolve_table(config, where, words)["rubric"]
    return table


def lines(said: Mapping[str, Any] | None) -> Iterator[str]:
    """For people: a line an episode, then the sums."""
    for row in said["tries"] if said else ():
        word = f"{row['stars']} stars" if row["kind"] == "verdict" else f"ungraded ({row['blame']})"
        yield f"rubric: {Path(row['graded']).parent.name}  {word}: {row['why']}"
    if said:
        used = ", ".join(f"{name} {value:g}" for name, value in said["usage"].items()) or "nothing"
        yield f"rubric: {said['kept']} kept, {said['disagreements']} against the typed judge; its calls used {used}"
