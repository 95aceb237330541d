"""Altered copies: other numbers under the same heads, years and dates as they were."""

import io
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pytest

from webds_judge.provenance.altered import DIGITS, ROWS, write

CSV = "day,year,n,name\n2001-03-04,1997,4182,P1\n2001-03-05,1998,77.25,P2\n2001-03-06,1999,8,P3\n"


def altered(tmp_path: Path, name: str, data: bytes, how: str) -> bytes:
    (tmp_path / name).write_bytes(data)
    write(tmp_path / name, tmp_path / f"other-{name}", how)
    return (tmp_path / f"other-{name}").read_bytes()


def zipped(data: bytes) -> bytes:
    kept = io.BytesIO()
    with ZipFile(kept, "w") as archive:
        archive.writestr("in/a.csv", data)
    return kept.getvalue()


def unzipped(data: bytes) -> bytes:
    with ZipFile(io.BytesIO(data)) as archive:
        return archive.read("in/a.csv")


def test_only_the_figures_of_a_text_change(tmp_path: Path) -> None:
    old = [line.split(",") for line in CSV.splitlines()]
    new = [line.split(",") for line in altered(tmp_path, "a.csv", CSV.encode(), DIGITS).decode().splitlines()]
    for column, changes in ((0, False), (1, False), (2, True), (3, False)):
        assert all((a[column] != b[column]) is changes for a, b in zip(old[1:], new[1:], strict=True))
    assert old[0] == new[0]


@pytest.mark.parametrize(("how", "rows"), list(zip(ROWS, ((1, 3), (2,), (1,)), strict=True)))
def test_rows_are_taken_away(how: str, rows: tuple[int, ...], tmp_path: Path) -> None:
    lines = CSV.splitlines(keepends=True)
    assert altered(tmp_path, "a.csv", CSV.encode(), how).decode() == lines[0] + "".join(lines[row] for row in rows)


def test_members_of_an_archive_change(tmp_path: Path) -> None:
    data = zipped(CSV.encode())
    plain = altered(tmp_path, "a.csv", CSV.encode(), DIGITS)
    assert unzipped(altered(tmp_path, "a.zip", data, DIGITS)) == plain


def test_numbers_of_a_workbook_change_also_where_they_are_texts(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (("year", "n", "text"), (1997, 4182, "42,123"), (1998, 77.25, "Mar 1999")):
        book.worksheets[0].append(row)
    kept = io.BytesIO()
    book.save(kept)
    new = openpyxl.load_workbook(io.BytesIO(altered(tmp_path, "a.xlsx", kept.getvalue(), DIGITS))).worksheets[0]
    years, figures, texts = ([cell.value for cell in column] for column in new.iter_cols())
    assert years == ["year", 1997, 1998]
    assert figures[1] not in (4182, None)
    assert figures[2] not in (77.25, None)
    assert texts[1] != "42,123"
    assert texts[2] == "Mar 1999"


@pytest.mark.parametrize("name", ["a.xlsx", "a.zip", "a.parquet"])
def test_what_cannot_be_read_stays(name: str, tmp_path: Path) -> None:
    assert altered(tmp_path, name, b"\0broken", DIGITS) == b"\0broken"


def test_no_column_is_scaled_as_a_whole(tmp_path: Path) -> None:
    """Shares and ratios within a column would stay."""
    for columns in range(2, 30):
        text = "\n".join(" ".join("5000" for _ in range(columns)) for _ in range(40)) + "\n"
        rows = [line.split() for line in altered(tmp_path, "a.txt", text.encode(), DIGITS).decode().splitlines()]
        assert all(len({row[column] for row in rows}) > 1 for column in range(columns))
