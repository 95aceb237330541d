"""The sql and preview tools: what they show of ordinary, messy and hostile files."""

import json
import zipfile
from pathlib import Path

import openpyxl
import pytest

from webds.tools.sandbox import Limits, Sandbox


@pytest.fixture
async def box(tmp_path):
    """A sandbox by whatever mechanism this host allows."""
    async with Sandbox(tmp_path, Limits(seconds=30, memory_mb=1024)) as sandbox:
        yield sandbox


def workbook(path: Path) -> None:
    """Two header rows with merged cells, a hidden column run, a hidden row, a hidden sheet."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Data"
    sheet.append(["Generation", None, None, "Price", None])
    sheet.append(["coal", "gas", "wind", "low", "high"])
    for n in range(1, 31):
        sheet.append([n, n * 2, "--", f"{n}.5", "NM"])
    sheet.merge_cells("A1:C1")
    sheet.column_dimensions.group("B", "C", hidden=True)
    sheet.row_dimensions[5].hidden = True
    notes = book.create_sheet("Notes")
    notes["A1"] = "NM = not meaningful"
    notes.sheet_state = "hidden"
    book.save(path)


async def test_sql_reads_files_by_name_and_tables_last(box, tmp_path):
    (tmp_path / "a b.csv").write_text("k,v\nx,1\ny,\n")
    assert (await box.sql("select * from 'a b.csv'")).text == "k,v\nx,1\ny,NULL\n(2 rows)\n"
    assert (await box.sql("create table t as select 7 as n; copy t to 'out.parquet'")).error == ""
    assert (await box.sql("from t join 'out.parquet' using (n)")).text == "n\n7\n(1 rows)\n"
    assert (tmp_path / "out.parquet").exists()


async def test_sql_says_when_rows_are_left_out(box):
    text = (await box.sql("from range(5000)")).text
    assert len(text.splitlines()) == 202
    assert text.endswith("(200 rows shown, more exist)\n")


@pytest.mark.parametrize("query", [
    "from read_text('/etc/ld.so.cache')", "from '/usr/share/x.csv'", "from read_text('../opt/webds-tools/main.py')",
    "install httpfs", "load httpfs", "from 'http://127.0.0.1:1/a.csv'", "set enable_external_access=true",
    "copy (select 1) to '/tmp/x.csv'", "attach '/tmp/x.db'", "selec 1",
])  # fmt: skip
async def test_sql_refuses_with_one_clear_text(box, query):
    result = await box.sql(query)
    assert result.error
    assert "Traceback" not in result.error
    assert "/root" not in result.error


async def test_sql_names_the_way_out_for_workbooks(box, tmp_path):
    workbook(tmp_path / "b.xlsx")
    assert "read a workbook with python" in (await box.sql("from 'b.xlsx'")).error
    assert "read a workbook with python" in (await box.sql("from read_xlsx('b.xlsx')")).error


async def test_a_query_that_is_stopped_costs_no_python_state(tmp_path):
    async with Sandbox(tmp_path, Limits(seconds=2)) as box:
        await box.warm()
        await box.python("x = 1")
        result = await box.sql(
            "select count(*) from range(1000000) a, range(1000000) b where a.range * b.range % 7 = 3"
        )
        assert "limit of one call" in result.error
        assert "tables made by earlier queries are lost" in result.error
        assert (await box.python("x")).text == "1\n"


async def test_preview_of_a_workbook_names_what_is_hidden_and_merged(box, tmp_path):
    workbook(tmp_path / "b.xlsx")
    lines = (await box.preview("b.xlsx", {"start": 2, "rows": 3})).text.splitlines()
    assert lines == [
        "b.xlsx: 2 sheets",
        "  'Data': 32 rows x 5 columns",
        "  'Notes': 1 rows x 1 columns, hidden",
        "hidden columns: B, C",
        "hidden rows: 5",
        "merged cells: A1:C1",
        "sheet 'Data', rows 2 to 4 of 32:",
        "row,A,B,C,D,E",
        "2,coal,gas,wind,low,high",
        "3,1,2,--,1.5,NM",
        "4,2,4,--,2.5,NM",
    ]
    assert (await box.preview("b.xlsx", {"sheet": "Notes"})).text.endswith("row,A\n1,NM = not meaningful\n")
    assert "known: Data, Notes" in (await box.preview("b.xlsx", {"sheet": "x"})).error


async def test_preview_of_csv_tsv_json_and_text(box, tmp_path):
    (tmp_path / "a.csv").write_bytes('näme;v\n"x;\ny";1\n'.encode("latin-1"))
    (tmp_path / "b.TSV").write_text("a\tb\n1\t2\n")
    (tmp_path / "c.json").write_text(json.dumps({"rows": [1, 2], "note": "é"}))
    (tmp_path / "d.txt").write_text("one\ntwo\nthree\n")
    text = (await box.preview("a.csv", {})).text
    assert (
        text == "a.csv: 2 rows (header included), 2 columns, delimiter ';', encoding latin-1\n1,näme,v\n2,\"x;\ny\",1\n"
    )
    assert (await box.preview("b.TSV", {})).text.endswith("1,a,b\n2,1,2\n")
    assert "an object with keys rows, note" in (await box.preview("c.json", {"rows": 2})).text
    assert (await box.preview("d.txt", {"start": 2, "rows": 1})).text == "d.txt: 3 lines, utf-8\n2: two\n"
    assert "[4 not]" not in (await box.preview("d.txt", {"start": 9})).text


async def test_an_empty_file_is_no_error(box, tmp_path):
    for name in ("a.csv", "b.txt"):
        (tmp_path / name).write_bytes(b"")
        assert (await box.preview(name, {})).error == ""


@pytest.mark.parametrize(("name", "data"), [
    ("a.xlsx", b"not a zip"), ("b.json", b"[" * 100_000), ("c.json", b"\xff\xfe"), ("d.xlsx", b""),
])  # fmt: skip
async def test_a_broken_file_is_refused_in_one_line(box, tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    error = (await box.preview(name, {})).error
    assert error.startswith(f"{name}: not a readable")
    assert len(error.splitlines()) == 1


async def test_a_zip_bomb_is_bounded(tmp_path):
    workbook(tmp_path / "b.xlsx")
    with (
        zipfile.ZipFile(tmp_path / "b.xlsx") as old,
        zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for item in old.namelist():
            data = old.read(item)
            new.writestr(item, data if "sheet1" not in item else data[:200] + b" " * (40 << 20))
    async with Sandbox(tmp_path, Limits(seconds=2, memory_mb=400)) as box:
        assert (await box.preview("bomb.xlsx", {})).error
        assert (await box.preview("b.xlsx", {})).error == ""


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/ld.so.cache", "", ".", "no.csv", "a\x00b", "x" * 5000])
async def test_only_files_of_the_work_folder(box, tmp_path, name):
    (tmp_path / "here.txt").write_text("x")
    error = (await box.preview(name, {})).error
    assert error.startswith("no file")
    assert error.endswith("known: here.txt")


@pytest.mark.parametrize("options", [{"start": 0}, {"rows": "many"}, {"rows": True}, {"start": 1.5}])
async def test_a_wrong_option_is_named(box, tmp_path, options):
    (tmp_path / "a.txt").write_text("x")
    assert (await box.preview("a.txt", options)).error.startswith(f"option {next(iter(options))}")
