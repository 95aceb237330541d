"""Search for the disease, download its file of weeks, and list the areas with one week in the year."""

from webds.agents.hand import Hand
from webds.ports import Session

LIST = """
import csv
print(", ".join(row["area"] for row in csv.DictReader(open({name!r})) if row["1997"] == "1"))
"""


async def solve(session: Session) -> None:
    """The disease's page links the file."""
    hand = Hand(session)
    await hand.goto("/")
    await hand.fill("searchbox", "Search the ledger", "measles")
    await hand.click("button", "Find")
    await hand.click("link", "Measles")
    name = await hand.download("link", "Weeks with a report (CSV)")
    await hand.submit(await hand.python(LIST.format(name=name)))
