"""The Grid Workbook portal: pages over the extract, and workbooks made on request.

No clock, no network, no state: every date comes from the frozen instant that `create_app` is given.
"""

import csv
import io
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from sites_docker.grid_workbook import charts
from sites_docker.grid_workbook.grid import SECTORS, WITHHELD, Area, Edition, Grid, long_month, years_of
from sites_docker.grid_workbook.lookup import area_url, entries_of, search
from sites_docker.grid_workbook.press import change, millions, press_notes
from sites_docker.grid_workbook.sheets import NOTES
from sites_docker.grid_workbook.workbooks import ALL_AREAS, Shelf, address, file_name, mark_words

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
LAST_YEAR = "2021"
QUERY_LIMIT = 200
SIMPLE_PAGES = {
    "/about": "about.html",
    "/attribution": "attribution.html",
    "/methodology": "methodology.html",
    "/methodology/sectors": "sectors.html",
    "/methodology/workbooks": "reading.html",
    "/contact": "contact.html",
    "/accessibility": "accessibility.html",
}

type View = Callable[[Request], Response]


class Portal:
    """What all pages need, and one method a kind of page."""

    def __init__(self, folder: Path, frozen: datetime) -> None:
        self.grid = Grid(folder)
        self.frozen = frozen
        self.shelf = Shelf(self.grid, frozen)
        self.notes = press_notes(self.grid)
        self.entries = entries_of(self.grid, self.notes)
        self.templates = Environment(
            loader=FileSystemLoader(folder / "templates"), autoescape=True, undefined=StrictUndefined
        )
        self.templates.globals.update(
            address=address, area_url=lambda area: area_url(area.level, area.slug), words=mark_words,
            millions=millions, change=change, file_name=file_name, long_month=long_month, grid=self.grid,
            current=self.grid.current, today=f"{frozen.day} {frozen:%B %Y}", sectors=SECTORS, notes_rows=NOTES,
            all_areas=ALL_AREAS, last_year=LAST_YEAR,
        )  # fmt: skip

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        shown = self.templates.get_template(template).render(
            path=request.url.path, cookies_known="gw_notice" in request.cookies, **values
        )
        return HTMLResponse(shown, status_code=status)

    def simple(self, template: str) -> View:
        return lambda request: self.page(request, template)

    def home(self, request: Request) -> Response:
        nation = self.grid.by_name["United States"]
        return self.page(request, "home.html", notes=self.notes[:4], chart=self.chart(nation), nation=nation)

    def chart(self, area: Area) -> str:
        """Yearly totals of complete years in million MWh."""
        points = []
        for year in years_of(self.grid.months):
            if f"{year}-12" in self.grid.months:
                value = self.grid.year_total(area.name, "all sectors", year)
                points.append((year, value / 1000 if isinstance(value, int) else None))
        label = f"{area.name}: net generation by year in million megawatthours, {points[0][0]} to {points[-1][0]}"
        return charts.bars(points, label)

    def states(self, request: Request) -> Response:
        totals = {area.name: self.grid.year_total(area.name, "all sectors", LAST_YEAR) for area in self.grid.areas}
        tiles = []
        for code, (row, column, name) in charts.TILES.items():
            value = totals[name]
            level = charts.shade(value if isinstance(value, int) else None, (20_000, 50_000, 100_000, 200_000))
            tiles.append(
                {"code": code, "row": row + 1, "column": column + 1, "area": self.grid.by_name[name], "shade": level}
            )
        return self.page(request, "states.html", totals=totals, tiles=tiles)

    def area(self, request: Request) -> Response:
        area = self.grid.by_slug.get(request.path_params.get("slug", "united-states"))
        if area is None or area_url(area.level, area.slug) != request.url.path:
            raise HTTPException(404)
        recent = [(month, self.grid.value(area.name, "all sectors", month)) for month in self.grid.months[-6:]]
        notes = [note for note in self.notes if area.name in note.areas]
        siblings = self.grid.states_of(area.name if area.level == "division" else area.division)
        return self.page(
            request, "area.html", area=area, recent=recent[::-1], chart=self.chart(area), notes=notes,
            siblings=siblings if area.level != "nation" else self.grid.level("division"), facts=self.facts(area),
            withheld=self.grid.marks(area.name, LAST_YEAR, WITHHELD),
        )  # fmt: skip

    def facts(self, area: Area) -> dict[str, str]:
        """The tiles on an area's page, in words; a total that is withheld stays `NM`."""
        value = self.grid.year_total(area.name, "all sectors", LAST_YEAR)
        nation = self.grid.year_total("United States", "all sectors", LAST_YEAR)
        latest = self.grid.value(area.name, "all sectors", self.grid.current.last)
        facts = {"latest": millions(latest) if isinstance(latest, int) else WITHHELD}
        if not isinstance(value, int) or not isinstance(nation, int):
            return {**facts, "total": WITHHELD, "share": WITHHELD, "rank": "not ranked"}
        peers = [self.grid.year_total(peer.name, "all sectors", LAST_YEAR) for peer in self.grid.level(area.level)]
        higher = sum(isinstance(peer, int) and peer > value for peer in peers)
        rank = f"{higher + 1} of {len(peers)} {area.level}s" if area.level != "nation" else "the whole"
        return {**facts, "total": millions(value), "share": f"{value / nation * 100:.1f} %", "rank": rank}

    def data(self, request: Request) -> Response:
        return self.page(request, "data.html")

    def releases(self, request: Request) -> Response:
        return self.page(request, "releases.html")

    def release(self, request: Request) -> Response:
        edition = self.known_edition(request)
        year = edition.last[:4]
        top = sorted(
            (
                (self.grid.year_total(area.name, "all sectors", year, edition), area)
                for area in self.grid.level("state")
            ),
            key=lambda pair: pair[0] if isinstance(pair[0], int) else -1,
            reverse=True,
        )[:5]
        total = self.grid.year_total("United States", "all sectors", year, edition)
        return self.page(
            request, "release.html", edition=edition, year=year, top=top, total=total,
            held=self.grid.held(edition), notes=[note for note in self.notes if note.edition == edition.id],
        )  # fmt: skip

    def archive(self, request: Request) -> Response:
        return self.page(request, "archive.html")

    def archive_edition(self, request: Request) -> Response:
        return self.page(request, "edition.html", edition=self.known_edition(request))

    def archive_area(self, request: Request) -> Response:
        area = self.grid.by_slug.get(request.path_params["slug"])
        if area is None:
            raise HTTPException(404)
        return self.page(request, "area_editions.html", area=area)

    def known_edition(self, request: Request) -> Edition:
        edition = self.grid.edition(request.path_params["edition"])
        if edition is None:
            raise HTTPException(404)
        return edition

    def press(self, request: Request) -> Response:
        return self.page(request, "press.html", notes=self.notes)

    def note(self, request: Request) -> Response:
        found = next((note for note in self.notes if note.slug == request.path_params["slug"]), None)
        if found is None:
            raise HTTPException(404)
        related = [self.grid.by_name[name] for name in found.areas]
        return self.page(request, "note.html", note=found, related=related)

    def find(self, request: Request) -> Response:
        asked = request.query_params.get("q", "").strip()[:QUERY_LIMIT]
        return self.page(request, "search.html", asked=asked, found=search(self.entries, asked))

    def go(self, request: Request) -> Response:
        """The state picker on the home page, which works without scripts."""
        area = self.grid.by_slug.get(request.query_params.get("area", ""))
        return RedirectResponse(area_url(area.level, area.slug) if area else "/states", status_code=303)

    def workbook(self, request: Request) -> Response:
        name = request.path_params["name"]
        data = self.shelf.find(request.path_params["edition"], name)
        if data is None:
            raise HTTPException(404)
        return self.attachment(data, name, XLSX)

    def areas_csv(self, _request: Request) -> Response:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("area", "level", "division"))
        writer.writerows((area.name, area.level, area.division) for area in self.grid.areas)
        return self.attachment(text.getvalue().encode(), "grid-workbook_areas.csv", "text/csv; charset=utf-8")

    def attachment(self, data: bytes, name: str, media: str) -> Response:
        stamp = self.frozen.strftime("%a, %d %b %Y %H:%M:%S GMT")
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Last-Modified": stamp}
        return Response(data, media_type=media, headers=headers)

    def missing(self, request: Request, _error: Exception) -> Response:
        return self.page(request, "missing.html", status=404)


