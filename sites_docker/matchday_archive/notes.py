"""Notes from the archive: words of ours, figures computed from the extract when the site starts, and rounded."""

from collections import Counter
from dataclasses import dataclass

from sites_docker.matchday_archive.archive import RENAMED, Archive, Match, Season, season_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One note; `links` are (address, words) to where a reader may go on."""

    slug: str
    title: str
    paragraphs: tuple[str, ...]
    links: tuple[tuple[str, str], ...] = ()


def all_notes(archive: Archive) -> tuple[Note, ...]:
    """In the order of the page that lists them."""
    return (
        _sizes(archive),
        _goals(archive),
        _home(archive),
        _draws(archive),
        _once(archive),
        _names(),
        _late(archive),
    )


def _to(season: Season) -> tuple[str, str]:
    return f"/seasons/{season.slug}", season.name


def _sizes(archive: Archive) -> Note:
    usual = Counter(len(season.matches) for season in archive.seasons).most_common(1)[0][0]
    odd = [season for season in archive.seasons if len(season.matches) != usual]
    lines = [
        f"{s.name}: {len(s.clubs)} clubs, {len(s.days)} matchdays, {len(s.matches)} matches." for s in odd
    ]  # fmt: skip
    first = (
        f"{len(archive.seasons) - len(odd)} of the {len(archive.seasons)} seasons have {usual} matches on 34 "
        "matchdays. The others, from the archive:"
    )
    return Note(
        slug="odd-sizes", title="Seasons of another size", paragraphs=(first, *lines), links=tuple(map(_to, odd))
    )


def _told(match: Match) -> str:
    return (
        f"{match.home} {match.score} {match.away} ({season_name(match.season)}, matchday {match.matchday})."
    )  # fmt: skip


def _goals(archive: Archive) -> Note:
    most = max(match.goals for match in archive.matches)
    top = [match for match in archive.matches if match.goals == most]
    means = sorted(archive.seasons, key=lambda season: season.goals / len(season.matches))
    low, high = means[0], means[-1]
    last = (
        f"By season the mean went from about {high.goals / len(high.matches):.1f} goals a match in {high.name} to "
        f"about {low.goals / len(low.matches):.1f} in {low.name}."
    )
    first = f"No match in the archive has more than {most} goals. {len(top)} have that many:"
    links = tuple((archive.by_year[m.season].day_url(m.matchday), f"{m.home} v {m.away}") for m in top)
    return Note(
        slug="most-goals", title=f"{most} goals in one match", paragraphs=(first, *map(_told, top), last), links=links
    )


def _home(archive: Archive) -> Note:
    ranked = sorted(archive.seasons, key=lambda season: season.share(home=True))
    low, high = ranked[0], ranked[-1]
    ties = [season.name for season in ranked if season.share(home=True) == low.share(home=True)]
    text = (
        f"The best season at home was {high.name}: about {high.share(home=True):.0f} percent of all matches went "
        f"to the home club. The worst was about {low.share(home=True):.0f} percent, in {' and in '.join(ties)}. How "
        "the share is counted stands in the methodology: draws are in the number below the line."
    )
    links = (_to(high), *(_to(season) for season in ranked if season.name in ties))
    return Note(slug="at-home", title="At home", paragraphs=(text,), links=links)


def _draws(archive: Archive) -> Note:
    before, after = archive.by_year[1994], archive.by_year[1995]
    text = (
        "A third point for a win came in with the season 1995/96 and was to make a draw less attractive. In that "
        f"first season about {after.share(home=False):.0f} percent of the matches were drawn, against about "
        f"{before.share(home=False):.0f} percent in the season before. One season proves "
        "nothing, but it is an odd start."
    )
    return Note(slug="third-point", title="The third point", paragraphs=(text,), links=(_to(before), _to(after)))


def _once(archive: Archive) -> Note:
    once = [club for club in archive.clubs if len(club.years) == 1 and not club.other]
    text = f"{len(once)} names are in the archive for one season only, names that were changed left aside."
    lines = (f"{club.name}: {season_name(club.years[0])}, {club.matches} matches." for club in once)
    links = tuple((f"/clubs/{club.slug}", club.name) for club in once)
    return Note(slug="one-season", title="Once and not again", paragraphs=(text, *lines), links=links)


def _names() -> Note:
    lines = tuple(f"{old}, later {new}." for old, new in RENAMED)
    first = (
        "Two pairs of names follow each other in the archive without a gap and never meet. We count each as one club:"
    )
    return Note(
        slug="two-names", title="Two names, one club", paragraphs=(first, *lines),
        links=(("/clubs", "All names"), ("/methodology#names", "The rule")),
    )  # fmt: skip


def _late(archive: Archive) -> Note:
    season = archive.by_year[1978]
    days = [[m.kickoff for m in played if m.kickoff] for played in season.days.values()]
    slow = sum((max(moments) - min(moments)).days > 30 for moments in days)
    text = (
        f"The winter of 1978/79 was hard on pitches. {slow} matchdays of that season took more than a month from their "
        "first match to their last, because matches were put off into the spring. A match that was put off keeps the "
        "number of its matchday; who goes through the archive page by page does not see the order of play."
    )
    return Note(
        slug="hard-winter", title="The winter that moved the calendar", paragraphs=(text,), links=(_to(season),)
    )
