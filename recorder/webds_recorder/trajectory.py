"""Writes an episode down as it happens: hash-linked steps, times beside them, blobs by content."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from webds.codec import canonical, digest, sha256
from webds.store import append_line, read_lines, write_atomic
from webds.types import Params, Step


class TrajectoryRecorder:
    """`folder` is the try's folder, `blobs` the run's blob folder. Each write is on disk before it returns."""

    def __init__(self, folder: Path, blobs: Path) -> None:
        self._folder = folder
        self._blobs = blobs
        self._head = ""

    def blob(self, data: bytes) -> str:
        """Keep bytes under their sha256, which is returned. Bytes already there are not written again."""
        name = sha256(data)
        path = self._blobs / name[:2] / name
        if not path.exists():
            write_atomic(path, data)
        return name

    def append(self, step: Step, at: str, seconds: float, usage: Params) -> None:
        """One step (content) and its timing (provenance). The step must link to the one before it."""
        if step.prev != self._head:
            raise ValueError(f"step {step.index} links to {step.prev or 'nothing'}, the last one is {self._head}")
        append_line(self._folder / "trajectory.jsonl", step)
        timing = {"index": step.index, "at": at, "seconds": round(seconds, 4), "usage": usage}
        append_line(self._folder / "timings.jsonl", timing)
        self._head = digest(step)

    def close(self) -> str:
        """The hash of the last step: what evidence.json pins."""
        return self._head


def check_chain(folder: Path, expected: str) -> str:
    """Empty if the trajectory in `folder` is unbroken and ends in `expected`, else what is wrong, in one line."""
    head = ""
    for number, row in enumerate(read_lines(folder / "trajectory.jsonl")):
        if not isinstance(row, Mapping) or row.get("index") != number or row.get("prev") != head:
            return f"trajectory.jsonl: step {number} does not follow from the step before it"
        head = sha256(canonical(row))
    return "" if head == expected else "trajectory.jsonl does not end in the step that evidence.json names"


def make(config: Mapping[str, Any]) -> TrajectoryRecorder:
    """Entry point webds.recorders: files. config: folder, blobs."""
    return TrajectoryRecorder(Path(config["folder"]), Path(config["blobs"]))
