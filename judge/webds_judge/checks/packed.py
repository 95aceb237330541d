"""Tables and texts out of files that are packed or binary: XLSX, JSON, Parquet, DOCX, PDF. Nothing in them is trusted.

Sizes are read before anything is unpacked, formulas are text, macros and links are not looked at.
"""

import io
import zipfile
from collections.abc import Iterator
from typing import Any

import docx
import pyarrow as pa
import pypdfium2 as pdfium
from docx.shared import Pt, RGBColor
from docx.table import Table
from docx.text.paragraph import Paragraph
from docx.text.run import Run
from pyarrow import parquet

from webds.cells import BROKEN, sheet_rows, shown
from webds.errors import InputFault, one_line
from webds_judge.answers import grids
from webds_judge.answers.limits import ANSWER_CHARS, COLUMNS, ROWS
from webds_judge.answers.payload import NOTHING, unwrap

UNPACKED = 20_000_000
"""Most bytes that are unpacked from one file."""
CELLS = 500_000
PAGES = 60
"""Pages of a PDF that are read."""
_SMALLEST = Pt(2)
"""Letters below this size nobody reads."""
_RUNS = ".//w:r[not(ancestor::w:del or ancestor::w:moveFrom or ancestor::w:txbxContent)]"
_GROUND = (
    "ancestor-or-self::*/w:rPr/w:highlight | ancestor-or-self::*/*[self::w:rPr or self::w:pPr or self::w:tcPr or "
    "self::w:tblPr]/w:shd[not(@w:fill='auto' or @w:fill='FFFFFF')] | ancestor::w:tbl/w:tblPr/w:tblStyle | /w:document/"
    "w:background"
)
"""What may stand behind white letters: a highlight, a shade, a table's style, the page's own colour."""


def grid(name: str, data: bytes, sheet: str = "") -> grids.Grid:
    """The table in a .xlsx (its first sheet, or `sheet`), .json or .parquet file. Raises NoTable."""
    kind = name.lower().rpartition(".")[2]
    if kind == "xlsx":
        return _of_workbook(name, data, sheet)
    if kind == "parquet":
        return _of_parquet(data)
    text = data[: 4 * ANSWER_CHARS + 1].decode("utf-8-sig", "replace")
    if len(text) > ANSWER_CHARS:
        raise grids.NoTable(f"more than {ANSWER_CHARS} characters of JSON")
    payload = unwrap(text)
    if payload.value is NOTHING:
        raise grids.NoTable(payload.problem or "not JSON")
    return grids.read(payload)


def _of_workbook(name: str, data: bytes, sheet: str) -> grids.Grid:
    _check_archive(data)
    try:
        rows = sheet_rows(data, name, sheet, formulas=True)
    except InputFault as error:
        raise grids.NoTable(str(error)) from error
    filled = [row for row in rows if any(row)]
    return grids.of_rows(filled)


