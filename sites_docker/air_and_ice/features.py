"""Features: articles that set one series, station or edition against another."""

from itertools import combinations

from sites_docker.air_and_ice.article import BASE_GISS, BASE_LONG, Article, fig, h, p, plain
from sites_docker.air_and_ice.plots import Plot
from sites_docker.air_and_ice.records import Records, between, mean, means
from sites_docker.air_and_ice.words import PLOT_HINT

PPM = "Carbon dioxide is given in parts per million of dry air (ppm)."


def feature_articles(records: Records, plots: dict[str, Plot]) -> list[Article]:
    """All features, newest first."""
    return [
        _editions(records, plots),
        _warmest(records, plots),
        _land(records, plots),
        _laboratories(records, plots),
        _growth(records, plots),
        _seasons(plots),
    ]


def _editions(records: Records, plots: dict[str, Plot]) -> Article:
    moved = sum(value != 0 for value in records.revisions.values())
    largest = max(abs(value) for value in records.revisions.values())
    turned = _turned(records)
    return Article(
        section="features", slug="two-editions", kicker="Editions", title="Two editions of one past",
        stand="The year 1910 is over. Its temperature is not: between two editions of one series the past was moved.",
        parts=(
            p("Late reports arrive, stations are found to have been moved, a correction is improved: each edition of "
              "the index is computed anew from the first year on. We hold two of them, one that ends in 2022 and one "
              "that ends in 2023."),
            p("The editions come in different clothes. The earlier one has months, the later one has years with two "
              "decimals. To compare like with like we round the mean of twelve months to two decimals, halves away "
              "from zero, and call a year revised if it then differs."),
            fig(plots["giss-revisions-1880-1951"], "The later edition minus the earlier one, first half. A grey dot is "
                "a year that was not revised."),
            fig(plots["giss-revisions-1952-2022"], "The later edition minus the earlier one, second half. Small marks "
                "are single years."),
            p(f"In {len(records.revisions)} years that both editions have, {moved} were revised, none by more than "
              f"{largest} °C. That is less than the width of a dot in the two pictures of all years, and it is enough "
              f"to turn the order of {turned} pairs of years round."),
            p(PLOT_HINT),
        ),
        notes=("Differences do not depend on the baseline, which is the same in both editions.",
               "A revised year is defined in the glossary."),
        editions=("giss-2022", "giss-2023"),
    )  # fmt: skip


def _turned(records: Records) -> int:
    """Pairs of years of which one edition has the first as the warmer, the other the second, at two decimals."""
    years = [(records.rounded(year), records.giss_2023[year]) for year in records.giss_years]
    falls = sum(old > other and new < another for (old, new), (other, another) in combinations(years, 2))
    return falls + sum(old < other and new > another for (old, new), (other, another) in combinations(years, 2))


def _warmest(records: Records, plots: dict[str, Plot]) -> Article:
    old = max(records.giss_years, key=lambda year: records.giss_years[year])
    new = max(records.giss_2023, key=lambda year: records.giss_2023[year])
    both = between(records.giss_2023, 1880, 2022)
    tied = [str(year) for year, value in both.items() if value == max(both.values())]
    return Article(
        section="features", slug="which-year-was-the-warmest", kicker="Editions", title="Which year was the warmest?",
        stand="An honest answer needs the name of an edition.",
        parts=(
            p(f"In the edition that ends in 2022 the warmest year is {old}, in the one that ends in 2023 it is {new}."),
            fig(plots["giss-2022-all"], f"Edition 2022. The warmest year has a mean of "
                f"{plain(records.giss_years[old], 3)} °C."),
            p(f"Leave {new} aside and the later edition has no single answer: {' and '.join(tied)} are level at two "
              "decimals. In the earlier edition they are apart, by less than anybody can measure."),
            fig(plots["giss-2023-all"], f"Edition 2023. The warmest year has a value of "
                f"{plain(records.giss_2023[new])} °C."),
            p(PLOT_HINT),
        ),
        notes=(BASE_GISS,), editions=("giss-2022", "giss-2023"),
    )  # fmt: skip


