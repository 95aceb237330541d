"""The files of an archive beside its index: each is named by the sha256 of its bytes, and read against that name."""

import hashlib
import re
from pathlib import Path

from webds.errors import InputFault

_NAME = re.compile("[0-9a-f]{64}")


def blob_path(folder: Path, name: str) -> Path:
    """Where a blob lies. InputFault for a name that is no sha256."""
    if _NAME.fullmatch(name) is None:
        raise InputFault(f"{folder}: {name[:80]!r} is not the name of a blob")
    return folder / "blobs" / name[:2] / name


def frames_path(folder: Path, kind: str, name: str) -> Path:
    """Where a frame list lies."""
    blob_path(folder, name)
    return folder / ("ws" if kind == "ws" else "sse") / f"{name}.jsonl"


class Shelf:
    """Reads the blobs and frame lists of one archive. What was changed since it was written is never handed out."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sound: set[Path] = set()

    def read(self, file: Path) -> bytes:
        """A file's bytes, hashed the first time they are read. InputFault: it is gone, or does not match its name."""
        try:
            data = file.read_bytes()
        except OSError as error:
            raise InputFault(f"{self._folder}: blob {file.name} is missing; run webds archive verify") from error
        if file not in self._sound:
            if hashlib.sha256(data).hexdigest() != file.name.removesuffix(".jsonl"):
                raise InputFault(f"{self._folder}: blob {file.name} does not match its name; run webds archive verify")
            self._sound.add(file)
        return data
