"""Is the evidence whole? Files match their digests, and the trajectory's hash chain ends where evidence.json says."""

import hashlib
from pathlib import Path

from webds.codec import digest, load
from webds.errors import InputFault
from webds.store import read_lines
from webds.types import Evidence, Step

_CHUNK = 1 << 20


def fault(evidence: Evidence, folder: Path) -> str:
    """What is wrong with the evidence in one line, or ""."""
    for file in evidence.files:
        if why := _file_fault(folder, file.path, file.sha256, file.size):
            return why
    return _chain_fault(evidence, folder)


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


def _chain_fault(evidence: Evidence, folder: Path) -> str:
    path = folder / "trajectory.jsonl"
    last = ""
    count = 0
    try:
        for line in read_lines(path):
            step = load(Step, line, f"trajectory.jsonl: step {count}")
            if step.index != count or step.prev != last:
                return f"trajectory.jsonl: the hash chain is broken at step {count}"
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
