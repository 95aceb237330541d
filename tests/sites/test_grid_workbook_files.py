"""The workbooks' promised oddities, their bytes, and the committed extract."""

import hashlib
import io
import re
import tomllib
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook, load_workbook

from sites_docker.grid_workbook import build_data
from sites_docker.grid_workbook.build_data import extract, read_rows, rows_sha256
from sites_docker.grid_workbook.grid import Grid, total
from sites_docker.grid_workbook.workbooks import all_areas_book, area_book

FOLDER = Path(__file__).parents[2] / "sites_docker" / "grid_workbook"


@pytest.fixture(scope="module")
def grid() -> Grid:
    return Grid(FOLDER)


@pytest.fixture(scope="module")
def frozen() -> datetime:
    return datetime.fromisoformat("2022-06-24T12:00:00Z")


def opened(data: bytes) -> Workbook:
    return load_workbook(io.BytesIO(data))


def test_two_builds_are_byte_identical_and_carry_no_other_instant(grid: Grid, frozen: datetime) -> None:
    area = grid.by_slug["rhode-island"]
    once, again = (
        (area_book(grid, area, grid.current, frozen), all_areas_book(grid, grid.current, frozen)) for _ in range(2)
    )
    assert once == again
    for data in once:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            # openpyxl and zipfile stamp the present, which two builds in one second would not show
            assert {entry.date_time for entry in archive.infolist()} == {(2022, 6, 24, 12, 0, 0)}
            stamps = re.findall(rb"\d{4}-\d\d-\d\dT[\d:]+Z", archive.read("docProps/core.xml"))
        assert stamps == [b"2022-06-24T12:00:00Z"] * 2


def test_an_area_workbook_has_the_promised_oddities(grid: Grid, frozen: datetime) -> None:
    book = opened(area_book(grid, grid.by_slug["rhode-island"], grid.current, frozen))
    assert book.sheetnames[:3] == ["Contents", "Notes", "Monthly"]
    assert len(book.sheetnames) == 8
    monthly = book["Monthly"]
    assert {str(area) for area in monthly.merged_cells.ranges} >= {"A1:H1", "A5:A6", "C5:E5", "F5:H5"}
    hidden = [letter for letter, column in monthly.column_dimensions.items() if column.hidden]
    assert hidden == ["E", "H"]
    values = [row[0] for row in monthly.iter_rows(values_only=True)]
    assert "2021 total" in values
    assert values[-1] == "2022 to date"
    cells = {cell for row in monthly.iter_rows(min_row=7, values_only=True) for cell in row[1:]}
    assert {"--", "NM"} <= cells
    assert [letter for letter, column in book["IPP"].column_dimensions.items() if column.hidden] == list("EIMQ")


def test_units_stand_on_the_first_sheet_only(grid: Grid, frozen: datetime) -> None:
    for data in (
        area_book(grid, grid.by_slug["texas"], grid.current, frozen),
        all_areas_book(grid, grid.current, frozen),
    ):
        said = [
            sheet.title
            for sheet in opened(data)
            if any("megawatt" in str(v).lower() or "mwh" in str(v).lower() for row in sheet.values for v in row)
        ]
        assert said == ["Contents"]


def test_an_edition_holds_no_later_month(grid: Grid, frozen: datetime) -> None:
    edition = grid.edition("2013")
    assert edition is not None
    book = opened(area_book(grid, grid.by_slug["vermont"], edition, frozen))
    labels = [row[0] for row in book["Monthly"].iter_rows(values_only=True)]
    assert labels[-2:] == ["Dec 2013", "2013 total"]
    assert "2014 total" not in labels


def test_totals_follow_the_methodology() -> None:
    assert total((1, "--", 2)) == 3
    assert total((1, "NM", "--")) == "NM"
    assert total(("--", "--")) == "--"
    assert total((None, None)) is None
    assert total((0, "--", None)) == 0
    assert total((-3, 1)) == -2


def test_a_total_of_all_areas_is_the_sum_of_the_state_workbook(grid: Grid, frozen: datetime) -> None:
    book = opened(all_areas_book(grid, grid.current, frozen))["All sectors"]
    rows = {row[0]: row for row in book.iter_rows(min_row=6, values_only=True)}
    assert list(rows)[:3] == ["United States", "New England", "Connecticut"]
    assert len(rows) == 62
    months = [grid.number("Ohio", "all sectors", f"2001-{index:02d}") for index in range(1, 13)]
    assert rows["Ohio"][2] == sum(months)
    assert rows["District Of Columbia"][22] == "NM"
    assert book.column_dimensions["B"].hidden


def test_the_committed_extract_is_what_site_toml_says() -> None:
    site: dict[str, Any] = tomllib.loads((FOLDER / "site.toml").read_text(encoding="utf-8"))
    for data in site["data"]:
        path = FOLDER / data["file"]
        rows = read_rows(path)
        assert len(rows) == data["rows"]
        assert hashlib.sha256(path.read_bytes()).hexdigest() == data["sha256"]
        assert rows_sha256(path.stem, rows) == data["rows_sha256"]
        about = pq.read_schema(path).metadata
        assert about[b"archive_sha256"].decode() == site["source"]["archive_sha256"]
        assert about[b"version"].decode() == site["source"]["version"]
        assert pq.ParquetFile(path).metadata.row_group(0).column(0).compression == "ZSTD"


def test_extract_keeps_marks_and_finds_divisions() -> None:
    wide = ",United States : all sectors,New England : all sectors,Maine : all sectors\n2001-01-01,5,--,NM\n"
    tables = extract(wide)
    assert tables["areas"] == [
        (1, "United States", "nation", "", "united-states"),
        (2, "New England", "division", "", "new-england"),
        (3, "Maine", "state", "New England", "maine"),
    ]
    assert ("Maine", "all sectors", "2001-01", "NM", "thousand MWh") in tables["generation"]


def test_traps_name_tasks_that_exist() -> None:
    site = tomllib.loads((FOLDER / "site.toml").read_text(encoding="utf-8"))
    tasks = tomllib.loads((FOLDER.parents[1] / "tasks_public/grid_workbook/tasks.toml").read_text(encoding="utf-8"))
    known = {task["id"] for task in tasks["task"]}
    assert {trap["task"] for trap in site["trap"]} <= known
    assert all(trap["name"] and trap["why"] for trap in site["trap"])


def test_make_data_fails_in_one_line_where_rows_differ(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wide = ",United States : all sectors\n2001-01-01,5\n"
    monkeypatch.setattr(build_data, "fetch", lambda *_: wide)  # the download is the only thing left out
    assert build_data.main(["--check"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("grid-workbook data: rows differ from site.toml: areas is ")
    assert said.count("\n") == 1


def test_make_data_accepts_the_rows_of_the_committed_extract(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    series: dict[str, dict[str, str]] = {}
    order = [str(row[1]) for row in read_rows(FOLDER / "data" / "areas.parquet")]
    for area, sector, month, value, _units in read_rows(FOLDER / "data" / "generation.parquet"):
        series.setdefault(f"{area} : {sector}", {})[str(month)] = str(value)
    names = sorted(series, key=lambda name: order.index(name.split(" : ")[0]))
    rows = [[f"{month}-01", *(series[name][month] for name in names)] for month in series[names[0]]]
    wide = "\n".join(",".join(row) for row in [["", *names], *rows])
    monkeypatch.setattr(build_data, "fetch", lambda *_: wide)
    assert build_data.main(["--check"]) == 0
    assert "79112 rows in 2 tables equal site.toml" in capsys.readouterr().out
