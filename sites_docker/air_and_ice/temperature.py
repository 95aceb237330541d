"""Articles on temperature: one a decade of the GISS index, and the long series by half-centuries."""

from itertools import pairwise
from math import ceil
from statistics import pstdev

from sites_docker.air_and_ice.article import BASE_GISS, BASE_LONG, Article, fig, h, p, plain
from sites_docker.air_and_ice.plots import DECADES, ERAS, Plot
from sites_docker.air_and_ice.records import Records, between, mean, signed
from sites_docker.air_and_ice.words import DECADES as BACKGROUND
from sites_docker.air_and_ice.words import PLOT_HINT

MONTH_NOTE = "Months are those of edition 2022; edition 2023 reached us by years only."
YEAR_NOTE = (
    "A year of edition 2022 is the mean of its twelve months as computed, not rounded; a year of edition 2023 is drawn "
    "with the two decimals that it was published with."
)


def temperature_articles(records: Records, plots: dict[str, Plot]) -> list[Article]:
    """Decades, newest first, then the eras of the long series."""
    decades = [_decade(records, plots, decade) for decade in reversed(DECADES)]
    return [*decades, *(_era(records, plots, first, last) for first, last in reversed(ERAS))]


def _decade(records: Records, plots: dict[str, Plot], decade: int) -> Article:
    months = between(records.giss_months, f"{decade}-01", f"{decade + 9}-12")
    years = between(records.giss_years, decade, decade + 9)
    values = list(months.values())
    above = sum(value > 0 for value in values)
    highest, lowest = (f"{signed(v)} °C" for v in (max(values), min(values)))
    span = "decade" if len(years) == 10 else f"{len(years)} years {min(years)} to {max(years)}"
    return Article(
        section="temperature", slug=f"{decade}s", kicker="Decade by decade", title=f"The {decade}s, month by month",
        stand=_stand(len(values), above, records, decade),
        parts=(
            p(BACKGROUND[decade]),
            p(f"Of the {len(values)} months in the picture below, {above} lie above the zero line. {_spread(values)}"),
            fig(
                plots[f"giss-{decade}s-months"],
                f"Global temperature by month. The highest bar stands at {highest}, the lowest at {lowest}.",
            ),
            p(PLOT_HINT),
            h("The same years in two editions"),
            p(_two_editions(records, decade)),
            fig(
                plots[f"giss-{decade}s-years"],
                f"Yearly means. Mean of the {span} in edition 2022: {plain(mean(years.values()), 3)} °C.",
            ),
            p(_against(records, decade)),
        ),
        notes=(BASE_GISS, MONTH_NOTE, YEAR_NOTE), editions=("giss-2022", "giss-2023"),
    )  # fmt: skip


def _stand(count: int, above: int, records: Records, decade: int) -> str:
    share = above / count
    if share > 0.9:
        level = "almost every month is above the baseline"
    elif share > 0.5:
        level = "more months are above the baseline than below it"
    else:
        level = "most months are below the baseline"
    first = min(records.giss_months)[:4]
    opening = f"The record starts in {first}. " if decade == int(first) else ""
    return f"{opening}In this decade {level}; the picture shows which."


def _spread(values: list[float]) -> str:
    jumps = [abs(b - a) for a, b in pairwise(values)]
    middle = mean(values)
    within = sorted(abs(value - middle) for value in values)[ceil(len(values) * 2 / 3) - 1]
    return (
        f"From one month to the next the mean moves by {mean(jumps):.1f} °C on average and by {max(jumps):.1f} °C at "
        f"most; two thirds of the months lie within {within:.2f} °C of the middle."
    )


def _two_editions(records: Records, decade: int) -> str:
    new = between(records.giss_2023, decade, decade + 9)
    extra = sorted(set(new) - set(records.giss_years))
    more = f" The year {extra[0]} stands in edition 2023 alone." if extra else ""
    return (
        "Squares are the means of edition 2022, dots those of edition 2023. Where a dot covers the middle of its "
        f"square, the later edition left the year where it was.{more}"
    )


def _against(records: Records, decade: int) -> str:
    if decade == DECADES[0]:
        return "There is no decade before this one to compare it with; the long series reaches back to 1850."
    now, before = (mean(between(records.giss_years, d, d + 9).values()) for d in (decade, decade - 10))
    if abs(now - before) < 0.05:
        return f"The means of this decade and of the {decade - 10}s are within five hundredths of a degree."
    word = "warmer" if now > before else "colder"
    return f"On average the years are {abs(now - before):.1f} °C {word} than those of the {decade - 10}s."


def _era(records: Records, plots: dict[str, Plot], first: int, last: int) -> Article:
    part = {name: between(series, first, last) for name, series in records.long.items()}
    swing = {name: pstdev(values.values()) for name, values in part.items()}
    wider = swing["land"] / swing["ocean"]
    gap = mean(part["land"].values()) - mean(part["ocean"].values())
    side = "warmer" if gap > 0 else "colder"
    return Article(
        section="temperature", slug=f"land-and-ocean-{first}-{last}", kicker="The long series",
        title=f"Land and ocean, {first} to {last}",
        stand="Three lines: the land, the ocean, and both together weighted by area.",
        parts=(
            p("The long series starts thirty years before the GISS index and keeps land and ocean apart. Water takes "
              "up heat slowly and mixes it down, soil and rock do not: the line of the land swings more."),
            p(f"In these {len(part['both'])} years the land swings {wider:.1f} times as widely as the ocean, measured "
              f"by the standard deviation of the years, and lies {abs(gap):.1f} °C {side} relative to its own base."),
            fig(
                plots[f"long-{first}-{last}"],
                f"Yearly means of the long series. Over the whole span the land has a mean of "
                f"{plain(mean(part['land'].values()), 3)} °C and the ocean one of "
                f"{plain(mean(part['ocean'].values()), 3)} °C.",
            ),
            p("Before comparing a year here with the same year of a GISS edition, bring both to one baseline: the "
              "zero lines of the two are different. The page on baselines has the means that are needed."),
            p(PLOT_HINT),
        ),
        notes=(BASE_LONG, "The line of both is not the mean of the other two: there is more ocean than land."),
        editions=("long-2023",),
    )  # fmt: skip
