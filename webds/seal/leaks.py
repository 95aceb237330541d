"""Did something private get out? Canaries where they do not belong, and with the key sealed texts and gold files.

Public canaries are read from the checkout. Of secret ones the heads of sealed tasks hold a hash, so that they are found
without the key. A sealed text is one of 12 or more characters out of references, queries, guards and reviews; one that
the task's own prompt or a site's own files hold tells nothing and is left out. Archives are looked into (pieces.py),
names are searched too, and UTF-16 as well as UTF-8. What was not looked at is told.
"""

import codecs
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nacl.public import PrivateKey

from webds.codec import sha256
from webds.config import read_toml
from webds.seal import sealed
from webds.seal.content import Content
from webds.seal.pieces import Skipped, pieces
from webds.tracks.sites import all_sites

SHORTEST = 12
_UUID = re.compile(rb"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SKIPPED = frozenset(
    (".git", ".venv", "node_modules", "__pycache__", ".mypy_cache", ".ruff_cache", ".import_linter_cache")
)
_BEGINNING = 1 << 16
_NAMED = 5
"""Most names that are told of one reason to skip."""
_SERVED = ("evidence", "act")
"""Fields of a key that hold what a site shows."""
_WORDS = ("kind", "type", "name", "task", "collect")
"""Fields whose texts are words of ours."""
_DATA = "sites_docker"


@dataclass(frozen=True, slots=True)
class Leaks:
    """`lines`: what was found, a line each. `checked`: which of the three could be looked for, and what was skipped."""

    lines: list[str]
    checked: list[str]


type _Skips = dict[str, list[str]]
"""Why -> what was skipped."""


@dataclass(slots=True)
class _Wanted:
    homes: dict[bytes, str] = field(default_factory=dict)
    """Public canary -> the folder's name that it belongs to."""
    hashes: dict[str, str] = field(default_factory=dict)
    """sha256 of a secret canary -> task."""
    texts: dict[str, str] = field(default_factory=dict)
    gold: dict[str, str] = field(default_factory=dict)
    """sha256 of a gold file -> task."""


def looked_for(path: Path, root: Path, key: PrivateKey | None) -> Leaks:
    """Look through `path`. InputFault: a sealed file of the checkout cannot be read or opened."""
    items = [sealed.read(file) for file in sealed.files(root)]
    wanted = _Wanted(homes=_homes(root))
    wanted.hashes = {str(item.head.verified.get("canary", "")): item.head.task.id for item in items}
    if key is not None:
        for item in items:
            _open(item, sealed.unseal(item, key), wanted)
        _drop_served(wanted, root)
    skips: _Skips = {}
    lines = [line for file in _files(path, skips) for line in _found(file, root, wanted, skips)]
    secret = f"secret canaries: {len(items)} looked for" if items else "secret canaries: there are none"
    opened = f"sealed texts and gold files: {len(wanted.texts)} texts, {len(wanted.gold)} files looked for"
    return Leaks(lines, [
        f"public canaries: {len(wanted.homes)} looked for",
        secret,
        opened if key is not None else "sealed texts and gold files: not looked for, WEBDS_PRIVATE_KEY_FILE is not set",
        *(f"skipped, {why}: {_listed(names)}" for why, names in sorted(skips.items())),
    ])  # fmt: skip


def _listed(names: list[str]) -> str:
    more = len(names) - _NAMED
    return f"{len(names)} ({', '.join(names[:_NAMED])}{f' and {more} more' if more > 0 else ''})"


def _homes(root: Path) -> dict[bytes, str]:
    found = {}
    for site in all_sites(root).values():
        canary = read_toml(site.folder / "site.toml").get("canary")
        if isinstance(canary, str):
            found[canary.lower().encode()] = site.folder.name
    return found


