"""The formats of the files tool beyond text and workbooks, from files made here, and what it says of broken ones."""

import sqlite3
import zipfile
from pathlib import Path

import pandas
import pytest
from PIL import Image

from tests.data.pages.sites_docker.pages.app import pdf
from tests.toy import Counter
from webds.codec import sha256
from webds.tools.sandbox import Limits, Sandbox
from webds.tools.workbench import Workbench
from webds.types import Action

_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_CELL = "<t:table-cell{0}><x:p>{1}</x:p></t:table-cell>"
ODS = (
    f"<o:document-content xmlns:o='{_ODF}:office:1.0' xmlns:t='{_ODF}:table:1.0' xmlns:x='{_ODF}:text:1.0'>"
    f"<t:table t:name='One'><t:table-row>{_CELL.format('', 'name')}"
    f"{_CELL.format(' t:number-columns-repeated="2"', '7')}</t:table-row>"
    f"<t:table-row t:number-rows-repeated='2'>{_CELL.format('', 'again')}</t:table-row></t:table></o:document-content>"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A work folder with one file of each kind."""
    work: Path = tmp_path_factory.mktemp("work")
    frame = pandas.DataFrame({"name": [f"n{n}" for n in range(50)], "score": range(50)})
    frame.to_parquet(work / "a.parquet")
    with sqlite3.connect(work / "b.sqlite") as database:
        database.execute("CREATE TABLE ages (name TEXT, age INTEGER)")
        database.executemany("INSERT INTO ages VALUES (?, ?)", [("Ada", 36), ("Bo", 41)])
    database.close()
    with zipfile.ZipFile(work / "c.zip", "w") as archive:
        archive.writestr("in/side.csv", "x,y\n1,2\n")
    with zipfile.ZipFile(work / "d.ods", "w") as archive:
        archive.writestr("content.xml", ODS)
    (work / "e.pdf").write_bytes(pdf())
    Image.new("RGB", (40, 30), "red").save(work / "f.png")
    return work


@pytest.mark.parametrize(
    ("name", "options", "wanted"),
    [
        ("a.parquet", {"start": 49, "rows": 5}, ["50 rows, 2 columns: name (", "49,n48,48", "50,n49,49"]),
        ("b.sqlite", {}, ["tables: ages", "table 'ages': 2 rows", "0,name,age", "2,Bo,41"]),
        ("c.zip", {}, ["1 files", "1,in/side.csv,8"]),
        ("c.zip", {"sheet": "in/side.csv"}, ["x,y\n1,2"]),
        ("d.ods", {}, ["1 sheets: One", "1,name,7,7", "3,again"]),
        ("e.pdf", {"page": 1}, ["page 1 of 1", "Forty two units", "picture "]),
        ("f.png", {}, ["PNG of 40 x 30 pixels"]),
    ],
)
async def test_each_format_is_shown(folder: Path, name: str, options, wanted: list[str]) -> None:
    async with Sandbox(folder, Limits(seconds=60)) as box:
        shown = await box.preview(name, options)
    assert shown.error == ""
    for part in wanted:
        assert part in shown.text


async def test_what_cannot_be_read_is_refused_in_a_line(folder: Path, tmp_path: Path) -> None:
    async with Sandbox(tmp_path, Limits(seconds=60)) as box:
        for suffix in ("ods", "parquet", "sqlite", "zip", "pdf", "png"):
            (tmp_path / f"x.{suffix}").write_bytes(b"\x00not that" * 20)
            error = (await box.preview(f"x.{suffix}", {})).error
            assert error.startswith(f"x.{suffix}: not a readable {suffix} file"), error
            assert "\n" not in error


async def test_a_page_of_a_pdf_is_the_picture_of_the_observation(folder: Path) -> None:
    kept: list[bytes] = []

    def keep(data: bytes) -> str:
        kept.append(data)
        return sha256(data)

    async with Sandbox(folder, Limits(seconds=60)) as box:
        bench = Workbench(Counter(), box, folder, keep)
        seen = await bench.act(Action(name="files", args={"name": "e.pdf"}))
        listed = await bench.act(Action(name="files"))
    assert seen.image == sha256(kept[0])
    assert kept[0].startswith(b"\x89PNG")
    assert "e.pdf" in listed.text
    assert ".preview" not in listed.text
