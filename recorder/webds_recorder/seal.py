"""The digest of an archive: over sorted logical rows (bodies by their sha256) and what the manifest fixes for replays.

Dates of capture, versions and the index's own bytes are not in it, so that two captures of the same content agree.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from webds_recorder.archive import Row

FIXED = ("format", "site", "frozen", "seed", "viewport", "locale", "zone", "match")


def logical(row: Row) -> bytes:
    """One row as canonical JSON, without its number in the index and the key that follows from the rules."""
    values = {name: value for name, value in asdict(row).items() if name not in ("id", "canonical")}
    return json.dumps(values, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()


def content_digest(manifest: Mapping[str, Any], rows: Iterable[Row]) -> str:
    """Hex sha256 of an archive's content."""
    total = hashlib.sha256()
    fixed = {name: manifest[name] for name in FIXED}
    total.update(json.dumps(fixed, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode() + b"\n")
    for line in sorted(logical(row) for row in rows):
        total.update(line + b"\n")
    return total.hexdigest()
