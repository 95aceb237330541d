"""A submitted file by its exact name, and what a verdict says where it is not there or too large."""

from collections.abc import Mapping
from pathlib import Path

from webds.errors import InputFault
from webds.types import Evidence, Json, Params
from webds_judge.answers.limits import FILE_BYTES


def named(kind: str, params: Params) -> str:
    """Param `file`. InputFault where it is no name."""
    name = params.get("file")
    if not isinstance(name, str) or not name:
        raise InputFault(f"check {kind}: field file: the name of the submitted file is needed")
    return name


def read(evidence: Evidence, folder: Path, name: str, most: int = FILE_BYTES) -> tuple[bytes, str]:
    """(bytes, why not). At most `most` bytes are read."""
    found = next((f for f in evidence.files if f.name == name), None)
    if found is None:
        others = ", ".join(sorted(f.name for f in evidence.files)[:10]) or "no files"
        return b"", f"no file named {name}; there is: {others[:300]}"
    path = inside(folder, found.path)
    if path.stat().st_size > most:
        return b"", f"{name} has {path.stat().st_size} bytes, more than the {most} that are read"
    return path.read_bytes(), ""


def inside(folder: Path, relative: str) -> Path:
    """`relative` under `folder`; InputFault where it leads out of it or is no file."""
    path = (folder / relative).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        raise InputFault(f"{relative!r:.200}: not a file of this try")
    return path


def no(why: str, candidate: object, reference: object) -> tuple[bool, str, Mapping[str, Json]]:
    """A failed check."""
    return False, why, {"candidate": str(candidate)[:200], "reference": str(reference)[:200]}
