"""The rubric's part of `webds judge run`: settings kept in the run, one process that judges, what it said."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webds import config as settings
from webds.errors import InputFault
from webds.prices import read_usage, total
from webds.runner.children import Child
from webds.runner.judging import keys_beside
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
    rows = asyncio.run(_ask(root, store, items, table, how))
    done = rows.pop()
    write_json(store.path / _KEPT, {"table": table, "settings": done["settings"]})
    kinds = Counter(row.get("blame", row["kind"]) for row in rows)
    tries = [{**row, "graded": str(Path(row["graded"]).relative_to(store.path))} for row in rows]
    return {
        "settings": done["settings"],
        "kept": done["kept"],
        "disagreements": done["disagreements"],
        "words": dict(sorted(kinds.items())),
        "usage": total(read_usage(row.get("usage")) for row in rows).record(),
        "tries": sorted(tries, key=lambda row: str(row["graded"])),
    }


def _table(store: RunFolder, sets: Iterable[str]) -> dict[str, Any]:
    """The run's own table, over it what an earlier `judge run` was given, over it `--set`."""
    path = store.path / _KEPT
    kept = read_json(path).get("table", {}) if path.is_file() else {}
    own = store.head.get("config", {}).get("rubric", {})
    words = list(sets)
    for word in words:
        if not word.startswith("rubric."):
            raise InputFault(f"--set {word}: only fields of rubric can be set here, for example rubric.model=NAME")
    table: dict[str, Any] = settings.resolve_table({"rubric": {**own, **kept}}, str(path), words)["rubric"]
    return table


async def _ask(
    root: Path, store: RunFolder, items: Sequence[Committed], table: Mapping[str, Any], how: How
) -> list[dict[str, Any]]:
    words = ("webds_judge.rubric", "--root", str(root), *keys_beside(store.head.get("config", {})))
    (store.path / "logs").mkdir(exist_ok=True)
    child = Child(words, store.path / "logs" / "judge.log")
    folders = [str(item.folder) for item in items]
    request = {"run": str(store.path), "folders": folders, "table": table}
    await child.start()
    try:
        rows = [await child.ask({**request, "canaries": how.canaries, "force": how.force}, None)]
        while "done" not in rows[-1]:
            if "error" in rows[-1]:
                raise InputFault(str(rows[-1]["error"]))
            rows.append(await child.answer())
    finally:
        await child.stop()
    return rows


def lines(said: Mapping[str, Any] | None) -> Iterator[str]:
    """For people: a line an episode, then the sums."""
    for row in said["tries"] if said else ():
        word = f"{row['stars']} stars" if row["kind"] == "verdict" else f"ungraded ({row['blame']})"
        yield f"rubric: {Path(row['graded']).parent.name}  {word}: {row['why']}"
    if said:
        used = ", ".join(f"{name} {value:g}" for name, value in said["usage"].items()) or "nothing"
        yield f"rubric: {said['kept']} kept, {said['disagreements']} against the typed judge; its replies used {used}"
