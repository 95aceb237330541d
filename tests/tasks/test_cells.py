"""webds.cells: headings found by text, and bad files refused with one line."""

import io
import zipfile
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from webds.cells import read_cell
from webds.errors import InputFault
from webds.types import Params


def book() -> bytes:
    made = Workbook()
    sheet = made.active
    assert sheet is not None
    sheet.title = "Cover"
    table = made.create_sheet("Table")
    rows = (
        ("All sectors: a title", None, None, None),
        (None, None, None, None),
        ("Period", "All sectors", "Power", None),
        (None, None, "Utility", "IPP"),
        ("Jan 2001", 5, "NM", "--"),
        ("Feb 2001", 6.0, 2.5, True),
        (2001, None, 1, 2),
        ("twice", 1, 1, 1),
        ("twice", 2, 2, 2),
    )
    for row in rows:
        table.append(row)
    for area in ("A1:D1", "A3:A4", "B3:B4", "C3:D3"):
        table.merge_cells(area)
    table.column_dimensions["D"].hidden = True
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


BOOK = book()


@pytest.mark.parametrize(
    ("key", "column", "value"),
    [
        ("Jan 2001", "All sectors", "5"),
        ("Jan 2001", "Power / Utility", "NM"),
        ("Jan 2001", "Power / IPP", "--"),
        ("Feb 2001", "All sectors", "6"),
        ("Feb 2001", "Power / Utility", "2.5"),
        ("Feb 2001", "Power / IPP", "true"),
        ("2001", "All sectors", ""),
        (2001, "Power / IPP", "2"),
    ],
)
def test_cells_under_merged_headings(key: str | int, column: str, value: str) -> None:
    where: Params = {"sheet": "Table", "key": key, "column": column}
    assert read_cell(BOOK, "t.xlsx", where) == value


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"sheet": "Nope", "key": "a", "column": "b"}, "known: Cover, Table"),
        ({"sheet": "Table", "key": "Mar 2001", "column": "All sectors"}, "row 'Mar 2001' is not there"),
        ({"sheet": "Table", "key": "twice", "column": "All sectors"}, "there 2 times"),
        ({"sheet": "Table", "key": "Jan 2001", "column": "Power"}, "there 2 times"),
        ({"sheet": "Table", "key": "Jan 2001", "column": "Wind"}, "column 'Wind' is not there"),
        ({"sheet": "Table", "key": "Jan 2001"}, "field 'column'"),
        ({"sheet": "Table", "key": None, "column": "x"}, "field 'key'"),
    ],
)
def test_what_cannot_be_found_is_said_in_one_line(where: Params, said: str) -> None:
    with pytest.raises(InputFault, match=r"t\.xlsx: ") as caught:
        read_cell(BOOK, "t.xlsx", where)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_sheet_with_one_far_cell_is_refused_without_filling_it() -> None:
    made = Workbook()
    made.worksheets[0].cell(row=900_000, column=16_000, value="far")
    out = io.BytesIO()
    made.save(out)
    with pytest.raises(InputFault, match="more than 500000 cells"):
        read_cell(out.getvalue(), "far.xlsx", {"key": "k", "column": "c"})


def test_csv_with_title_rows_and_a_key_column() -> None:
    data = '\ufeffReport,,\nid,state,amount\n1,Ohio,"1,200"\n2,Utah,\n'.encode()
    assert read_cell(data, "a.csv", {"key": "1", "column": "amount"}) == "1,200"
    assert read_cell(data, "a.csv", {"key": "Utah", "key_column": "state", "column": "id"}) == "2"
    assert read_cell(data, "a.csv", {"key": "2", "column": "amount"}) == ""


def packed(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def test_a_member_of_an_archive_in_its_own_encoding() -> None:
    data = packed(
        **{"a.csv": "編號,性別\nL1,女\n".encode("big5"), "b.csv": "id\tn\nL1\t2\n".encode("utf-16"), "c.xlsx": BOOK}
    )
    first: Params = {"member": "a.csv", "encoding": "big5", "key": "L1", "column": "性別"}
    assert read_cell(data, "a.zip", first) == "女"
    second: Params = {"member": "b.csv", "encoding": "utf-16", "delimiter": "\t", "key": "L1", "column": "n"}
    assert read_cell(data, "a.zip", second) == "2"
    third: Params = {"member": "c.xlsx", "sheet": "Table", "key": "Jan 2001", "column": "All sectors"}
    assert read_cell(data, "A.ZIP", third) == "5"


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({}, "field 'member'"),
        ({"member": "b.csv"}, "no member 'b.csv'; known: a.csv, r.txt, big.csv"),
        ({"member": "r.txt"}, "only"),
        ({"member": "a.csv"}, "not a readable CSV file"),
        ({"member": "a.csv", "encoding": "klingon"}, "field 'encoding'"),
        ({"member": "a.csv", "encoding": "big5", "delimiter": ";;"}, "'delimiter'"),
        ({"member": "big.csv"}, "more than 20000000 bytes"),
    ],
)
def test_what_an_archive_lacks_is_said_in_one_line(where: Params, said: str) -> None:
    data = packed(**{"a.csv": "編號,n\nL1,2\n".encode("big5"), "r.txt": b"x", "big.csv": b"0" * 20_000_001})
    with pytest.raises(InputFault, match=r"a\.zip: ") as caught:
        read_cell(data, "a.zip", {"key": "L1", "column": "n", **where})
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_damaged_archives_are_refused() -> None:
    data = packed(**{"a.csv": b"id,n\nL1,2\n" * 50})
    for broken in (b"", data[:40], data.replace(b"L1", b"L2"), data[:60] + b"\xff" * 8 + data[68:]):
        with suppress(InputFault):
            read_cell(broken, "a.zip", {"member": "a.csv", "key": "L1", "column": "n"})


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"", "a.xlsx"),
        (b"PK\x03\x04 no zip", "a.xlsx"),
        (BOOK[:2000], "a.xlsx"),
        (BOOK, "a.xls"),
        (BOOK, "a.csv"),
        (b"\xff\xfe\x00", "a.csv"),
        (b'a,"b\n', "a.csv"),
        (b"", "a.csv"),
        (b"x" * 20_000_001, "a.csv"),
    ],
)
def test_bad_files_are_refused(data: bytes, name: str) -> None:
    with pytest.raises(InputFault, match=r"a\.(xlsx|xls|csv): "):
        read_cell(data, name, {"key": "k", "column": "c"})


def test_a_file_that_unpacks_to_more_than_it_should_is_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"xl/{number}.xml", b"0" * 70_000_000)
    with pytest.raises(InputFault, match="unpacked"):
        read_cell(out.getvalue(), "bomb.xlsx", {"key": "k", "column": "c"})


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(BOOK) - 1), st.binary(min_size=1, max_size=40))
def test_damaged_workbooks_never_raise_anything_else(at: int, noise: bytes) -> None:
    damaged = BOOK[:at] + noise + BOOK[at + len(noise) :]
    where: Params = {"sheet": "Table", "key": "Jan 2001", "column": "All sectors"}
    with suppress(InputFault):
        read_cell(damaged, "t.xlsx", where)
