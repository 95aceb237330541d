"""The bundle's format: one zip with bundle.json and what it lists, no more and no less.

bundle.json                                   Manifest; `members` has size and sha256 of everything else
episodes/<task>~<repeat>/try-1/...            evidence.json, trajectory.jsonl, timings.jsonl, requests.jsonl,
                                              files/ (what was handed in), collected/ (state that the task names),
                                              archive/ (of a live run: what was captured)
blobs/<2 hex>/<sha256>                        pictures that steps name
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from webds.codec import load
from webds.errors import InputFault
from webds.submit import strict
from webds.types import STRICT, Params

FORMAT = 1
MANIFEST = "bundle.json"
MOST_BYTES = 256 << 20
"""Of a bundle as a file."""
MOST_UNPACKED = 1 << 30
MOST_MEMBERS = 8000
MOST_MEMBER = 256 << 20
MOST_REPEATS = 10
MOST_RATIO = 200
"""Unpacked bytes a packed one, over a megabyte: text packs 20 to 1, zeros 1000 to 1."""
TRY = "try-1"
DOCKERIZED, LIVE = "dockerized", "live"
_NAME = re.compile(
    r"blobs/[0-9a-f]{2}/[0-9a-f]{64}"
    r"|episodes/[a-z0-9][a-z0-9.-]{0,98}~[0-9]/try-1/"
    r"(?:evidence\.json|(?:trajectory|timings|requests)\.jsonl|collected/[a-z0-9][a-z0-9-]{0,60}\.sqlite"
    r"|archive/(?:manifest\.json|index\.sqlite|blobs/[0-9a-f]{2}/[0-9a-f]{64}|(?:sse|ws)/[0-9a-f]{64}\.jsonl)"
    r"|files/[^\x00-\x1f\\:*?\"<>|]{1,300})"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """bundle.json. `head` is the run's run.json without what is the packer's own: paths, host names, warnings."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    format: int
    team: str
    run: str
    """The run's id, as it was reserved."""
    split: str
    tasks: Mapping[str, int]
    """Task -> revision that the run was made on."""
    sites: Mapping[str, str]
    """Site -> digest that the run was made on."""
    head: Params
    scrubbed: Mapping[str, int]
    """What the packer replaced by [scrubbed], by kind: how often."""
    members: Mapping[str, tuple[int, str]]
    """Path -> (bytes, sha256)."""

    @property
    def track(self) -> str:
        """The track that the run says it was made on."""
        return str(self.head.get("track", ""))

    @property
    def repeat(self) -> int:
        """Episodes a task."""
        return int(str(self.head.get("repeat", 1)))

    @property
    def episodes(self) -> list[tuple[str, int]]:
        """Every task and repeat."""
        return [(task, number) for number in range(self.repeat) for task in self.tasks]


def base_of(task: str, repeat: int) -> str:
    """The folder of an episode's one try, in a bundle as in a run."""
    return f"episodes/{task}~{repeat}/{TRY}"


def read_manifest(data: bytes) -> Manifest:
    """The manifest. InputFault: a newer format, or a field that is missing, unknown or of another type."""
    value = strict.read(data, MANIFEST)
    found = value.get("format") if isinstance(value, dict) else None
    if found != FORMAT or isinstance(found, bool):
        raise InputFault(f"{MANIFEST}: field format: {found!r:.40}; this webds reads format {FORMAT}")
    manifest = load(Manifest, value, MANIFEST)
    repeat = manifest.head.get("repeat", 1)
    if not isinstance(repeat, int) or isinstance(repeat, bool) or not 1 <= repeat <= MOST_REPEATS:
        raise InputFault(f"{MANIFEST}: field head.repeat: {repeat!r:.40}; wanted 1 to {MOST_REPEATS}")
    return manifest


def named(task: str, repeat: int, several: bool) -> str:
    """An episode's name for people: of a run with one repeat its task's."""
    return f"{task}~{repeat}" if several else task


def is_closed(name: str) -> bool:
    """Whether a member is not searched for secrets: a picture, or a captured page, which may hold keys of its own."""
    parts = name.split("/")
    return parts[0] == "blobs" or (parts[3:4] == ["archive"] and parts[-1] != "manifest.json")


def path_fault(name: str) -> str:
    """Why no member may be called that, or ""."""
    parts = name.split("/")
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
        return "an absolute path"
    if ".." in parts:
        return "a path that leads out of the bundle"
    if "" in parts or "." in parts or any(part.endswith((" ", ".")) for part in parts):
        return "a path with an empty or ambiguous part"
    if name != MANIFEST and not _NAME.fullmatch(name):
        return "not a file of a bundle"
    return ""