def routes(portal: Portal, folder: Path) -> list[BaseRoute]:
    """Every address of the site. Views are plain functions, so Starlette runs them in threads."""
    return [
        Route("/", portal.home),
        *(Route(path, portal.simple(template)) for path, template in SIMPLE_PAGES.items()),
        Route("/states", portal.states),
        Route("/states/{slug}", portal.area),
        Route("/divisions/{slug}", portal.area),
        Route("/united-states", portal.area),
        Route("/data", portal.data),
        Route("/data/grid-workbook_areas.csv", portal.areas_csv),
        Route("/releases", portal.releases),
        Route("/releases/{edition}", portal.release),
        Route("/archive", portal.archive),
        Route("/archive/area/{slug}", portal.archive_area),
        Route("/archive/{edition}", portal.archive_edition),
        Route("/press", portal.press),
        Route("/press/{slug}", portal.note),
        Route("/search", portal.find),
        Route("/go", portal.go),
        Route("/workbooks/{edition}/{name}", portal.workbook),
        Mount("/static", StaticFiles(directory=folder / "static")),
        Mount("/fonts", StaticFiles(directory=folder.parent / "kit" / "static" / "vendor" / "fonts")),
    ]


def create_app(folder: Path, frozen: datetime) -> Starlette:
    """The site's application. `folder` holds data, templates and static; `frozen` is the only clock it knows."""
    portal = Portal(folder, frozen)
    return Starlette(routes=routes(portal, folder), exception_handlers={404: portal.missing})
