"""The run's (observation, action, next observation) triplets as Parquet, with the screenshots beside.

    DIR/triplets.parquet      task, repeat, index, observation, action, next_observation, image, next_image, outcome
    DIR/images/<sha256>.png   each screenshot once, under the digest that `image` and `next_image` name

observation, action and next_observation are JSON texts: {"text", "refused", "view"} and {"name", "args"}. A step's
image is "" where none was taken, or where the run has lost it (a warning says so).
"""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from webds.codec import canonical, load, sha256
from webds.errors import InputFault
from webds.report.episode import blob_path
from webds.report.rows import Row, last_try, read_run
from webds.report.text import clean, cleaned
from webds.store import read_lines
from webds.types import Observation, Step

SCHEMA = pa.schema(
    [
        ("task", pa.string()),
        ("repeat", pa.int64()),
        ("index", pa.int64()),
        ("observation", pa.string()),
        ("action", pa.string()),
        ("next_observation", pa.string()),
        ("image", pa.string()),
        ("next_image", pa.string()),
        ("outcome", pa.string()),
    ]
)
GROUP_ROWS = 512
GROUP_BYTES = 16_000_000
"""A row group is written when it holds this many steps or this much text: memory stays flat however long the run."""


@dataclass(slots=True)
class Exported:
    """What was written, and a line for everything that could not be."""

    parquet: Path
    rows: int = 0
    images: int = 0
    warnings: list[str] = field(default_factory=list)


def export_triplets(run: Path, to: Path) -> Exported:
    """Write the steps of each episode's counted try below `to`.

    InputFault: no run in `run`, or `to` cannot be written. A broken step ends its episode with a warning.
    """
    view = read_run(run)
    done = Exported(to / "triplets.parquet")
    beside = to / ".triplets.parquet.part"
    try:
        (to / "images").mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(beside, SCHEMA, compression="zstd") as writer:
            for group in _groups(_rows(run, view.rows, to / "images", done)):
                writer.write_table(pa.Table.from_pylist(group, schema=SCHEMA))
                done.rows += len(group)
        beside.replace(done.parquet)
    except OSError as error:
        raise InputFault(f"{error.filename or to}: cannot be written: {error.strerror or error}") from error
    return done


def _groups(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    group: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        group.append(row)
        size += len(row["observation"]) + len(row["action"]) + len(row["next_observation"])
        if len(group) >= GROUP_ROWS or size >= GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _rows(run: Path, episodes: tuple[Row, ...], images: Path, done: Exported) -> Iterator[dict[str, Any]]:
    kept: dict[str, bool] = {}
    for row in episodes:
        folder = last_try(run, row)
        if folder is None:
            continue
        try:
            for line in read_lines(folder / "trajectory.jsonl"):
                step = load(Step, cleaned(line), "trajectory.jsonl")
                yield {
                    "task": row.task,
                    "repeat": row.repeat,
                    "index": min(step.index, 2**53),
                    "observation": _text(step.saw),
                    "action": canonical(step.did).decode(),
                    "next_observation": _text(step.then),
                    "image": _image(run, images, step.saw.image, kept, done),
                    "next_image": _image(run, images, step.then.image, kept, done),
                    "outcome": row.outcome,
                }
        except InputFault as error:
            done.warnings.append(f"{row.folder}: {clean(str(error).replace(f'{folder}/', ''))}")


def _text(seen: Observation) -> str:
    return canonical({"text": seen.text, "refused": seen.refused, "view": seen.view}).decode()


def _image(run: Path, images: Path, name: str, kept: dict[str, bool], done: Exported) -> str:
    """The digest where the screenshot lies beside the Parquet file, else ""."""
    if not name:
        return ""
    if name not in kept:
        kept[name] = _copy(run, images, name, done)
    return name if kept[name] else ""


def _copy(run: Path, images: Path, name: str, done: Exported) -> bool:
    source = blob_path(run, name)
    if source is None or not source.is_file():
        done.warnings.append(f"blob {clean(name)[:64]}: not in the run")
        return False
    if sha256(source.read_bytes()) != name:
        done.warnings.append(f"blob {name}: its bytes are not those of its name")
        return False
    beside = images / f".{name}.part"
    shutil.copyfile(source, beside)
    beside.replace(images / f"{name}.png")
    done.images += 1
    return True
