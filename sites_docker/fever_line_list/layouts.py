"""The four layouts in which the line list is published, and the ZIP file of a year.

All layouts hold the same fields. What differs: headings, order, character encoding, delimiter, dates, codes and the
mark for a missing value. The rows are the extract's; the layouts are this portal's own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from sites_docker.kit.facts import Clock
from sites_docker.kit.files import csv_bytes, zip_bytes
from sites_docker.kit.tables import Tables

type Line = Mapping[str, Any]
type Writer = Callable[[Line], object]

AGES = (
    "0", "1", "2", "3", "4", "5-9", "10-14", "15-19", "20-24", "25-29", "30-34", "35-39", "40-44", "45-49", "50-54",
    "55-59", "60-64", "65-69", "70+",
)  # fmt: skip
"""Groups of the source, youngest first: single years below five, then five years each, open at the end."""
TYPES = ("DENV1", "DENV2", "DENV3", "DENV4")
FIRST, LAST = 1998, 2024


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One layout. `columns` are (heading, field of the extract, how the field is written)."""

    letter: str
    first: int
    last: int
    encoding: str
    encoding_name: str
    delimiter: str
    delimiter_name: str
    dates: str
    missing: str
    """What stands where nothing is known, in words."""
    columns: tuple[tuple[str, str, Writer], ...]

    @property
    def years(self) -> range:
        """Years whose files have this layout."""
        return range(self.first, self.last + 1)

    def member(self, year: int) -> str:
        """Name of the line list inside the ZIP file; layout A counts years from 1912."""
        return f"linelist_{year - 1911:03d}.csv" if self.letter == "A" else f"linelist_{year}.csv"


def _plain(field: str, missing: str = "") -> Writer:
    return lambda line: missing if line[field] is None else line[field]


def _coded(field: str, codes: Mapping[str, str], missing: str) -> Writer:
    return lambda line: missing if line[field] is None else codes[line[field]]


def _dated(field: str, form: str, missing: str = "") -> Writer:
    def write(line: Line) -> str:
        day: date | None = line[field]
        if day is None:
            return missing
        return f"{day.year - 1911:03d}/{day:%m/%d}" if form == "roc" else day.strftime(form)

    return write


def _number(line: Line) -> str:
    return f"L{line['line']:06d}"


def layout_a() -> Layout:
    """1998 to 2003."""
    sex, yes = {"M": "男", "F": "女", "U": "不詳"}, {"Y": "是", "N": "否"}
    kinds = dict(zip(TYPES, ("第一型", "第二型", "第三型", "第四型"), strict=True))
    return Layout(
        letter="A", first=1998, last=2003, encoding="big5", encoding_name="Big5", delimiter=",",
        delimiter_name="comma", dates="Minguo calendar, yyy/mm/dd: year 1 is 1912", missing="empty",
        columns=(
            ("案號", "line", _number),
            ("發病日", "onset", _dated("onset", "roc")),
            ("個案研判日", "confirmation", _dated("confirmation", "roc")),
            ("通報日", "notification", _dated("notification", "roc")),
            ("性別", "sex", _coded("sex", sex, "")),
            ("年齡層", "age_group", _plain("age_group")),
            ("居住縣市", "county", _plain("county")),
            ("居住鄉鎮", "township", _plain("township")),
            ("感染縣市", "infected_county", _plain("infected_county")),
            ("感染鄉鎮", "infected_township", _plain("infected_township")),
            ("是否境外移入", "imported", _coded("imported", yes, "")),
            ("感染國家", "country", _plain("country")),
            ("確定病例數", "cases", _plain("cases")),
            ("血清型", "serotype", _coded("serotype", kinds, "")),
        ),
    )  # fmt: skip


def layout_b(codes: Mapping[str, str]) -> Layout:
    """2004 to 2013; `codes` are county codes by name."""
    ages = {group: f"{number:02d}" for number, group in enumerate(AGES, start=1)}
    kinds = {name: name[-1] for name in TYPES}
    return Layout(
        letter="B", first=2004, last=2013, encoding="utf-8-sig", encoding_name="UTF-8 with byte order mark",
        delimiter=";", delimiter_name="semicolon", dates="yyyymmdd", missing="9 for sex and serotype, else empty",
        columns=(
            ("CASENO", "line", _number),
            ("NOTIF", "notification", _dated("notification", "%Y%m%d")),
            ("CONF", "confirmation", _dated("confirmation", "%Y%m%d")),
            ("ONSET", "onset", _dated("onset", "%Y%m%d")),
            ("SEX", "sex", _coded("sex", {"M": "1", "F": "2", "U": "9"}, "9")),
            ("AGEG", "age_group", _coded("age_group", ages, "")),
            ("RESCTY", "county", _coded("county", codes, "")),
            ("RESTWN", "township", _plain("township")),
            ("INFCTY", "infected_county", _coded("infected_county", codes, "")),
            ("INFTWN", "infected_township", _plain("infected_township")),
            ("IMP", "imported", _coded("imported", {"N": "1", "Y": "2"}, "")),
            ("ORIGIN", "country", _plain("country")),
            ("NCASE", "cases", _plain("cases")),
            ("STYPE", "serotype", _coded("serotype", kinds, "9")),
        ),
    )  # fmt: skip


