"""Search for the state, download its workbook, fit the line over complete years in the python tool."""

from webds.agents.hand import Hand
from webds.ports import Session

FIT = """
import numpy, openpyxl
sheet = openpyxl.load_workbook({name!r}, data_only=True)["All sectors"]
rows = list(sheet.iter_rows(values_only=True))
head = next(i for i, row in enumerate(rows) if row[0] == "Year")
last = rows[head].index("Year total")
whole = [(row[0], row[last]) for row in rows[head + 2:] if isinstance(row[0], int)]
years, totals = zip(*whole)
print(round(float(numpy.polyfit(years, totals, 1)[0])))
"""


async def solve(session: Session) -> None:
    """A year in part has a text label, so whole-number labels are the complete years."""
    hand = Hand(session)
    await hand.look()
    await hand.click("button", "Close cookie notice")
    await hand.fill("searchbox", "Search", "kentucky")
    await hand.click("button", "Search")
    await hand.click("link", "Kentucky")
    name = await hand.download("link", "Workbook for Kentucky")
    await hand.submit(await hand.python(FIT.format(name=name)))
