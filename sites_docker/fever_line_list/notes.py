"""Situation notes, written for this demonstration. Every figure is computed from the line list, by date of onset."""

from collections.abc import Callable
from dataclasses import dataclass

from sites_docker.kit.tables import Tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One note; `dated` is the day it pretends to have come out. Paragraphs hold {names} of figures until filled."""

    slug: str
    number: int
    title: str
    dated: str
    years: tuple[int, ...]
    paragraphs: tuple[str, ...]


NOTES = (
    Note(
        slug="the-autumn-of-2015", number=12, title="The autumn of 2015", dated="7 October 2024", years=(2015,),
        paragraphs=(
            ("About {y2015} people fell ill with dengue in 2015, more than in any other year of the list, and about "
            "{share_tainan} in 100 of them lived in Tainan City."),
            "The busiest day was {top_day}: {top_cases} people had their first symptoms on it.",
        ),
    ),
    Note(
        slug="december-onsets-january-files", number=11, title="December onsets, January files",
        dated="30 September 2024", years=(2023, 2024),
        paragraphs=(
            ("Who falls ill after Christmas is often notified after New Year. The file of a year is cut by the date of "
            "notification, so such a line lies in the next year's file."),
            "Of all lines, {crossing} have their onset in one year and their notification in the next.",
        ),
    ),
    Note(
        slug="tainan-again", number=10, title="Tainan again, 2023", dated="23 September 2024", years=(2023,),
        paragraphs=(
            "After three years with next to no dengue, about {y2023} people fell ill in 2023.",
            "Yunlin County, with few cases before, had about {yunlin} residents among them.",
        ),
    ),
    Note(
        slug="the-quiet-years", number=9, title="The quiet years, 2020 to 2022", dated="16 September 2024",
        years=(2020, 2021, 2022),
        paragraphs=(
            "In 2021 not one person was recorded as infected in Taiwan; {imported_2021} brought dengue from abroad.",
            "Borders were closed to most travellers. The list does not say who travelled, only who fell ill.",
        ),
    ),
    Note(
        slug="most-lines-have-no-serotype", number=8, title="Most lines have no serotype", dated="2 September 2024",
        years=(),
        paragraphs=(
            "Only {typed} in 100 lines name a serotype. In the three largest years few samples were typed.",
            "A blank is not a negative result. Shares of serotypes are shares of the typed cases only.",
        ),
    ),
    Note(
        slug="older-patients", number=7, title="Older patients", dated="19 August 2024", years=(2015, 2023),
        paragraphs=(
            "Of those who fell ill in 2015, about {old_2015} in 100 were aged 70 or more; in 2023, {old_2023}.",
            "Groups are as in the source: single years below five, then five years each.",
        ),
    ),
    Note(
        slug="kaohsiung-2014", number=6, title="Kaohsiung, 2014", dated="5 August 2024", years=(2014,),
        paragraphs=(
            ("About {kaohsiung_2014} residents of Kaohsiung City fell ill in 2014. {district} had the most of its "
            "districts."),
        ),
    ),
    Note(
        slug="checked-again-in-2006", number=5, title="Checked again in 2006", dated="22 July 2024", years=(2001, 2002),
        paragraphs=(
            ("Dates of confirmation are kept from 2004 on. {retro} lines notified before 2004 carry one all the same, "
            "most of them of 2006, when the files seem to have been gone through again."),
            ("We take such a long wait between notification and confirmation for a trace of that check, not of a slow "
            "laboratory."),
        ),
    ),
    Note(
        slug="late-notifications", number=4, title="Late notifications", dated="8 July 2024", years=(2002, 2015),
        paragraphs=(
            ("Half of all lines were notified within {median} days of onset. {late} took longer than 60 days; the "
            "longest, {longest} days."),
        ),
    ),
    Note(
        slug="two-lines-of-two", number=3, title="Two lines of two", dated="24 June 2024", years=(2002, 2015),
        paragraphs=(
            ("A line is one case, but for two lines that stand for two cases each. Add up the column of confirmed "
            "cases instead of counting lines."),
        ),
    ),
    Note(
        slug="the-summer-of-2002", number=2, title="2002, the first large year", dated="10 June 2024", years=(2002,),
        paragraphs=(
            ("About {y2002} people fell ill in 2002, after {y2001} in 2001. About {kaohsiung_2002} lived in Kaohsiung "
            "City."),
        ),
    ),
    Note(
        slug="where-travellers-fell-ill", number=1, title="Where travellers fell ill", dated="27 May 2024",
        years=(2019,),
        paragraphs=(
            "From {country} more cases were brought to Taiwan since 1998 than from any other country, about {brought}.",
            "Of {unnamed} imported lines the country is not known. A missing country does not mean Taiwan.",
        ),
    ),
)  # fmt: skip


def about(value: float) -> str:
    """Two leading digits: 3,547 is `3,500`."""
    size = 10 ** max(0, len(str(int(value))) - 2)
    return f"{round(value / size) * size:,}"


def figures(tables: Tables) -> dict[str, str]:
    """What the paragraphs name in braces."""

    def cases(where: str) -> int:
        return int(tables.one(f"SELECT coalesce(sum(cases), 0) FROM cases WHERE {where}"))  # noqa: S608 - ours

    def lines(where: str) -> str:
        return f"{tables.one(f'SELECT count(*) FROM cases WHERE {where}'):,}"  # noqa: S608 - ours

    return {
        **_years(cases),
        **_firsts(tables),
        "crossing": lines("year(onset) < year(notification)"),
        "imported_2021": str(cases("year(onset) = 2021 AND imported = 'Y'")),
        "typed": f"{100 * cases('serotype IS NOT NULL') / cases('true'):.0f}",
        "retro": lines("notification < '2004-01-01' AND confirmation IS NOT NULL"),
        "late": lines("notification - onset > 60"),
        "median": str(tables.one("SELECT CAST(median(notification - onset) AS INTEGER) FROM cases")),
        "longest": str(tables.one("SELECT max(notification - onset) FROM cases")),
        "unnamed": lines("imported = 'Y' AND country IS NULL"),
    }


def _years(cases: Callable[[str], int]) -> dict[str, str]:
    named = {f"y{year}": about(cases(f"year(onset) = {year}")) for year in (2001, 2002, 2015, 2023)}
    for year in (2002, 2014):
        named[f"kaohsiung_{year}"] = about(cases(f"year(onset) = {year} AND county = 'Kaohsiung City'"))
    for year in (2015, 2023):
        old = cases(f"year(onset) = {year} AND age_group = '70+'")
        named[f"old_{year}"] = f"{100 * old / cases(f'year(onset) = {year}'):.0f}"
    tainan = cases("year(onset) = 2015 AND county = 'Tainan City'")
    named["share_tainan"] = f"{100 * tainan / cases('year(onset) = 2015'):.0f}"
    named["yunlin"] = about(cases("year(onset) = 2023 AND county = 'Yunlin County'"))
    return named


def _firsts(tables: Tables) -> dict[str, str]:
    def first(column: str, where: str) -> tuple[object, int]:
        sql = f"SELECT {column}, sum(cases) AS n FROM cases WHERE {where} GROUP BY 1 ORDER BY n DESC, 1 LIMIT 1"  # noqa: S608 - ours
        found: tuple[object, int] = tables.rows(sql)[0]
        return found

    day, most = first("strftime(onset, '%-d %B %Y')", "true")
    country, brought = first("country", "imported = 'Y' AND country IS NOT NULL")
    district, _ = first("township", "county = 'Kaohsiung City' AND year(onset) = 2014")
    names = {"top_day": str(day), "top_cases": str(most), "district": str(district).replace("Dist.", "District")}
    return names | {"country": str(country).title(), "brought": about(brought)}


def all_notes(tables: Tables) -> tuple[Note, ...]:
    """The notes with their figures filled in, newest first."""
    known = figures(tables)
    return tuple(
        Note(
            slug=note.slug, number=note.number, title=note.title, dated=note.dated, years=note.years,
            paragraphs=tuple(text.format_map(known) for text in note.paragraphs),
        )
        for note in NOTES
    )  # fmt: skip
