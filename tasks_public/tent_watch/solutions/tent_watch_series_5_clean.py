"""Open the challenges tab of series 5, count episodes by what was baked or ranked, write the file."""

from webds.agents.hand import Hand, marks, newest
from webds.ports import Session

FILE = "series-5-bakers.csv"
CLEAN = """
import pandas
table = pandas.read_html({name!r})[0]
took = table[["Signature", "Technical", "Showstopper"]].notna().any(axis=1)
held = table[took].groupby("Baker").agg(
    episodes=("Episode", "nunique"), last_episode=("Episode", "max"),
    best_rank=("Technical", "min"), worst_rank=("Technical", "max"))
held.astype(int).rename_axis("baker").reset_index().to_csv({file!r}, index=False)
print(len(held))
"""


async def solve(session: Session) -> None:
    """A result alone is not an appearance (How the wiki counts)."""
    hand = Hand(session)
    await hand.look()
    await hand.click("link", "How the wiki counts")
    await hand.goto("https://tent-watch.test/series/5")
    await hand.do("click", id=_links(hand, "Challenges")[-1])
    name = newest(await hand.do("download", url=str(hand.seen.view["url"])))
    assert (await hand.python(CLEAN.format(name=name, file=FILE))).strip(), "nothing was written"
    await hand.submit(FILE, files=[FILE])


def _links(hand: Hand, name: str) -> list[str]:
    """Ids of the links of that name in page order: the first is the site's own menu, the last the series' tab."""
    return [mark.id for mark in marks(hand.seen.text) if mark.role == "link" and mark.name == name]
