"""What every workbook shares: styles, merged headings, the Contents and Notes sheets, and bytes that never vary.

Workbooks are dated at the site's frozen instant. openpyxl stamps the present into the core properties and into the
zip directory, so `freeze` writes the archive once more with fixed stamps: two builds are equal byte for byte.
"""

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from openpyxl import Workbook
from openpyxl.cell import Cell as SheetCell
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from sites_docker.grid_workbook.grid import SECTORS, Cell, Edition

SHEETS = {
    "all sectors": "All sectors",
    "electric utility": "Electric utility",
    "independent power producers": "IPP",
    "all commercial": "Commercial",
    "all industrial": "Industrial",
}
"""Sector as the source writes it -> sheet name."""

TITLE = Font(name="Calibri", size=14, bold=True, color="12344D")
SMALL = Font(name="Calibri", size=9, italic=True, color="555555")
BOLD = Font(name="Calibri", size=11, bold=True)
HEAD = Font(name="Calibri", size=10, bold=True, color="FFFFFF")
FILL = PatternFill("solid", start_color="1F4E6B")
BAND = PatternFill("solid", start_color="E8EEF2")
EDGE = Border(bottom=Side(style="thin", color="9FB3C1"))
CENTRE = Alignment(horizontal="center", vertical="center", wrap_text=True)
RIGHT = Alignment(horizontal="right")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """One top heading over its columns. No sub headings: the cell is merged over both heading rows."""

    top: str
    subs: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    """Sub headings whose columns are hidden; the top heading itself where there are no subs."""


def title_rows(sheet: Worksheet, lines: Sequence[str], width: int) -> None:
    """Title and small print above the headings, each merged over the table's width."""
    for row, line in enumerate(lines, start=1):
        item = sheet.cell(row=row, column=1, value=line)
        item.font = TITLE if row == 1 else SMALL
        sheet.merge_cells(start_row=row, start_column=1, end_row=row, end_column=width)


def headings(sheet: Worksheet, row: int, parts: Sequence[Heading]) -> int:
    """Write two heading rows at `row`, merge and hide as told; return the number of columns."""
    column = 1
    for part in parts:
        width = max(1, len(part.subs))
        sheet.cell(row=row, column=column, value=part.top)
        for offset, sub in enumerate(part.subs):
            sheet.cell(row=row + 1, column=column + offset, value=sub)
        for offset, name in enumerate(part.subs or (part.top,)):
            if name in part.hidden:
                sheet.column_dimensions[get_column_letter(column + offset)].hidden = True
        bottom = row if part.subs else row + 1
        if width > 1 or bottom > row:
            sheet.merge_cells(start_row=row, start_column=column, end_row=bottom, end_column=column + width - 1)
        column += width
    for line in sheet.iter_rows(min_row=row, max_row=row + 1, max_col=column - 1):
        for item in line:
            item.font, item.fill, item.alignment = HEAD, FILL, CENTRE
    sheet.freeze_panes = f"B{row + 2}"
    return column - 1


def put(sheet: Worksheet, row: int, label: str | int, cells: Iterable[Cell], *, strong: bool = False) -> None:
    """One line of the table: label, then cells; None leaves a cell empty, marks are written as text."""
    first = sheet.cell(row=row, column=1, value=label)
    style(first, strong)
    first.alignment = Alignment(horizontal="left")
    for column, value in enumerate(cells, start=2):
        if value is None:
            continue
        item = sheet.cell(row=row, column=column, value=value)
        style(item, strong)
        item.number_format = "#,##0"
        item.alignment = RIGHT


def style(item: SheetCell, strong: bool) -> None:
    """Total and division lines are bold on a band."""
    if strong:
        item.font, item.fill, item.border = BOLD, BAND, EDGE


def contents(book: Workbook, subject: str, edition: Edition, listed: Sequence[tuple[str, str]], source: str) -> None:
    """Sheet 1. The only sheet that states the units."""
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet.title = "Contents"
    lines: list[tuple[str, str]] = [
        ("Grid Workbook", ""),
        (subject, ""),
        ("", ""),
        ("Edition", edition.title.removeprefix("Edition ")),
        ("Last month held", edition.last),
        ("Measure", "Net generation of electricity, all fuels"),
        ("Units", "Thousand megawatthours (thousand MWh), all sheets"),
        ("Source", source),
        ("Status", "Demonstration portal, not an official site"),
        ("", ""),
        ("Sheet", "What it holds"),
        *listed,
    ]
    for row, (left, right) in enumerate(lines, start=1):
        sheet.cell(row=row, column=1, value=left or None).font = BOLD
        sheet.cell(row=row, column=2, value=right or None)
    sheet["A1"].font = TITLE
    sheet["A2"].font = TITLE
    sheet.column_dimensions["A"].width = 30
    sheet.column_dimensions["B"].width = 90


NOTES = (
    ("--", "No generation was reported for the sector in that month. Counts as zero in sums."),
    ("NM", "Not meaningful: the estimate was withheld. It is not zero; treat it as missing."),
    ("0", "A figure: more than nothing was reported, but less than half of one unit, or exactly zero."),
    ("Negative figures", "Pumped storage can use more electricity than the sector's plants return in a month."),
    ("Year total", "Sum of the printed months. Printed as NM when any month of the year is NM, as -- when all are --."),
    ("All sectors", "Taken from the source, not summed here. It includes what is marked NM in a sector."),
    ("Rounding", "Sectors may not add to All sectors because each is rounded by the source."),
    ("Divisions", "Census divisions are sums of their states and stand among the states in tables of all areas."),
    ("Year to date", "The current edition ends with March 2022; lines for 2022 hold three months."),
)


def notes(book: Workbook) -> None:
    """Sheet 2: what marks and totals mean, without units."""
    sheet = book.create_sheet("Notes")
    title_rows(sheet, ("Notes to all sheets",), 2)
    for row, (left, right) in enumerate(NOTES, start=3):
        sheet.cell(row=row, column=1, value=left).font = BOLD
        sheet.cell(row=row, column=2, value=right)
    sheet.column_dimensions["A"].width = 20
    sheet.column_dimensions["B"].width = 100


def sheet_list(first: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Contents lines for the sheets of a workbook: the given ones, then one a sector."""
    return [*first, *((SHEETS[key], f"{SECTORS[key]}, one line a year or area") for key in SECTORS)]


def freeze(book: Workbook, frozen: datetime) -> bytes:
    """The workbook's bytes with every stamp set to the frozen instant."""
    book.properties.creator = "Grid Workbook (demonstration portal)"
    book.properties.created = frozen.replace(tzinfo=None)
    raw = io.BytesIO()
    book.save(raw)
    stamp = (frozen.year, frozen.month, frozen.day, frozen.hour, frozen.minute, frozen.second)
    fixed = io.BytesIO()
    with zipfile.ZipFile(raw) as old, zipfile.ZipFile(fixed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "docProps/core.xml":
                data = re.sub(
                    rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>" + frozen.strftime("%Y-%m-%dT%H:%M:%SZ").encode(), data
                )
            entry = zipfile.ZipInfo(name, date_time=stamp)
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, data)
    return fixed.getvalue()
