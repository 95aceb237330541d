"""Press notes. The words are ours and the pages say so; every figure in them is computed from the extract.

Figures are in million megawatthours rounded to one decimal, as press notes do, so they are no substitute for a cell.
"""

from dataclasses import dataclass

from sites_docker.grid_workbook.grid import SECTORS, WITHHELD, Edition, Grid, long_month, total


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One press note: a heading, the edition it was written to, and its paragraphs as plain text."""

    slug: str
    title: str
    edition: str
    lead: str
    paragraphs: tuple[str, ...]
    areas: tuple[str, ...] = ()


def millions(thousands: int) -> str:
    """Thousand MWh as million MWh with one decimal: 48328 -> `48.3`."""
    return f"{thousands / 1000:,.1f}"


def change(old: int, new: int) -> str:
    """Change in percent with one decimal, in words: `5.6 percent higher`."""
    percent = (new - old) / old * 100
    return f"{abs(percent):.1f} percent {'higher' if percent >= 0 else 'lower'}"


def span_sum(grid: Grid, area: str, sector: str, months: tuple[str, ...]) -> int:
    """Sum over months that must all be numbers: ValueError where the sum is withheld."""
    value = total(grid.value(area, sector, month) for month in months)
    if not isinstance(value, int):
        raise ValueError(f"{area}, {sector}: the sum over {months[0]} to {months[-1]} is {value}")
    return value


def year_sum(grid: Grid, area: str, sector: str, year: str) -> int:
    return span_sum(grid, area, sector, tuple(f"{year}-{index:02d}" for index in range(1, 13)))


def highest(grid: Grid, area: str, edition: Edition) -> tuple[str, int]:
    """The month of an edition with the most generation in all sectors, and that figure."""
    best = max(grid.held(edition), key=lambda month: grid.number(area, "all sectors", month))
    return best, grid.number(area, "all sectors", best)


def record(grid: Grid, area: str, year: str, slug: str, title: str, *, spoken: str = "") -> Note:
    """A note on a state's record month, true of the edition it belongs to and perhaps of no later one."""
    edition = grid.edition(year)
    assert edition is not None
    month, figure = highest(grid, area, edition)
    before = f"{int(month[:4]) - 1}{month[4:]}"
    old = grid.number(area, "all sectors", before)
    name = spoken or area
    return Note(
        slug=slug,
        title=title,
        edition=year,
        lead=f"{long_month(month)} was the highest month for {name} in all sectors since the tables began.",
        paragraphs=(
            (
                f"Power plants in {name} generated {millions(figure)} million megawatthours "
                f"in {long_month(month)}, {change(old, figure)} than in {long_month(before)}."
            ),
            (
                f"The statement covers the months held by edition {year}, that is January 2001 to December {year}. "
                "Later editions may hold a higher month; this note is not rewritten when they do."
            ),
        ),
        areas=(area,),
    )


def first_quarter(grid: Grid) -> Note:
    new = span_sum(grid, "United States", "all sectors", ("2022-01", "2022-02", "2022-03"))
    old = span_sum(grid, "United States", "all sectors", ("2021-01", "2021-02", "2021-03"))
    return Note(
        slug="first-quarter-2022",
        title="First quarter of 2022 against first quarter of 2021",
        edition=grid.current.id,
        lead="The current edition ends with March 2022. What can be said about 2022 so far, and what cannot.",
        paragraphs=(
            (
                f"From January to March 2022 net generation in the United States was {millions(new)} million "
                f"megawatthours, {change(old, new)} than in the same three months of 2021."
            ),
            (
                "A line for 2022 in our workbooks holds three months. Set beside a full year it looks like a collapse; "
                "compare it with the same months of an earlier year."
            ),
        ),
        areas=("United States",),
    )


def winter_storm(grid: Grid) -> Note:
    new = grid.number("Texas", "all sectors", "2021-02")
    old = grid.number("Texas", "all sectors", "2021-01")
    return Note(
        slug="texas-february-2021",
        title="Texas, February 2021 beside January 2021",
        edition="2021",
        lead="Months differ in length, and a short month can look like a weak one.",
        paragraphs=(
            (
                f"Texas generated {millions(new)} million megawatthours in February 2021 and {millions(old)} million "
                f"in January: {change(old, new)}. An average day carried {millions(round(new / 28))} million "
                f"in February and {millions(round(old / 31))} million in January."
            ),
            "The tables give monthly sums. They say nothing about single days or hours.",
        ),
        areas=("Texas",),
    )


def withheld(grid: Grid) -> Note:
    states = grid.level("state")
    counted = sum(grid.marks(area.name, "2021", WITHHELD) for area in states)
    cells = len(states) * len(SECTORS) * 12
    outer = sum(
        grid.year(area.name, sector, "2021", grid.current).count(WITHHELD)
        for area in states
        for sector in ("all commercial", "all industrial")
    )
    return Note(
        slug="reading-nm",
        title="What NM hides, and what it does not",
        edition="2021",
        lead="Figures that are not meaningful are withheld, and 2021 has more of them than any year before.",
        paragraphs=(
            (
                f"Of the {cells:,} state figures for the months of 2021, {counted} are printed as NM, {outer} of them "
                "in the commercial and industrial sectors."
            ),
            (
                "NM is not zero. The line for all sectors still contains the withheld amount, so the printed sectors "
                "of such a month need not add up to the total."
            ),
        ),
    )


def producers(grid: Grid) -> Note:
    parts = []
    for year in ("2002", "2021"):
        part = year_sum(grid, "United States", "independent power producers", year)
        parts.append(f"{part / year_sum(grid, 'United States', 'all sectors', year) * 100:.1f}")
    return Note(
        slug="independent-producers",
        title="Independent producers, then and now",
        edition="2021",
        lead="Who owns the plants has changed more than how much they generate.",
        paragraphs=(
            (
                f"Independent power producers generated {parts[0]} percent of the national total in 2002 "
                f"and {parts[1]} percent in 2021."
            ),
            (
                "The national share hides wide differences between states. The workbook of a state gives both lines by "
                "month."
            ),
        ),
        areas=("United States",),
    )


def vermont(grid: Grid) -> Note:
    old, new = (year_sum(grid, "Vermont", "all sectors", year) for year in ("2014", "2015"))
    return Note(
        slug="vermont-2015",
        title="Vermont, 2014 to 2015",
        edition="2015",
        lead="A step between two years that no other year of the state's tables repeats.",
        paragraphs=(
            (
                f"Vermont generated {millions(old)} million megawatthours in 2014 and {millions(new)} million in 2015, "
                f"{change(old, new)}."
            ),
            "Our tables hold amounts only. They do not say which plants opened or closed.",
        ),
        areas=("Vermont",),
    )


def press_notes(grid: Grid) -> tuple[Note, ...]:
    """All notes, the latest edition first."""
    return (
        first_quarter(grid),
        winter_storm(grid),
        withheld(grid),
        producers(grid),
        vermont(grid),
        record(grid, "Texas", "2011", "texas-summer-2011", "Texas in the summer of 2011"),
        record(
            grid,
            "United States",
            "2007",
            "nation-summer-2007",
            "A national record in summer 2007",
            spoken="the United States",
        ),
    )
