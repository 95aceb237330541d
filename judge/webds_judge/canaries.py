"""Canaries: one public UUID a site, in its site.toml and in the task files of its group, and nowhere else.

Whoever finds one of them in a model's training data or output knows where it came from. Site and group belong together
where their folders have one name; the tasks of a folder without a site bring a canary of their own.
"""

import re
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path

from webds_judge.checkout import Checkout
from webds_judge.fields import Finding

_LINE = re.compile(r"(?mi)^#.{0,200}\bcanary\b[^0-9a-f]{0,5}([0-9a-f-]{36})\b")
FILES = ("tasks.toml", "keys.toml", "reviews.toml")
_TEXTS = frozenset((".py", ".toml", ".md", ".html", ".js", ".css", ".txt", ".json", ".jsonl", ".csv"))
_FOLDERS = ("tasks_public", "sites_docker", "webds", "judge", "recorder", "docs", "tests")
_BYTES = 2_000_000


def faults(found: Checkout) -> Iterator[Finding]:
    """Sites and task files without their canary, one canary at two places, and canaries where they do not belong."""
    homes: dict[str, str] = {}
    for site in found.sites.values():
        file = f"sites_docker/{site.folder.name}/site.toml"
        if not _is_uuid(site.canary):
            yield Finding(file, "-", "canary", f"{site.canary!r:.60}; a UUID of its own is needed")
        elif site.canary in homes:
            yield Finding(file, "-", "canary", f"is that of {homes[site.canary]} too")
        else:
            homes[site.canary] = site.folder.name
    for folder in sorted(found.root.glob("tasks_public/*/")):
        yield from _group(folder, found, homes)
    yield from _strays(found.root, homes)


def _group(folder: Path, found: Checkout, homes: dict[str, str]) -> Iterator[Finding]:
    own = next((site.canary for site in found.sites.values() if site.folder.name == folder.name), "")
    for path in (folder / name for name in FILES):
        if not path.is_file():
            continue
        file = str(path.relative_to(found.root))
        line = _LINE.search(path.read_text(encoding="utf-8", errors="replace"))
        if line is None or not _is_uuid(line[1]):
            yield Finding(
                file, "-", "canary", f"no comment line with `Canary <UUID>`{f'; of its site: {own}' if own else ''}"
            )
            continue
        own = own or line[1]
        if line[1] != own:
            yield Finding(file, "-", "canary", f"{line[1]} is not the canary of this group: {own}")
        homes.setdefault(line[1], folder.name)


def _strays(root: Path, homes: Mapping[str, str]) -> Iterator[Finding]:
    """Files outside of its site's and group's folder that hold a canary."""
    if not homes:
        return
    pattern = re.compile("|".join(re.escape(canary) for canary in homes))
    for path in (path for folder in _FOLDERS for path in sorted((root / folder).rglob("*"))):
        if path.suffix not in _TEXTS or not path.is_file() or path.stat().st_size > _BYTES:
            continue
        place = path.relative_to(root)
        for canary in set(pattern.findall(path.read_text(encoding="utf-8", errors="replace"))):
            if place.parts[1] != homes[canary]:
                yield Finding(str(place), "-", "canary", f"holds {canary}, which belongs to {homes[canary]} only")


def _is_uuid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False
