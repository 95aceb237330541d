"""The Air and Ice portal: long articles with pictures, and pages on method, editions and terms."""

from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sites_docker.air_and_ice.article import Article, dated
from sites_docker.air_and_ice.carbon import carbon_articles
from sites_docker.air_and_ice.deep_plots import deep_plots
from sites_docker.air_and_ice.editions import editions, offsets
from sites_docker.air_and_ice.features import feature_articles
from sites_docker.air_and_ice.ice import ice_articles
from sites_docker.air_and_ice.plots import HEIGHT, WIDTH, all_plots
from sites_docker.air_and_ice.records import Records
from sites_docker.air_and_ice.temperature import temperature_articles
from sites_docker.air_and_ice.words import CORRECTIONS, GLOSSARY
from sites_docker.kit.facts import read_facts
from sites_docker.kit.noise import Noise, Sponsor
from sites_docker.kit.pages import Pages, make_app
from sites_docker.kit.paging import paged
from sites_docker.kit.search import Entry, Index

SECTIONS = {
    "temperature": ("Temperature", "How warm the globe was, decade by decade, and where it was warm."),
    "carbon": ("Carbon dioxide", "What two laboratories read on a mountain and at the Pole."),
    "ice": ("Ice", "Air that was shut in before anyone could measure it."),
    "features": ("Features", "One series against another, one edition against the next."),
}
NAV = (
    *((f"/{slug}", name) for slug, (name, _) in SECTIONS.items()),
    ("/editions", "Editions"),
    ("/methodology", "Method"),
    ("/glossary", "Glossary"),
    ("/archive", "All articles"),
)
SIMPLE = {
    "/editions": ("editions.html", "Editions of the data"),
    "/methodology": ("methodology.html", "How we work"),
    "/methodology/baselines": ("baselines.html", "Baselines and dates"),
    "/methodology/pictures": ("reading.html", "How to read our pictures"),
    "/glossary": ("glossary.html", "Glossary"),
    "/corrections": ("corrections.html", "Corrections"),
    "/sources": ("sources.html", "Sources and licences"),
    "/about": ("about.html", "About Air and Ice"),
    "/contact": ("contact.html", "Contact"),
    "/letter": ("letter.html", "The letter"),
}
NOISE = Noise(
    cookies="bar",
    cookie_text="Air and Ice keeps one cookie, so that this line does not come back.",
    cookie_button="Fine by me",
    newsletter_after=3,
    newsletter_title="One picture a week",
    newsletter_text="Our letter has one picture and one paragraph. This demonstration portal sends nothing.",
    newsletter_close="Not now",
    sponsors=(
        Sponsor(
            title="Firn & Sons, cold rooms", text="Invented shop. Nothing melts here since page one.", url="/about"
        ),
    ),
)


