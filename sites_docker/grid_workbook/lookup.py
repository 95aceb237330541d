"""The site's search: every word of the query must occur in an entry; areas and titles come first."""

from dataclasses import dataclass

from sites_docker.grid_workbook.grid import SECTORS, Grid
from sites_docker.grid_workbook.press import Note
from sites_docker.grid_workbook.workbooks import address


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something that search can find."""

    kind: str
    title: str
    url: str
    text: str
    rank: int
    """Lower comes first among entries that match equally well."""


FIXED = (
    ("Methodology", "/methodology", "definitions units thousand megawatthours sectors totals NM -- marks rounding"),
    ("Reading the workbooks", "/methodology/workbooks", "sheets headings hidden columns contents notes xlsx"),
    ("Sectors", "/methodology/sectors", "electric utility independent power producers commercial industrial"),
    ("About this portal", "/about", "demonstration portal origin licence"),
    ("Data", "/data", "downloads workbooks all areas csv"),
    ("Archive of editions", "/archive", "editions earlier vintages"),
    ("Releases", "/releases", "editions release"),
    ("Attribution", "/attribution", "source licence public domain MIT package"),
)


def entries_of(grid: Grid, notes: tuple[Note, ...]) -> tuple[Entry, ...]:
    """Areas, series (leading to the workbook that holds them), press notes, releases and fixed pages."""
    found = [Entry(kind="Page", title=title, url=url, text=text, rank=2) for title, url, text in FIXED]
    for area in grid.areas:
        text = f"{area.level} {area.division} workbook generation"
        found.append(Entry(kind="Area", title=area.name, url=area_url(area.level, area.slug), text=text, rank=0))
        for sector in SECTORS:
            series = f"{area.name}: {sector}"
            url = address(area.slug, grid.current)
            found.append(Entry(kind="Series in workbook (XLSX)", title=series, url=url, text="series", rank=3))
    for note in notes:
        body = " ".join((note.lead, *note.paragraphs))
        found.append(Entry(kind="Press note", title=note.title, url=f"/press/{note.slug}", text=body, rank=1))
    for edition in grid.editions:
        url = f"/releases/{edition.id}"
        found.append(Entry(kind="Release", title=edition.title, url=url, text="release edition", rank=2))
    return tuple(found)


def area_url(level: str, slug: str) -> str:
    """Path of an area's page."""
    return {"nation": "/united-states", "division": f"/divisions/{slug}"}.get(level, f"/states/{slug}")


def search(entries: tuple[Entry, ...], query: str) -> tuple[Entry, ...]:
    """Entries that hold every word of the query, best first; at most 40. An empty query finds nothing."""
    words = query.lower().split()
    if not words:
        return ()
    scored = [(score(entry, words), entry) for entry in entries]
    ranked = sorted((pair for pair in scored if pair[0] is not None), key=lambda pair: pair[0] or (0, 0, ""))
    return tuple(entry for _, entry in ranked[:40])


def score(entry: Entry, words: list[str]) -> tuple[int, int, str] | None:
    """Sort key of a match (hits outside the title, rank, title), or None where a word is missing."""
    title, whole = entry.title.lower(), f"{entry.title} {entry.text}".lower()
    if not all(word in whole for word in words):
        return None
    return (sum(word not in title for word in words), entry.rank, entry.title)
