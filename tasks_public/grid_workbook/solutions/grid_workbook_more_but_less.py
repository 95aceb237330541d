"""Yearly totals from the workbook of all areas, inhabitants from the other portal's file, joined by state."""

from webds.agents.hand import Hand
from webds.ports import Session

JOIN = """
import csv, openpyxl
first, last = {years!r}
people = {{row["area"]: row for row in csv.DictReader(open({people!r}))}}
rows = list(openpyxl.load_workbook({book!r}, data_only=True)["All sectors"].iter_rows(values_only=True))
head = next([str(value) for value in row] for row in rows if first in [str(value) for value in row])
then, now = head.index(first), head.index(last)
states = [row for row in rows if row[1] == "state"]
assert len(states) == 51 and all(row[0] in people for row in states)
print(", ".join(
    row[0] for row in states
    if row[now] > row[then] and row[now] / int(people[row[0]][last]) < row[then] / int(people[row[0]][first])
))
"""


async def solve(session: Session) -> None:
    """Two downloads and a join."""
    hand = Hand(session)
    await hand.look()
    book = await hand.download("link", "all areas")
    await hand.goto("https://contagion-ledger.test/downloads")
    people = await hand.download("link", "contagion-ledger_population.csv")
    await hand.submit(await hand.python(JOIN.format(years=("2001", "2011"), people=people, book=book)))
