"""Articles on ice cores: EPICA Dome C by spans of 100,000 years, the composite, and the gases of Law Dome."""

from sites_docker.air_and_ice.article import BASE_DOME, BEFORE_1950, Article, fig, h, p, plain
from sites_docker.air_and_ice.deep_plots import GASES, span_of
from sites_docker.air_and_ice.plots import DOME_SPANS, STEP, Plot
from sites_docker.air_and_ice.records import Records, Sample, mean, signed, thousands
from sites_docker.air_and_ice.words import PLOT_HINT

GAS_AGE = "Air is younger than the ice around it; the two pictures are on the dates of air and of ice."
YEARS_CE = "Years are counted CE; a minus sign is BCE, and there is a year 0."
LAW = "Law Dome lies near the coast of East Antarctica, where much snow falls: its layers are thick and well dated."
GAS_TEXT = {
    "CO2": "For most of two thousand years the line hardly leaves a band of a few parts in a hundred. Its dip in the "
    "seventeenth century has been linked to forests that grew back, and to a colder ocean.",
    "CH4": "Methane comes from swamps, rice fields, cattle and leaking pipes. It reacts to people earlier than carbon "
    "dioxide does, and lasts about a decade in the air, not centuries.",
    "N2O": "Nitrous oxide comes from soils, and from fertiliser that soils could not use. It is the slowest of the "
    "three lines and, beside its own rise, the one with the most scatter, because the ice keeps it less well.",
}


def ice_articles(records: Records, plots: dict[str, Plot]) -> list[Article]:
    """Composite, revision, gases, then Dome C from the youngest span to the oldest."""
    return [
        _composite(records, plots),
        _lowest(plots),
        _three(records, plots),
        *(_gas(records, plots, gas) for gas in GASES),
        *(_dome(records, plots, first, last) for first, last in DOME_SPANS),
    ]


def _extreme(samples: list[Sample], *, high: bool) -> str:
    pick = max if high else min
    found = pick(samples, key=lambda sample: sample.value)
    return f"{plain(found.value, 1)} ppm at an age of {thousands(found.age)} years"


def _dome(records: Records, plots: dict[str, Plot], first: int, last: int) -> Article:
    gas, ice = span_of(records.dome_co2, first, last), span_of(records.dome_temp, first, last)
    warm, cold = max(s.value for s in ice), min(s.value for s in ice)
    spacing = last * 1000 - first * 1000
    return Article(
        section="ice", slug=f"dome-c-{first}-{last}", kicker="EPICA Dome C",
        title=f"Dome C, {first} to {last} thousand years ago",
        stand="What the air held, and how cold it was where it was shut in.",
        parts=(
            p("The core of the European Project for Ice Coring in Antarctica was drilled at Dome C, on the plateau of "
              "East Antarctica, more than three thousand metres deep. Bubbles give the air, heavy hydrogen in the ice "
              "gives the temperature."),
            p(f"For this span the gas was measured in {len(gas)} samples, one for every {spacing / len(gas):.0f} years "
              f"on average, and the ice in {len(ice)} slices."),
            fig(
                plots[f"dome-c-{first}-{last}-co2"],
                f"Carbon dioxide, record of 2008. Highest sample {_extreme(gas, high=True)}, lowest "
                f"{_extreme(gas, high=False)} (note 1).",
            ),
            h("Cold and warm"),
            p(f"We draw the temperature as means of {STEP} years; single slices go further up and down than the line."),
            fig(
                plots[f"dome-c-{first}-{last}-temp"],
                f"Temperature at Dome C. Warmest slice {signed(warm)} °C, coldest {signed(cold)} °C (note 2).",
            ),
            p(PLOT_HINT),
        ),
        notes=(BEFORE_1950, BASE_DOME, GAS_AGE), editions=("dome-c-2008",),
    )  # fmt: skip