def _land(records: Records, plots: dict[str, Plot]) -> Article:
    land, ocean = records.long["land"], records.long["ocean"]
    late = mean(land[year] - ocean[year] for year in range(2014, 2024))
    gap = {year: round(land[year] - ocean[year], 2) for year in land}
    first = next(year for year in gap if gap[year] >= 0)
    last = max(year for year in gap if gap[year] <= 0)
    return Article(
        section="features", slug="land-runs-ahead", kicker="The long series", title="The land runs ahead",
        stand="Everyone lives on land. The global mean is mostly water.",
        parts=(
            p(f"The land's anomaly lay below the ocean's in every year up to {first - 1}. For most of the twentieth "
              f"century the difference was small and changed its sign. From {last + 1} on it is above zero in every "
              "year, and it has grown since."),
            fig(plots["long-gap"], f"Land minus ocean. Mean of the ten years 2014 to 2023: {plain(late, 3)} °C."),
            p("A degree of global warming is therefore more than a degree where fields and towns are."),
            p(PLOT_HINT),
        ),
        notes=(BASE_LONG,), editions=("long-2023",),
    )  # fmt: skip


def _laboratories(records: Records, plots: dict[str, Plot]) -> Article:
    ours, theirs = means(records.noaa["Mauna Loa"]), means(records.scripps)
    gaps = {year: value - theirs[year] for year, value in ours.items()}
    widest = max(abs(gap) for gap in gaps.values())
    return Article(
        section="features", slug="two-laboratories", kicker="Stations", title="Two laboratories on one mountain",
        stand="They breathe the same air and do not get the same number.",
        parts=(
            p("Scripps and NOAA measure beside each other on Mauna Loa, each against its own bottles of known gas. "
              "Their yearly means differ by less than a quarter of a part per million, now one way and now the other."),
            fig(plots["two-laboratories"], f"Yearly means of NOAA minus those of Scripps, 1988 to 2017. The widest gap "
                f"is {plain(widest)} ppm; the mean of all gaps is {plain(mean(gaps.values()))} ppm."),
            p("For the rise of a decade the difference does not matter. For the month in which a threshold was crossed "
              "it can: say which laboratory you mean."),
            p(PLOT_HINT),
        ),
        notes=(PPM, "Only years with twelve months in both records are compared."),
        editions=("scripps-2020", "noaa-2017"),
    )  # fmt: skip


def _growth(records: Records, plots: dict[str, Plot]) -> Article:
    whole = means(records.scripps)
    rise = {year: value - whole[year - 1] for year, value in whole.items() if year - 1 in whole}
    return Article(
        section="features", slug="how-fast-it-rises", kicker="Stations", title="How fast it rises",
        stand="Not one year of the record has a yearly mean below that of the year before.",
        parts=(
            p("Each bar is the yearly mean less the yearly mean before it. Years of El Niño stand out, because dry "
              "tropical forests take up less and burn more."),
            fig(plots["scripps-growth"], f"Rise of the yearly mean, Mauna Loa, Scripps. Mean of all bars "
                f"{plain(mean(rise.values()))} ppm a year."),
            p("Two bars are missing: a year with fewer than twelve months has no yearly mean, and neither that year "
              "nor the next can be drawn."),
            p(PLOT_HINT),
        ),
        notes=(PPM, "Yearly means are formed of twelve months only."), editions=("scripps-2020",),
    )  # fmt: skip


def _seasons(plots: dict[str, Plot]) -> Article:
    return Article(
        section="features", slug="the-breath-of-a-planet", kicker="Stations", title="The breath of a planet",
        stand="In the north the air is richest in May, in the south half a year later. The north breathes deeper.",
        parts=(
            p("Most land, and so most forest, lies in the northern hemisphere. In its summer the leaves draw carbon "
              "dioxide down, in its winter rotting gives it back."),
            fig(plots["seasons"], "Mean of each calendar month over 1988 to 2016, less the mean of its year."),
            h("Why the Pole is so calm"),
            p("The swing at the South Pole is partly the echo of the north, which needs months to cross the equator, "
              "and partly the smaller breath of southern lands and seas."),
            p(PLOT_HINT),
        ),
        notes=(PPM, "The rise within a year is part of the swing that is drawn."), editions=("noaa-2017",),
    )  # fmt: skip
