"""Fetch the challenges tab of each series and count the episodes whose last in the technical left."""

from webds.agents.hand import Hand, newest
from webds.ports import Session

COUNT = """
import pandas
episodes = sent = 0
for name in {tabs!r}:
    table = pandas.read_html(name)[0]
    table.columns = [str(column).split(" (")[0] for column in table.columns]
    for number, rows in table[table["Episode"] < table["Episode"].max()].groupby("Episode"):
        episodes += 1
        sent += rows.loc[rows["Technical"].idxmax(), "Result"] == "OUT"
print(f"{{100 * sent / episodes:.1f}}%")
"""


async def solve(session: Session) -> None:
    """The list of tables leads to each; the last episode of a series is its final."""
    hand = Hand(session)
    await hand.look()
    tabs = []
    for series in range(2, 11):
        await hand.goto("https://tent-watch.test/challenges")
        await hand.click("link", f"Challenges of series {series}")
        tabs.append(newest(await hand.do("download", url=str(hand.seen.view["url"]))))
    await hand.submit(await hand.python(COUNT.format(tabs=tabs)))
