"""Is the evidence whole? Files and the proxy's log match their digests, the hash chain ends where evidence.json says.

What is checked is what is read: the steps that the judge looks at are those whose chain was followed.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from webds.codec import digest, load
from webds.errors import InputFault
from webds.store import read_lines
from webds.types import Evidence, Json, Step

_CHUNK = 1 << 20


def fault(evidence: Evidence, folder: Path) -> str:
    """What is wrong with the evidence in one line, or ""."""
    return read(evidence, folder)[1]


def read(evidence: Evidence, folder: Path) -> tuple[tuple[Step, ...], str]:
    """(the steps, what is wrong with the evidence in one line or ""). Steps are given only where nothing is wrong."""
    for file in evidence.files:
        if why := _file_fault(folder, file.path, file.sha256, file.size):
            return (), why
    if why := _log_fault(folder / "requests.jsonl", evidence.digests.get("requests")):
        return (), why
    steps: list[Step] = []
    why = _chain_fault(evidence, folder, steps)
    return (() if why else tuple(steps)), why


def blob_fault(steps: Iterable[Step], blobs: Path) -> str:
    """A screenshot that is not the bytes its step names, in one line, or ""; one that is gone is no lie."""
    for name in {step.then.image for step in steps if step.then.image}:
        path = blobs / name[:2] / name
        if path.is_file() and _sha256(path) != name:
            return f"the screenshot {name[:12]} is not what its step names"
    return ""


def _log_fault(path: Path, recorded: Json) -> str:
    """The log proves what a site served, so a changed one proves nothing. None: a try without a proxy."""
    found = _sha256(path) if path.is_file() else ""
    return "" if recorded in (None, found) else "requests.jsonl is not the log that evidence.json names"


def _file_fault(folder: Path, relative: str, sha256: str, size: int) -> str:
    path = (folder / relative).resolve()
    if not path.is_relative_to(folder.resolve()):
        return f"file {relative!r:.200} lies outside the try's folder"
    if not path.is_file():
        return f"file {relative!r:.200} is missing"
    if path.stat().st_size != size or _sha256(path) != sha256:
        return f"file {relative!r:.200} does not match its sha256"
    return ""


def _sha256(path: Path) -> str:
    hasher = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            hasher.update(chunk)
    return hasher.hexdigest()


def _chain_fault(evidence: Evidence, folder: Path, steps: list[Step]) -> str:
    """Fills `steps` as it goes."""
    path = folder / "trajectory.jsonl"
    last = ""
    count = 0
    try:
        for line in read_lines(path):
            step = load(Step, line, f"trajectory.jsonl: step {count}")
            if step.index != count or step.prev != last:
                return f"trajectory.jsonl: the hash chain is broken at step {count}"
            steps.append(step)
            last, count = digest(line), count + 1
    except InputFault as error:
        return f"trajectory.jsonl: {error}"
    if count != evidence.steps:
        return f"trajectory.jsonl has {count} steps, evidence.json says {evidence.steps}"
    return (
        ""
        if last == evidence.digests.get("trajectory", "")
        else "trajectory.jsonl: its last hash is not evidence.json's"
    )
