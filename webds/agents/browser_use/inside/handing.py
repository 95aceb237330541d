"""What the library's `done` hands in. Standard library alone: it runs in the sandbox, beside drive.py."""

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_NAME = re.compile(r"[\w-][\w.-]*\.\w+")
"""A file's name in a text."""


def submission(done: Mapping[str, Any], prompt: str, work: Path, own: Path) -> dict[str, Any]:
    """What the library's `done` hands in. A done without success is the word that the task cannot be done.

    Files: those that it names, and those that the task's text names and that are there, in the work folder or in the
    library's own folder `own`, from where they are copied. A name without a file stays, so that it is seen to miss.
    """
    text = str(done.get("text") or "")
    named = [_inside(str(name), work) for name in done.get("files_to_display") or ()]
    there = [name for name in (*named, *_NAME.findall(prompt)) if _is_brought(name, work, own)]
    files = list(dict.fromkeys((*named, *there)))
    return {"answer": text, "files": files, "unachievable": "" if done.get("success", True) else text}


def _inside(name: str, work: Path) -> str:
    """A path as a name in the work folder, where it lies in it."""
    path = Path(os.path.normpath(work / name))
    return str(path.relative_to(work)) if path.is_relative_to(work) else name


def _is_brought(name: str, work: Path, own: Path) -> bool:
    """Whether the file is in the work folder, brought from the library's own if need be."""
    if Path(name).name == name and not (work / name).is_file() and (own / name).is_file():
        shutil.copyfile(own / name, work / name)
    return (work / name).is_file()
