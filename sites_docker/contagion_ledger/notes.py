"""Notes like those of a press office. Every figure is computed from the extract, rounded, and as reported."""

from dataclasses import dataclass

from sites_docker.contagion_ledger.ledger import FULL, Ledger, Line, Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One note; `dated` is the day it pretends to have come out, in words. Paragraphs hold {names} of figures."""

    slug: str
    title: str
    dated: str
    disease: str
    areas: tuple[str, ...] = ()
    paragraphs: tuple[str, ...]


NOTES = (
    Note(
        slug="alaska-and-hawaii",
        title="Why Alaska and Hawaii begin late",
        dated="2 October 2023",
        disease="",
        areas=("Alaska", "Hawaii"),
        paragraphs=(
            "Both became states in 1959. The source has no population for them before 1960.",
            "Where a territory sent reports all the same, the sheets show an outline instead of a colour.",
        ),
    ),
    Note(
        slug="measles-1990",
        title="The measles of 1990",
        dated="2 October 2023",
        disease="Measles",
        areas=("California",),
        paragraphs=("California reported {california} cases of measles in 1990, {california_share} percent of all.",),
    ),
    Note(
        slug="whooping-cough-lowest",
        title="Whooping cough: the low of the 1970s",
        dated="25 September 2023",
        disease="Pertussis",
        paragraphs=(
            "No year on the pertussis sheet has fewer cases than {pertussis_low}: {pertussis_cases}.",
            "In 2005 there were {pertussis_2005}, in more weeks and from more areas.",
        ),
    ),
    Note(
        slug="mumps-returns",
        title="Mumps returns, 1986 and 1987",
        dated="18 September 2023",
        disease="Mumps",
        areas=("Illinois",),
        paragraphs=(
            "All areas reported {mumps_1985} cases of mumps in 1985 and {mumps_1987} in 1987.",
            "{mumps_top} reported most in 1987, {mumps_most}.",
        ),
    ),
    Note(
        slug="rubella-peak",
        title="Rubella before and after its vaccine",
        dated="11 September 2023",
        disease="Rubella",
        paragraphs=("From {rubella_1969} cases in 1969, rubella fell to {rubella_1979} in 1979.",),
    ),
    Note(
        slug="smallpox-leaves",
        title="Smallpox leaves the ledger",
        dated="4 September 2023",
        disease="Smallpox",
        paragraphs=(
            "In 1930 all areas reported {smallpox_1930} cases of smallpox; in 1945, {smallpox_1945}.",
            "From 1949 most areas stopped sending weekly reports. An empty cell of these years is not a zero.",
        ),
    ),
    Note(
        slug="reading-thin-years",
        title="Read the weeks before the cases",
        dated="21 August 2023",
        disease="",
        paragraphs=(
            "Of the {lines} lines of the ledger, {short} percent come from fewer than 52 weekly reports.",
            "{silent} come from none at all: there the ledger says no report, never zero.",
            "A year with few reports can look like a year with few cases. The methodology says what we do about it.",
        ),
    ),
    Note(
        slug="before-and-after",
        title="Measles before and after 1963",
        dated="14 August 2023",
        disease="Measles",
        paragraphs=(
            "In 1958 all areas reported {measles_1958} cases of measles, ten years later {measles_1968}.",
            "The vaccine was licensed in between. Another rise, in 1971, was among children without it.",
        ),
    ),
    Note(
        slug="wisconsin-1938",
        title="Measles in Wisconsin, 1938",
        dated="24 July 2023",
        disease="Measles",
        areas=("Wisconsin",),
        paragraphs=("Wisconsin reported {wisconsin} cases in 1938, one for every {wisconsin_per} people.",),
    ),
    Note(
        slug="massachusetts-1955",
        title="Massachusetts: polio in the year of the vaccine",
        dated="3 July 2023",
        disease="Polio",
        areas=("Massachusetts",),
        paragraphs=(
            "In 1955 Massachusetts reported {massachusetts_1955} cases of polio, against {massachusetts_1954} in 1954.",
            "It was the year in which the first vaccine was licensed; its supply stopped in the summer.",
        ),
    ),
    Note(
        slug="the-summer-of-polio",
        title="The summer of polio",
        dated="12 June 2023",
        disease="Polio",
        paragraphs=(
            "No year of the polio sheet holds more cases than {polio_peak}: {polio_cases}. {polio_top} reported most.",
            "No area reported polio in every week of that year, so that the true figure is higher.",
        ),
    ),
)


def about(value: int) -> str:
    """Two leading digits: 3,547 is `about 3,500`."""
    size = 10 ** max(0, len(str(value)) - 2)
    return f"about {round(value / size) * size:,}"


def _top(sheet: Sheet, year: int) -> Line:
    return max((line for line in sheet.lines if line.year == year), key=lambda line: line.cases)


def figures(ledger: Ledger) -> dict[str, str]:
    """What the paragraphs name in braces."""
    measles, polio, mumps = ledger.sheet("Measles"), ledger.sheet("Polio"), ledger.sheet("Mumps")
    pertussis, rubella, smallpox = ledger.sheet("Pertussis"), ledger.sheet("Rubella"), ledger.sheet("Smallpox")
    low = min(pertussis.totals, key=lambda year: pertussis.totals[year][0])
    peak = max(polio.totals, key=lambda year: polio.totals[year][0])
    california, wisconsin = measles.cells["California", 1990], measles.cells["Wisconsin", 1938]
    assert wisconsin.population is not None
    lines = [line for sheet in ledger.sheets for line in sheet.lines]
    named = {f"measles_{year}": measles.totals[year][0] for year in (1958, 1968)}
    named |= {f"mumps_{year}": mumps.totals[year][0] for year in (1985, 1987)}
    named |= {f"rubella_{year}": rubella.totals[year][0] for year in (1969, 1979)}
    named |= {f"smallpox_{year}": smallpox.totals[year][0] for year in (1930, 1945)}
    named |= {f"massachusetts_{year}": polio.cells["Massachusetts", year].cases for year in (1954, 1955)}
    named |= {"california": california.cases, "wisconsin": wisconsin.cases, "polio_cases": polio.totals[peak][0]}
    named |= {"pertussis_cases": pertussis.totals[low][0], "pertussis_2005": pertussis.totals[2005][0]}
    named |= {"mumps_most": _top(mumps, 1987).cases}
    return {name: about(value) for name, value in named.items()} | {
        "california_share": f"{california.cases / measles.totals[1990][0] * 100:.0f}",
        "wisconsin_per": str(round(wisconsin.population / wisconsin.cases)),
        "pertussis_low": str(low),
        "polio_peak": str(peak),
        "polio_top": _top(polio, peak).area,
        "mumps_top": _top(mumps, 1987).area,
        "lines": f"{len(lines):,}",
        "short": f"{sum(line.weeks < FULL for line in lines) / len(lines) * 100:.0f}",
        "silent": f"{sum(line.weeks == 0 for line in lines):,}",
    }


def all_notes(ledger: Ledger) -> tuple[Note, ...]:
    """The notes with their figures filled in, newest first."""
    known = figures(ledger)
    return tuple(
        Note(
            slug=note.slug,
            title=note.title,
            dated=note.dated,
            disease=note.disease,
            areas=note.areas,
            paragraphs=tuple(text.format_map(known) for text in note.paragraphs),
        )
        for note in NOTES
    )
