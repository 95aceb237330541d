"""Tables in XLSX, JSON and Parquet, reports in DOCX and PDF, and hostile files under those names."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pandas as pd
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt, RGBColor
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from openpyxl import Workbook

from tests.judge.handed import handed
from webds_judge.answers import compare
from webds_judge.checks import csv_file, report

REFERENCE = "name,n,share\nAldor,12,0.5\nBrint,0,0.25\n"
FRAME = pd.DataFrame({"share": [0.25, 0.5], "name": ["Brint", "Aldor"], "n": [0, 12]})


def saved(write: Callable[[Any], Any]) -> bytes:
    out = io.BytesIO()
    write(out)
    return out.getvalue()


def workbook(*rows: list[Any], sheets: tuple[str, ...] = ("a",)) -> bytes:
    book = Workbook()
    book.remove(book.worksheets[0])
    for name in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return saved(book.save)


def parquet(frame: pd.DataFrame) -> bytes:
    return saved(lambda out: frame.to_parquet(out, index=False))


def judged(folder: Path, name: str, data: bytes, **more: Any) -> tuple[bool, str]:
    params = {"file": name, "reference": REFERENCE, **more}
    passed, why, parsed = csv_file.check(handed(folder, {name: data}), folder, params)
    assert set(parsed) == {"candidate", "reference"}
    return passed, why


@pytest.mark.parametrize(("name", "data"), [
    ("t.xlsx", saved(lambda out: FRAME.to_excel(out, index=False))),
    ("t.xlsx", workbook(["name", "n", "share"], ["Aldor", 12, 0.5], ["Brint", 0, 0.25], [None, None, None])),
    ("t.json", FRAME.to_json(orient="records").encode()),
    ("t.json", b'{"columns": ["name", "n", "share"], "rows": [["Aldor", 12, 0.5], ["Brint", 0, 0.25]]}'),
    ("t.parquet", parquet(FRAME)),
])  # fmt: skip
def test_a_right_table_passes(tmp_path: Path, name: str, data: bytes) -> None:
    assert judged(tmp_path, name, data)[0]


@pytest.mark.parametrize(("name", "data", "said"), [
    ("t.xlsx", workbook(["name", "n", "share"], ["Aldor", "=6*2", 0.5], ["Brint", 0, 0.25]), "n"),
    ("t.xlsx", workbook(["name", "n", "share"], ["Aldor", 12, 0.5], ["Brint", None, 0.25]), "n"),
    ("t.xlsx", REFERENCE.encode(), "not a readable archive"),
    ("t.json", FRAME.assign(n=[1, 12]).to_json(orient="records").encode(), "n"),
    ("t.json", REFERENCE.encode(), "not JSON"),
    ("t.parquet", parquet(FRAME.assign(n=[12, 0])), "n"),
    ("t.parquet", b"PAR1" + b"\0" * 40 + b"PAR1", "not a readable Parquet file"),
])  # fmt: skip
def test_a_wrong_one_fails(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    passed, why = judged(tmp_path, name, data)
    assert not passed
    assert said in why


def zeros(name: str) -> bytes:
    def write(out: Any) -> None:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, b"\0" * 60_000_000)

    return saved(write)


def far_cell() -> bytes:
    book = Workbook()
    book.worksheets[0].cell(1_048_576, 16_384, "x")
    return saved(book.save)


@pytest.mark.parametrize(("name", "data", "said"), [
    ("t.xlsx", zeros("xl/workbook.xml"), "60000000 bytes unpacked"),
    ("t.xlsx", far_cell(), "more than 500000 cells"),
    ("t.json", b"[" * 10_000 + b"]" * 10_000, ""),
    ("t.json", b"[" + b"1," * 200_000 + b"1]", "characters of JSON"),
    ("t.parquet", parquet(pd.DataFrame({f"c{n}": [0] * 2_000 for n in range(400)})), "too many"),
    ("t.parquet", parquet(pd.DataFrame({"a": ["x" * 30_000_000]})), "bytes unpacked"),
])  # fmt: skip
def test_hostile_files_are_refused_by_their_size(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    passed, why = judged(tmp_path, name, data)
    assert not passed
    assert said in why


REQUIRED: Any = [
    {"name": "sales", "type": "number", "reference": 1234.5, "unit": {"any_of": ["GWh"]}},
    {"name": "plants", "type": "integer", "reference": 48, "unit": "plants"},
]


def document(*lines: str, hidden: str = "") -> bytes:
    made = docx.Document()
    for line in lines:
        made.add_paragraph(line)
    made.add_paragraph().add_run(hidden).font.hidden = True
    table = made.add_table(rows=2, cols=2)
    for cell, word in zip((*table.rows[0].cells, *table.rows[1].cells), ("State", "Plants", "Texas", "7"), strict=True):
        cell.text = word
    return saved(made.save)


def pages(*lines: str) -> bytes:
    def write(out: Any) -> None:
        figure = Figure()
        for place, line in enumerate(lines):
            figure.text(0.1, 0.9 - place / 10, line)
        with PdfPages(out) as book:
            book.savefig(figure)

    return saved(write)


@pytest.mark.parametrize(("name", "make"), [("r.docx", document), ("r.pdf", pages)])
def test_reports_are_read_claim_by_claim(tmp_path: Path, name: str, make: Callable[..., bytes]) -> None:
    params = {"file": name, "required": REQUIRED}
    whole = make("Sales came to 1,234.5 GWh in 2021.", "There are 48 plants.")
    passed, why, parsed = report.check(handed(tmp_path, {name: whole}), tmp_path, params)
    assert passed, why
    extras = parsed["extras"]
    assert isinstance(extras, tuple)
    assert "2021" in extras
    wrong = make("Sales came to 1,234.5 MWh in 2021.", "There are 48 plants.")
    passed, why, _ = report.check(handed(tmp_path, {name: wrong}), tmp_path, params)
    assert (passed, "not found: sales in GWh" in why) == (False, True)


def test_hidden_text_of_a_document_does_not_exist(tmp_path: Path) -> None:
    data = document("Sales came to 1,234.5 GWh.", hidden="There are 48 plants.")
    params = {"file": "r.docx", "required": REQUIRED}
    passed, why, _ = report.check(handed(tmp_path, {"r.docx": data}), tmp_path, params)
    assert (passed, "plants" in why) == (False, True)


def _white(made: Any) -> None:
    made.add_paragraph("Hello ").add_run("48 plants").font.color.rgb = RGBColor(255, 255, 255)


def _tiny(made: Any) -> None:
    made.add_paragraph("Hello ").add_run("48 plants").font.size = Pt(1)


def _styled(made: Any) -> None:
    made.styles.add_style("Quiet", WD_STYLE_TYPE.CHARACTER).font.hidden = True
    made.styles.add_style("Child", WD_STYLE_TYPE.CHARACTER).base_style = made.styles["Quiet"]
    made.add_paragraph("Hello ").add_run("48 plants", style="Child")


def _wrapped(made: Any, *tags: str) -> None:
    """A paragraph with a run inside the elements `tags`, one in the other."""
    inside = made.add_paragraph("There are ")._p
    for tag in (*tags, "w:r", "w:t"):
        element = OxmlElement(tag)
        inside.append(element)
        inside = element
    inside.text = "48 plants"


def _wide(made: Any) -> None:
    cell = made.add_table(1, 1).cell(0, 0)
    cell.text = "48 plants"
    cell._tc.get_or_add_tcPr().get_or_add_gridSpan().val = 1_000_000_000


def _shaded(made: Any) -> None:
    _white(made)
    shade = OxmlElement("w:shd")
    shade.set(qn("w:fill"), "333333")
    made.paragraphs[-1]._p.get_or_add_pPr().append(shade)


def _nested(made: Any) -> None:
    inner = made.add_table(1, 1).cell(0, 0).add_table(1, 2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "Texas", "48 plants"


@pytest.mark.parametrize(("build", "is_read"), [
    (_white, False), (_tiny, False), (_styled, False), (_wide, False), (_shaded, True), (_nested, True),
    (lambda made: _wrapped(made, "w:hyperlink"), True), (lambda made: _wrapped(made, "w:ins"), True),
    (lambda made: _wrapped(made, "w:sdt", "w:sdtContent"), True), (lambda made: _wrapped(made, "w:del"), False),
])  # fmt: skip
def test_a_document_is_read_as_it_is_seen(tmp_path: Path, build: Callable[[Any], None], is_read: bool) -> None:
    made = docx.Document()
    made.add_paragraph("Sales came to 1,234.5 GWh.")
    build(made)
    params = {"file": "r.docx", "required": REQUIRED}
    passed, why, _ = report.check(handed(tmp_path, {"r.docx": saved(made.save)}), tmp_path, params)
    assert passed is is_read, why


@pytest.mark.parametrize("gold", ["name,share\nAldor,12.5%\nBrint,3%\n", "name,share\nAldor,0.125\nBrint,0.03\n"])
@pytest.mark.parametrize("form", ["0.0%", "General", '0.000" %"'])
def test_percent_cells_are_the_shares_that_they_show(tmp_path: Path, gold: str, form: str) -> None:
    book = Workbook()
    sheet = book.worksheets[0]
    for row in (["name", "share"], ["Aldor", 0.125], ["Brint", 0.03]):
        sheet.append(row)
    for place in (2, 3):
        sheet.cell(place, 2).number_format = form
    assert judged(tmp_path, "t.xlsx", saved(book.save), reference=gold)[0]
    assert not judged(tmp_path, "t.xlsx", saved(book.save), reference=gold.replace("Brint,", "Brint,1"))[0]


@pytest.mark.parametrize("line", ["sep=,\r\n", "SEP=,\n", '"sep=,"\n'])
def test_a_line_that_says_the_delimiter_is_no_header(tmp_path: Path, line: str) -> None:
    assert judged(tmp_path, "t.csv", (line + REFERENCE).encode())[0]
    assert not judged(tmp_path, "t.csv", (line.replace(",", ";") + REFERENCE).encode())[0]


@pytest.mark.parametrize(("answer", "passed"), [
    ("12.5%, 3%", True), ("0.125, 0.03", True), ("12.5, 3", True), ("0.125%, 3%", False), ("1250, 300", False),
])  # fmt: skip
def test_items_that_are_percentages_follow_rule_4(answer: str, passed: bool) -> None:
    assert compare("list", ("12.5%", "3%"), answer).passed is passed


@pytest.mark.parametrize(("name", "data"), [
    ("r.docx", b"no archive"), ("r.docx", zeros("word/document.xml")), ("r.pdf", b"%PDF-1.7\nnothing"),
])  # fmt: skip
def test_what_is_no_report_is_not_read(tmp_path: Path, name: str, data: bytes) -> None:
    passed, why, _ = report.check(handed(tmp_path, {name: data}), tmp_path, {"file": name, "required": REQUIRED})
    assert not passed
    assert "not read" in why