def _composite(records: Records, plots: dict[str, Plot]) -> Article:
    low, high = (pick(records.composite, key=lambda row: row[1]) for pick in (min, max))
    older = [row for row in records.composite if row[0] < 1750]
    top = max(older, key=lambda row: row[1])
    return Article(
        section="ice", slug="eight-hundred-thousand-years", kicker="The composite",
        title="Eight hundred thousand years of air",
        stand="One line made of many cores, from ice eight hundred thousand years old to the year 2001.",
        parts=(
            p("No single core gives the whole line. Dome C reaches back the furthest, other cores have more snow and "
              "so finer layers. The composite takes each stretch from the core that keeps it best."),
            fig(
                plots["composite-all"],
                f"Carbon dioxide in Antarctic ice. Lowest value {plain(low[1])} ppm, in the year {thousands(low[0])}; "
                f"highest before 1750 {plain(top[1])} ppm, in the year {thousands(top[0])} (note 1).",
            ),
            p(f"The line holds {len(records.composite)} values. Eight times it climbs out of a cold age and falls back "
              f"into one. Its end, {plain(high[1], 0)} ppm in the year {high[0]}, is no longer set by ice ages."),
            p(PLOT_HINT),
        ),
        notes=(YEARS_CE, "Values are parts per million of dry air (ppm)."), editions=("composite-2015",),
    )  # fmt: skip


def _lowest(plots: dict[str, Plot]) -> Article:
    return Article(
        section="ice", slug="the-lowest-value-moved", kicker="Revised", title="The lowest value moved",
        stand="A number of many textbooks was measured again. On the whole the oldest part came out higher.",
        parts=(
            p("When the oldest part of the Dome C core was published in 2008, one of its samples held the lowest share "
              "of carbon dioxide ever found in ice. The number was quoted everywhere."),
            p("Later measurements showed that the method used for that stretch of the core had not got all of the air "
              "out of the ice. The composite of 2015 uses corrected values, on a newer time scale: a sample that was "
              "measured twice has two values and two ages."),
            fig(plots["composite-revised"], "Two lines for one stretch of ice: the record of 2008 and the composite."),
            p("The values themselves, with their dates, are in the captions of the articles on each record. Mind how "
              "the two count time: one has ages, the other years. The page on baselines and dates tells how to get "
              "from one to the other."),
        ),
        notes=(BEFORE_1950,), editions=("dome-c-2008", "composite-2015"),
    )  # fmt: skip


def _three(records: Records, plots: dict[str, Plot]) -> Article:
    first, last = 1720, 2000
    held = {gas: (series[first], series[last]) for gas, series in records.law_dome.items()}
    grown = {gas: f"{100 * (end / start - 1):.0f}" for gas, (start, end) in held.items()}
    amounts = "; ".join(
        f"{GASES[gas][1].lower()} {plain(start, 1)} and {plain(end, 1)} {GASES[gas][2]}"
        for gas, (start, end) in held.items()
    )
    return Article(
        section="ice", slug="three-gases", kicker="Law Dome", title="Three gases since 1720",
        stand="Put on one scale, methane runs away from the others. In molecules it stays the rarest but one.",
        parts=(
            p("To compare three gases that differ a thousandfold in amount, we set each to 100 in the year 1720, "
              "long before coal was burned in quantity."),
            fig(plots["law-dome-index"], f"Law Dome, every twenty years. In {first} and {last}: {amounts} (note 2)."),
            p(f"In {last - first} years carbon dioxide grew by {grown['CO2']} per cent, methane by {grown['CH4']} and "
              f"nitrous oxide by {grown['N2O']}. Growth is not weight: a per cent of carbon dioxide is far more gas "
              "than a per cent of methane."),
            p(PLOT_HINT),
        ),
        notes=(LAW, "Parts per million (ppm) and parts per billion (ppb) are explained in the glossary."),
        editions=("law-dome-2006",),
    )  # fmt: skip


def _gas(records: Records, plots: dict[str, Plot], gas: str) -> Article:
    slug, name, unit, _, _ = GASES[gas]
    series = records.law_dome[gas]
    early = [value for year, value in series.items() if year <= 1000]
    return Article(
        section="ice", slug=f"law-dome-{slug}", kicker="Law Dome", title=f"{name} in two thousand years of snow",
        stand="A core from the coast of East Antarctica, read once every twenty years.",
        parts=(
            p(GAS_TEXT[gas]),
            fig(
                plots[f"law-dome-{slug}"],
                f"{name} at Law Dome. Mean of the values up to the year 1000: {plain(mean(early), 1)} {unit}; lowest "
                f"of all {plain(min(series.values()), 1)} {unit}.",
            ),
            p(f"The picture has {len(series)} points. Between them the air was measured more often; our source keeps "
              "one value in twenty years."),
            p(PLOT_HINT),
        ),
        notes=(LAW, f"Amounts are in {unit} of dry air."), editions=("law-dome-2006",),
    )  # fmt: skip
