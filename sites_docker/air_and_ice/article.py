"""What an article is, and the small words that all of them share."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

from sites_docker.air_and_ice.plots import Plot

NEWEST = date(2024, 4, 15)
BASE_GISS = "Temperatures are differences from the mean of 1951 to 1980, the baseline of both GISS editions."
BASE_LONG = "Temperatures are differences from the mean of 1901 to 2000, the baseline of the long series."
BASE_DOME = "Temperatures are differences from the mean of the last 1000 years of the core."
BEFORE_1950 = "Ages are years before 1950."


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A picture in an article. Values that are not in `caption` can only be read off the picture."""

    plot: Plot
    caption: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A paragraph, a heading or a figure."""

    kind: Literal["p", "h", "figure"]
    text: str = ""
    figure: Figure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One article. `url` is `/<section>/<slug>`; `editions` name the pages of the data it draws on."""

    section: str
    slug: str
    title: str
    stand: str
    parts: tuple[Part, ...]
    notes: tuple[str, ...]
    editions: tuple[str, ...]
    kicker: str = ""

    @property
    def url(self) -> str:
        return f"/{self.section}/{self.slug}"

    @property
    def figures(self) -> list[Figure]:
        return [part.figure for part in self.parts if part.figure is not None]


def p(text: str) -> Part:
    """A paragraph."""
    return Part(kind="p", text=text)


def h(text: str) -> Part:
    """A heading."""
    return Part(kind="h", text=text)


def fig(plot: Plot, caption: str) -> Part:
    """A figure."""
    return Part(kind="figure", figure=Figure(plot=plot, caption=caption))


def dated(articles: Iterable[Article]) -> dict[str, date]:
    """Url -> day of publication: the portal's own calendar, four days apart, newest first."""
    return {article.url: NEWEST - timedelta(days=4 * place) for place, article in enumerate(articles)}


def plain(value: float, digits: int = 2) -> str:
    """A mean with halves rounded away from zero, whatever the last binary digit says."""
    exact = Decimal(repr(round(value, 9)))
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}".replace("-", "−")
