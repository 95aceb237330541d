"""One archive out of what the episodes of a live run captured, to run the same tasks frozen.

Episodes are read in the run's order, their last committed tries, those that were let in before those that were
blocked. What an earlier episode asked for is taken from it alone: answers of two moments are not mixed at one address.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from webds.errors import InputFault
from webds.store import Committed, RunFolder
from webds.tracks.live import ARCHIVE
from webds.types import Ending
from webds_recorder.archive import ArchiveReader
from webds_recorder.writer import ArchiveWriter, Terms


def gather(run: RunFolder) -> Path:
    """Write `<run>/archive` anew from its episodes' archives. InputFault where nothing was captured."""
    found = list(captured(run))
    if not found:
        raise InputFault(f"{run.path}: nothing was captured there; capture with: webds run --track live --capture")
    target = run.path / ARCHIVE
    with ArchiveReader(found[0]) as first:
        view = first.manifest
        terms = Terms(
            site="live", frozen=min(_frozen(folder) for folder in found), seed=int(view["seed"]),
            viewport=(int(view["viewport"][0]), int(view["viewport"][1])), locale=view["locale"], zone=view["zone"],
        )  # fmt: skip
    with ArchiveWriter(target, terms, force=True) as writer:
        for folder in found:
            with ArchiveReader(folder) as reader:
                writer.absorb(reader)
        made = {"made by": "webds run --archive", "episodes": [str(f.relative_to(run.path)) for f in found]}
        writer.finish(made, allowed=[name for name, _ in writer.left_over()])  # as each episode was sealed
    return target


def captured(run: RunFolder) -> Iterator[Path]:
    """Archives of the last committed tries, in the order in which they are read."""
    items = {item.key: item for item in run.committed()}
    planned = [items[key] for task, repeat in run.head.get("plan", ()) if (key := (str(task), int(repeat))) in items]
    for item in sorted(planned, key=_refused):
        folder = item.folder / ARCHIVE
        if (folder / "manifest.json").is_file():
            yield folder


def _refused(item: Committed) -> bool:
    return item.evidence.ending in (Ending.BLOCKED, Ending.INFRA)


def _frozen(folder: Path) -> datetime:
    with ArchiveReader(folder, check=False) as reader:
        return reader.frozen