def _check_archive(data: bytes) -> None:
    """NoTable where more would be unpacked than is read. zipfile gives no more of a member than its header says."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except BROKEN as error:
        raise grids.NoTable(f"not a readable archive: {one_line(error)}") from error
    if unpacked > UNPACKED:
        raise grids.NoTable(f"{unpacked} bytes unpacked, at most {UNPACKED} are read")


def _of_parquet(data: bytes) -> grids.Grid:
    try:
        with parquet.ParquetFile(io.BytesIO(data)) as file:
            head = file.metadata
            size = sum(head.row_group(number).total_byte_size for number in range(head.num_row_groups))
            if head.num_rows > ROWS or head.num_columns > COLUMNS or head.num_rows * head.num_columns > CELLS:
                raise grids.NoTable(f"{head.num_rows} rows of {head.num_columns} columns are too many")
            if not 0 <= size <= UNPACKED:
                raise grids.NoTable(f"{size} bytes unpacked, at most {UNPACKED} are read")
            found = file.read()
    except (pa.ArrowException, OSError, ValueError, NotImplementedError) as error:
        if isinstance(error, grids.NoTable):
            raise
        raise grids.NoTable(f"not a readable Parquet file: {one_line(error)}") from error
    columns = [[shown(value) for value in column.to_pylist()] for column in found.columns]
    return grids.of_rows([list(found.column_names), *(list(row) for row in zip(*columns, strict=True))])


def text(name: str, data: bytes) -> str:
    """The text of a .docx or .pdf report, tables as lines of cells apart by |. ValueError: why it is not read."""
    if name.lower().endswith(".docx"):
        return _of_document(data)
    return _of_pages(data)


def _of_document(data: bytes) -> str:
    _check_archive(data)
    try:
        document = docx.Document(io.BytesIO(data))
        if any(int(wide) > COLUMNS for wide in document.element.xpath("//w:gridSpan/@w:val")):
            raise ValueError(f"a cell over more than {COLUMNS} columns")
        return "\n".join(_blocks(document, document.element.body))[:ANSWER_CHARS]
    except BROKEN as error:
        raise ValueError(f"not a readable document: {one_line(error)}") from error


def _blocks(parent: Any, element: Any) -> Iterator[str]:
    """The lines of all paragraphs and tables under `element`, those in content controls and inner tables too."""
    for child in element.xpath("./w:p | ./w:tbl | ./w:sdt/w:sdtContent/*[self::w:p or self::w:tbl]"):
        if child.tag.endswith("}p"):
            yield _line(Paragraph(child, parent))
            continue
        yield ""
        inner: dict[int, Any] = {}
        for row in Table(child, parent).rows:
            yield " | ".join(" ".join(_line(part) for part in cell.paragraphs) for cell in row.cells)
            inner |= {id(cell._tc): cell for cell in row.cells if cell.tables}  # a merged cell stands in several places
        for cell in inner.values():
            yield from ("", *_blocks(cell, cell._tc))
        yield ""


def _line(paragraph: Paragraph) -> str:
    """What a reader sees of it, links and inserted text too; deleted, hidden, struck and white runs do not exist."""
    found = paragraph._p.xpath(_RUNS)
    return "".join(run.text for run in (Run(element, paragraph) for element in found) if not _is_hidden(run, paragraph))


def _is_hidden(run: Run, paragraph: Paragraph) -> bool:
    fonts = [run.font, *_fonts(run.style), *_fonts(paragraph.style)]
    if any(_first(fonts, name) for name in ("hidden", "strike", "double_strike")):
        return True
    size = _first(fonts, "size")
    if size is not None and size < _SMALLEST:
        return True
    colors = (font.color.rgb for font in fonts if font.color is not None)
    color = next((found for found in colors if found is not None), None)
    return color == RGBColor(255, 255, 255) and not run._r.xpath(_GROUND)


def _fonts(style: Any) -> Iterator[Any]:
    """The fonts of a style and of those that it is based on."""
    for _ in range(20):
        if style is None or not hasattr(style, "font"):
            return
        yield style.font
        style = style.base_style


def _first(fonts: list[Any], name: str) -> Any:
    """The property where it is said first: at the run, else in its style, else in the paragraph's."""
    return next((found for font in fonts if (found := getattr(font, name)) is not None), None)


def _of_pages(data: bytes) -> str:
    try:
        with pdfium.PdfDocument(data) as document:
            return "\n".join(_pages(document))[:ANSWER_CHARS]
    except (pdfium.PdfiumError, ValueError, OSError) as error:
        raise ValueError(f"not a readable PDF file: {one_line(error)}") from error


def _pages(document: pdfium.PdfDocument) -> Iterator[str]:
    left = ANSWER_CHARS
    for number in range(min(len(document), PAGES)):
        if left <= 0:
            return
        page = document[number]
        found = page.get_textpage()
        said = found.get_text_range(0, min(left, found.count_chars())).replace("\r\n", "\n")
        left -= len(said)
        found.close()
        page.close()
        yield said