def _open(item: sealed.Sealed, content: Content, wanted: _Wanted) -> None:
    task = item.head.task.id
    wanted.hashes.setdefault(sha256(content.canary.encode()), task)
    prompt = _flat(item.head.task.prompt)
    for name, data in content.files.items():
        if name.endswith(".toml") and "/" not in name:
            for text in _strings(tomllib.loads(data.decode())):
                if len(flat := _flat(text)) >= SHORTEST and flat not in prompt:
                    wanted.texts[flat] = task
        elif name.startswith(("gold/", "solutions/")):
            wanted.gold[sha256(data)] = task
    for text in (*_strings(item.head.task.labels), *_strings(item.head.task.start), item.head.task.prompt, task):
        wanted.texts.pop(_flat(text), None)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            if name not in (_WORDS if isinstance(item, str) else _SERVED):
                yield from _strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _drop_served(wanted: _Wanted, root: Path) -> None:
    """What a site's files hold anyway is no secret."""
    for file in _files(root / _DATA, {}):
        text = _flat(file.read_bytes().decode("utf-8", "replace"))
        for known in [known for known in wanted.texts if known in text]:
            del wanted.texts[known]


def _files(path: Path, skips: _Skips) -> Iterator[Path]:
    """Every plain file under `path`; links and the like are noted in `skips`."""
    if path.is_symlink():
        skips.setdefault("a link", []).append(str(path))
    elif path.is_file():
        yield path
    elif not path.is_dir():
        skips.setdefault("no plain file", []).append(str(path))
    else:
        for found in sorted(path.iterdir()):
            if found.name in _SKIPPED:
                skips.setdefault("a folder of tools", []).append(str(found))
            else:
                yield from _files(found, skips)


def _found(file: Path, root: Path, wanted: _Wanted, skips: _Skips) -> Iterator[str]:
    seen: set[str] = set()
    for piece in pieces(file):
        name = f"{file}: {piece.member}" if piece.member else str(file)
        if isinstance(piece, Skipped):
            why = f"{piece.kind}, its bytes as they are" if piece.kind else piece.why
            skips.setdefault(why, []).append(name)
            continue
        for line in _held(piece.data, f"{file.name}/{piece.member}", file, root, wanted):
            if line not in seen:
                seen.add(line)
                yield f"{name}: {line}"


def _held(data: bytes, name: str, file: Path, root: Path, wanted: _Wanted) -> Iterator[str]:
    """What one piece of a file holds, in its bytes or in its name."""
    narrow = data.replace(b"\0", b"") if b"\0" in data else b""  # UTF-16 and -32, of either order, at any offset
    for canary in sorted({match.lower() for text in (data, narrow, name.encode()) for match in _UUID.findall(text)}):
        if canary in wanted.homes and not _at_home(file, root, wanted.homes[canary]):
            yield f"holds the public canary of {wanted.homes[canary]}"
        if task := wanted.hashes.get(sha256(canary)):
            yield f"holds the secret canary of {task}"
    if task := wanted.gold.get(sha256(data)):
        yield f"is a sealed file of {task}"
    if wanted.texts:
        texts = [_flat(text) for text in (name, *_decoded(data, narrow))]
        for known in sorted(known for known in wanted.texts if any(known in text for text in texts)):
            yield f"holds a sealed text of {wanted.texts[known]}, {len(known)} characters"


def _decoded(data: bytes, narrow: bytes) -> Iterator[str]:
    """The text that bytes may be: UTF-8, and where they look like it UTF-16."""
    yield data.decode("utf-8", "replace")
    if narrow:
        yield narrow.decode("utf-8", "replace")
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or data[:_BEGINNING].count(0) * 8 > len(
        data[:_BEGINNING]
    ):
        yield data.decode("utf-16-le", "replace")
        yield data.decode("utf-16-be", "replace")


def _at_home(file: Path, root: Path, home: str) -> bool:
    """tasks_public/<home>/ and sites_docker/<home>/ of the checkout; a built archive is named after its site."""
    if not file.resolve().is_relative_to(root.resolve()):
        return False
    parts = file.resolve().relative_to(root.resolve()).parts
    return len(parts) > 2 and parts[0] in ("tasks_public", _DATA) and home in (parts[1], parts[2].replace("-", "_"))