def layout_c() -> Layout:
    """2014 to 2019."""
    none = "n/a"
    kinds = {name: f"DENV-{name[-1]}" for name in TYPES}
    return Layout(
        letter="C", first=2014, last=2019, encoding="utf-16",
        encoding_name="UTF-16, little endian, with byte order mark",
        delimiter="\t", delimiter_name="tab", dates="dd/mm/yyyy", missing="n/a",
        columns=(
            ("Case number", "line", _number),
            ("Date of notification", "notification", _dated("notification", "%d/%m/%Y", none)),
            ("Date of onset", "onset", _dated("onset", "%d/%m/%Y", none)),
            ("Date of confirmation", "confirmation", _dated("confirmation", "%d/%m/%Y", none)),
            ("Confirmed cases", "cases", _plain("cases")),
            ("Sex", "sex", _coded("sex", {"M": "Male", "F": "Female", "U": "Unknown"}, none)),
            ("Age group (years)", "age_group", _plain("age_group", none)),
            ("County of infection", "infected_county", _plain("infected_county", none)),
            ("Township of infection", "infected_township", _plain("infected_township", none)),
            ("County of residence", "county", _plain("county", none)),
            ("Township of residence", "township", _plain("township", none)),
            ("Imported", "imported", _coded("imported", {"Y": "Yes", "N": "No"}, none)),
            ("Country of infection", "country", _plain("country", none)),
            ("Serotype", "serotype", _coded("serotype", kinds, none)),
        ),
    )  # fmt: skip


def layout_d() -> Layout:
    """2020 to 2024."""
    none = "None"
    names = (
        ("case_number", "line"), ("onset_date", "onset"), ("notification_date", "notification"),
        ("confirmation_date", "confirmation"), ("sex", "sex"), ("age_group", "age_group"),
        ("residence_county", "county"), ("residence_township", "township"), ("infection_county", "infected_county"),
        ("infection_township", "infected_township"), ("imported", "imported"), ("infection_country", "country"),
        ("confirmed_cases", "cases"), ("serotype", "serotype"),
    )  # fmt: skip
    return Layout(
        letter="D", first=2020, last=2024, encoding="utf-8", encoding_name="UTF-8", delimiter=",",
        delimiter_name="comma", dates="yyyy-mm-dd", missing="the word None",
        columns=tuple((head, field, _number if field == "line" else _plain(field, none)) for head, field in names),
    )  # fmt: skip


README = """Fever Line List, year {year}
Demonstration portal, not an official site. Canary {canary}

{member}  {rows} lines, layout {letter}, one line a report
Cut         lines notified in {year} (1 January to {end})
Encoding    {encoding}
Delimiter   {delimiter}
Dates       {dates}
Missing     {missing}

Headings, codes and marks are explained in the codebook on the portal: /codebook/layout-{small}
Read /methodology before counting: a line is not always one case.
Source: {source}
"""


class Shelf:
    """The ZIP files, made when first asked for."""

    def __init__(self, tables: Tables, clock: Clock, canary: str, source: str) -> None:
        codes = {name: code for code, name in tables.rows("SELECT code, county FROM counties")}
        self.layouts = (layout_a(), layout_b(codes), layout_c(), layout_d())
        self._tables, self._clock, self._canary, self._source = tables, clock, canary, source
        self.file = cache(self._file)

    def layout(self, year: int) -> Layout:
        """The layout of a year's file. StopIteration outside 1998 to 2024."""
        return next(layout for layout in self.layouts if year in layout.years)

    def _lines(self, year: int) -> list[dict[str, Any]]:
        return self._tables.dicts("SELECT * FROM cases WHERE year(notification) = ? ORDER BY line", year)

    def _file(self, year: int) -> bytes:
        """The ZIP file of the lines notified in `year`: the line list and a readme."""
        layout, lines = self.layout(year), self._lines(year)
        member = layout.member(year)
        rows = [[write(line) for _, _, write in layout.columns] for line in lines]
        table = csv_bytes(
            [head for head, _, _ in layout.columns], rows, encoding=layout.encoding, delimiter=layout.delimiter
        )
        readme = README.format(
            year=year, canary=self._canary, member=member, rows=len(lines), letter=layout.letter,
            end="10 September, the last line of the source" if year == LAST else "31 December",
            encoding=layout.encoding_name, delimiter=layout.delimiter_name, dates=layout.dates,
            missing=layout.missing, small=layout.letter.lower(), source=self._source,
        )  # fmt: skip
        return zip_bytes({member: table, "README.txt": readme.encode()}, self._clock)
