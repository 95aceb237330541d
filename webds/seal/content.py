"""What a sealed file holds: the folder of one private task, WEBDS_PRIVATE_DIR/<task id>/, as one canonical JSON value.

    tasks.toml     one [[task]], guard included       keys.toml      one [[key]]
    reviews.toml   second solvers' findings           gold/ solutions/ reviews/   as in tasks_public

tasks.toml, keys.toml and reviews.toml each have a comment line `Canary <UUID>`, one UUID a task: it is secret, and
whoever finds it somewhere knows that plaintext got out. Being random it also makes `Sealed.content` safe to publish.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from webds.codec import canonical, digest, load, loads, plain
from webds.errors import InputFault
from webds.files import make_folder, write_atomic
from webds.suites import taskfiles
from webds.types import STRICT, Params, Task

_CANARY = re.compile(r"(?mi)^#.{0,200}\bcanary\b[^0-9a-f]{0,5}([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b")
_FILES = ("tasks.toml", "keys.toml", "reviews.toml")
_FOLDERS = ("gold", "solutions", "reviews")
_SKIPPED = ("__pycache__", ".mypy_cache", ".ruff_cache")
_MOST = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What everybody may read of a private task."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    task: Task
    sites: Mapping[str, str]
    """Site -> digest that the task was verified on (webds.tracks.archives.site_digest)."""
    verified: Params
    """The verifier's stamp: by, at, reviews, tips, and by which runs oracle and nop were proved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The opened content: `files` by path relative to the task's folder."""

    canary: str
    head: str
    """digest of the Head that it was sealed with."""
    files: Mapping[str, bytes]

    def packed(self) -> bytes:
        """Canonical bytes."""
        files = {name: base64.b64encode(data).decode() for name, data in self.files.items()}
        return canonical({"format": 1, "canary": self.canary, "head": self.head, "files": files})


def read_folder(folder: Path) -> tuple[Task, str, dict[str, bytes]]:
    """(task, canary, files) of one plaintext folder. InputFault names file and reason."""
    entries = taskfiles.read(folder / "tasks.toml")
    if len(entries) != 1 or entries[0].id != folder.name:
        raise InputFault(f"{folder / 'tasks.toml'}: wanted one [[task]] whose id is the folder's name, {folder.name}")
    files: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() or set(path.relative_to(folder).parts) & set(_SKIPPED):
            continue
        if path.is_symlink() or not (name in _FILES or name.split("/")[0] in _FOLDERS):
            raise InputFault(f"{path}: not part of a task; known: {', '.join((*_FILES, *(f'{f}/' for f in _FOLDERS)))}")
        files[name] = path.read_bytes()
    if sum(map(len, files.values())) > _MOST:
        raise InputFault(f"{folder}: more than {_MOST >> 20} MB")
    return entries[0].task(), _canary(folder, files), files


def _canary(folder: Path, files: Mapping[str, bytes]) -> str:
    found = {}
    for name in (name for name in _FILES if name in files):
        match = _CANARY.search(files[name].decode("utf-8", "replace"))
        if match is None:
            raise InputFault(f"{folder / name}: no comment line with `Canary <UUID>`, a random one a task")
        found[name] = match[1]
    if "keys.toml" not in found:
        raise InputFault(f"{folder / 'keys.toml'}: missing")
    if len(set(found.values())) > 1:
        raise InputFault(f"{folder}: more than one canary: {', '.join(sorted(found))} must name the same UUID")
    return found["keys.toml"]


def read_packed(data: bytes, where: str) -> Content:
    """The reverse of `Content.packed`. InputFault: something else, or a path that leads out of the folder."""
    value = loads(data, where)
    if not isinstance(value, dict) or value.get("format") != 1 or not isinstance(value.get("files"), dict):
        raise InputFault(f"{where}: field format: this webds reads sealed content of format 1")
    files = {str(name): base64.b64decode(str(text)) for name, text in value["files"].items()}
    for name in files:
        path = Path(name)
        if path.is_absolute() or ".." in path.parts or (name not in _FILES and path.parts[0] not in _FOLDERS):
            raise InputFault(f"{where}: holds {name!r:.100}, which is no part of a task")
    return Content(canary=str(value.get("canary", "")), head=str(value.get("head", "")), files=files)


def write_folder(folder: Path, content: Content) -> None:
    """The plaintext folder again, readable by its owner only."""
    make_folder(folder)
    folder.chmod(0o700)
    for name, data in content.files.items():
        write_atomic(folder / name, data)


def group_of(task: Task) -> str:
    """Folder under tasks_private: that of the site which the task starts on."""
    host = urlsplit(str(task.start.get("url", ""))).hostname or ""
    return host.removesuffix(".test").replace("-", "_") or "several"


def head_digest(head: Head) -> str:
    """What ties a box to its head: the digest of the head as it is read back (where 600 seconds are 600.0)."""
    return digest(read_head(plain(head), "head"))


def read_head(value: object, where: str) -> Head:
    """A Head from JSON."""
    return load(Head, value, where)
