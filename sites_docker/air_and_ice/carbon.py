"""Articles on carbon dioxide in the air: Mauna Loa by Scripps, Mauna Loa and the South Pole by NOAA."""

from sites_docker.air_and_ice.article import Article, Part, fig, h, p, plain
from sites_docker.air_and_ice.plots import NOAA_SPANS, SCRIPPS_SPANS, Plot
from sites_docker.air_and_ice.records import Records, between, mean, means, spoken
from sites_docker.air_and_ice.words import PLOT_HINT

DRY = "Carbon dioxide is given in parts per million of dry air (ppm)."
FULL = "A yearly mean is formed from twelve monthly means; years with fewer get none."
SCRIPPS_TEXT = {
    1958: "Charles David Keeling's instrument on Mauna Loa gave its first monthly mean in March 1958. Within two years "
    "it had shown what nobody had measured before: the air of a hemisphere breathes in summer and out in winter. In "
    "1964 money ran out, and for some months nobody read the instrument.",
    1970: "The first decade without a gap. The line goes on as it began, with one tooth a year, and the teeth keep "
    "their shape while the whole comb tilts upwards.",
    1980: "The slope of the comb is steeper than a decade before. The low of each autumn soon lies where the high of "
    "spring stood a few years earlier.",
    1990: "After the eruption of Pinatubo in 1991 the rise slackened for two years and then made up for it. The cause "
    "is in the growth of plants, not in smoke stacks.",
    2000: "Emissions grew quickly in these years, and the instrument on the mountain noticed. A tooth that would have "
    "been a record in 2000 is a low ten years later.",
    2010: "The span in which the monthly means crossed 400 ppm for the first time, went back under it in two autumns, "
    "and then stayed above. Our record of Scripps ends in the spring of 2020.",
}
STATION_TEXT = {
    "Mauna Loa": "NOAA runs its own instrument on the mountain, beside that of Scripps. The two groups share neither "
    "gas bottles nor software, which is the point of having two.",
    "South Pole": "There is nothing at the Pole that takes up or gives off carbon dioxide, and the forests of the "
    "north are half a world away. What arrives is the mean of a hemisphere, late and smoothed.",
}


def carbon_articles(records: Records, plots: dict[str, Plot]) -> list[Article]:
    """Scripps by decade, newest first, then NOAA's two stations."""
    scripps = [_scripps(records, plots, first, last) for first, last in reversed(SCRIPPS_SPANS)]
    noaa = [
        _noaa(records, plots, station, first, last)
        for station, spans in NOAA_SPANS.items()
        for first, last in reversed(spans)
    ]
    return [*scripps, *noaa]


def _scripps(records: Records, plots: dict[str, Plot], first: int, last: int) -> Article:
    months = between(records.scripps, f"{first}-01", f"{last}-12")
    whole = means(months)
    lows = {y: min(between(months, f"{y}-01", f"{y}-12").values()) for y in whole}
    highs = {y: max(between(months, f"{y}-01", f"{y}-12").values()) for y in whole}
    climb = mean(highs[y + 1] - lows[y] for y in whole if y + 1 in whole)
    return Article(
        section="carbon", slug=f"mauna-loa-scripps-{first}-{last}", kicker="Mauna Loa, Scripps",
        title=f"Mauna Loa, {first} to {last}",
        stand="The longest continuous record of carbon dioxide in the air, read by the laboratory that began it.",
        parts=(
            p(SCRIPPS_TEXT[first if first < 1960 else first // 10 * 10]),
            p(f"From the low of autumn to the high of the following spring the line climbs about {climb:.0f} "
              "ppm, and loses most of that again in the northern summer. What is left over is the rise of the year."),
            fig(plots[f"scripps-{first}-{last}"], f"Monthly means, Scripps. {_ends(whole, first)}"),
            p(PLOT_HINT),
            p("Scripps also publishes a version from which the yearly cycle is taken out. We draw the readings as they "
              "are, because the cycle is part of what is in the air."),
        ),
        notes=(DRY, FULL, _gaps(records, first, last)), editions=("scripps-2020",),
    )  # fmt: skip


def _ends(whole: dict[int, float], first: int) -> str:
    """The yearly means that a caption states: of the first year of the decade and of its last full year."""
    decade = max(first, 1960)
    final = max(year for year in whole if year <= decade + 9)
    opening = f"{plain(whole[1959])} ppm in 1959, the first full year, " if first < 1960 else ""
    return f"Yearly means: {opening}{plain(whole[decade])} ppm in {decade} and {plain(whole[final])} ppm in {final}."


def _gaps(records: Records, first: int, last: int) -> str:
    """How many months are missing inside the record, by year."""
    start, end = min(records.scripps), max(records.scripps)
    wanted = [f"{y}-{m:02d}" for y in range(first, last + 1) for m in range(1, 13)]
    gone = [month for month in wanted if start < month < end and month not in records.scripps]
    if not gone:
        return "No month is missing between the first and the last of the picture."
    years = sorted({month[:4] for month in gone})
    counts = ", ".join(f"{sum(m.startswith(y) for m in gone)} in {y}" for y in years)
    return f"Months without a mean inside the record: {counts}. The line is broken there."


def _noaa(records: Records, plots: dict[str, Plot], station: str, first: int, last: int) -> Article:
    name = station.lower().replace(" ", "-")
    months = between(records.noaa[station], f"{first}-01", f"{last}-12")
    whole = means(months)
    rise = (whole[last] - whole[first]) / (last - first)
    parts = [
        p(STATION_TEXT[station]),
        p(f"Over these {last - first + 1} years the yearly mean rises by {rise:.1f} ppm a year. {_shape(station)}"),
        fig(
            plots[f"{name}-{first}-{last}"],
            f"Monthly means, NOAA. Highest of the picture {plain(max(months.values()))} ppm, lowest "
            f"{plain(min(months.values()))} ppm.",
        ),
        p(PLOT_HINT),
    ]
    if first == 2008:
        parts += _around(plots[f"{name}-around-400"])
    return Article(
        section="carbon", slug=f"{name}-noaa-{first}-{last}", kicker=f"{station}, NOAA",
        title=f"{station}, {first} to {last}", stand=_stand(station), parts=tuple(parts),
        notes=(DRY, FULL, _held(records, station)),
        editions=("noaa-2017",),
    )  # fmt: skip


def _held(records: Records, station: str) -> str:
    """From when to when the station's record goes."""
    months, place = records.noaa[station], "the South Pole" if station == "South Pole" else station
    return f"NOAA's monthly means for {place} reach us from {spoken(min(months))} to {spoken(max(months))}."


def _shape(station: str) -> str:
    if station == "South Pole":
        return "The teeth are small and come half a year after those of the north: here the air is richest in spring."
    return "The teeth are those of the northern forests: high in April or May, low in September or October."


def _stand(station: str) -> str:
    if station == "South Pole":
        return "The same gas at the other end of the world: lower, later and calmer."
    return "The mountain in the Pacific, in the readings of the American weather agency."


def _around(plot: Plot) -> list[Part]:
    return [
        h("Around 400"),
        p("A round number means nothing to the atmosphere, but it is the one everybody asked about. Days above 400 ppm "
          "came before weeks, and weeks before a whole month. The picture has months."),
        fig(plot, "Monthly means around 400 ppm, the broken line. Each small mark is the first day of a month; a dot "
            "stands in the middle of its month."),
    ]  # fmt: skip