class Portal:
    """What all pages need, and one method a kind of page."""

    def __init__(self, folder: Path, frozen: datetime) -> None:
        self.facts = read_facts(folder, frozen)
        self.records = Records(folder)
        plots = {**all_plots(self.records), **deep_plots(self.records)}
        self.articles: list[Article] = [
            *ice_articles(self.records, plots),
            *feature_articles(self.records, plots),
            *temperature_articles(self.records, plots),
            *carbon_articles(self.records, plots),
        ]
        self.dates = dated(_mixed(self.articles))
        self.by_url = {article.url: article for article in self.articles}
        self.figures = {figure.plot.slug: (article, figure) for article in self.articles for figure in article.figures}
        self.editions = editions(self.records)
        self.pages = Pages(
            self.facts, NAV, NOISE, sections=SECTIONS, dates=self.dates, glossary=GLOSSARY, corrections=CORRECTIONS,
            editions=self.editions, offsets=offsets(self.records), width=WIDTH, height=HEIGHT, day=_day,
        )  # fmt: skip

    def index(self) -> Index:
        """Articles, pictures, editions, terms and fixed pages."""
        found = [Entry(title=title, url=path, rank=4) for path, (_, title) in SIMPLE.items()]
        found += [Entry(title=name, url=f"/{slug}", kind="Section", rank=3) for slug, (name, _) in SECTIONS.items()]
        for article in self.articles:
            body = " ".join(part.text for part in article.parts if part.text)
            years = " ".join(str(int(article.slug[:4]) + n) for n in range(10)) if article.slug[:4].isdigit() else ""
            found.append(
                Entry(
                    title=article.title, url=article.url, kind=article.kicker, note=article.stand,
                    text=f"{body} {years}", rank=1,
                )
            )  # fmt: skip
        found += [
            Entry(title=figure.plot.title, url=f"/figures/{slug}", kind="Picture", rank=6)
            for slug, (_, figure) in self.figures.items()
        ]
        found += [
            Entry(title=edition.title, url=f"/editions/{edition.slug}", kind="Edition", note=edition.span, rank=2)
            for edition in self.editions
        ]
        found += [
            Entry(title=title, url=f"/glossary/{slug}", kind="Term", text=text, rank=3)
            for slug, (title, text) in GLOSSARY.items()
        ]
        return Index(found)

    def newest(self) -> list[Article]:
        return sorted(self.articles, key=lambda article: self.dates[article.url], reverse=True)

    def home(self, request: Request) -> Response:
        return self.pages.page(request, "home.html", newest=self.newest())

    def section(self, request: Request) -> Response:
        slug = request.url.path.strip("/")
        listed = [article for article in self.articles if article.section == slug]
        groups = {kicker: [a for a in listed if a.kicker == kicker] for kicker in Counter(a.kicker for a in listed)}
        return self.pages.page(request, "section.html", slug=slug, groups=groups)

    def article(self, request: Request) -> Response:
        found = self.by_url.get(request.url.path)
        if found is None:
            raise HTTPException(404)
        row = [article for article in self.articles if article.section == found.section]
        place = row.index(found)
        used = [edition for edition in self.editions if edition.slug in found.editions]
        return self.pages.page(
            request, "article.html", article=found, used=used, before=row[place - 1] if place else None,
            after=row[place + 1] if place + 1 < len(row) else None,
        )  # fmt: skip

    def figure(self, request: Request) -> Response:
        slug = request.path_params["slug"]
        if slug not in self.figures:
            raise HTTPException(404)
        article, figure = self.figures[slug]
        return self.pages.page(request, "figure.html", article=article, figure=figure)

    def edition(self, request: Request) -> Response:
        found = next((edition for edition in self.editions if edition.slug == request.path_params["slug"]), None)
        if found is None:
            raise HTTPException(404)
        using = [article for article in self.articles if found.slug in article.editions]
        later = next((edition for edition in self.editions if edition.slug == found.superseded), None)
        return self.pages.page(request, "edition.html", edition=found, using=using, later=later)

    def term(self, request: Request) -> Response:
        slug = request.path_params["slug"]
        if slug not in GLOSSARY:
            raise HTTPException(404)
        return self.pages.page(request, "term.html", slug=slug, title=GLOSSARY[slug][0], text=GLOSSARY[slug][1])

    def archive(self, request: Request) -> Response:
        return self.pages.page(request, "archive.html", sheet=paged(request, self.newest(), 15))


def _mixed(articles: list[Article]) -> list[Article]:
    """The order of publication: sections in turn, as an editor would have it."""
    queues: dict[str, list[Article]] = {}
    for article in articles:
        queues.setdefault(article.section, []).append(article)
    return [queue[place] for place in range(len(articles)) for queue in queues.values() if place < len(queue)]


def _day(moment: Any) -> str:
    return f"{moment.day} {moment:%B %Y}"


def create_app(folder: Path, frozen: datetime) -> Starlette:
    """The site's application. `folder` holds site.toml, data, templates and static."""
    portal = Portal(folder, frozen)
    routes: list[BaseRoute] = [
        Route("/", portal.home),
        *(Route(path, portal.pages.simple(template)) for path, (template, _) in SIMPLE.items()),
        Route("/archive", portal.archive),
        Route("/figures/{slug}", portal.figure),
        Route("/editions/{slug}", portal.edition),
        Route("/glossary/{slug}", portal.term),
        *(Route(f"/{slug}", portal.section) for slug in SECTIONS),
        *(Route(f"/{slug}/{{slug}}", portal.article) for slug in SECTIONS),
    ]
    return make_app(portal.pages, routes, portal.index())
