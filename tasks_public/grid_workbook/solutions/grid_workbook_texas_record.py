"""Follow the press note to its month, then compare it with the highest month of the current workbook."""

import re

from webds.agents.hand import Hand
from webds.ports import Session

COMPARE = """
import datetime, openpyxl
sheet = openpyxl.load_workbook({name!r}, data_only=True)["Monthly"]
rows = list(sheet.iter_rows(values_only=True))
head = next(i for i, row in enumerate(rows) if row[0] == "Period")
place = rows[head].index("All sectors")
amounts = {{}}
for row in rows[head + 2:]:
    try:
        amounts[datetime.datetime.strptime(str(row[0]), "%b %Y")] = row[place]
    except ValueError:
        pass  # a total line
noted = amounts[datetime.datetime.strptime({month!r}, "%B %Y")]
print(f"{{(max(amounts.values()) / noted - 1) * 100:.1f}}%")
"""


async def solve(session: Session) -> None:
    """The note's lead sentence names the month."""
    hand = Hand(session)
    await hand.look()
    note = await hand.click("link", "Texas in the summer of 2011")
    named = re.search(r"([A-Z][a-z]+ \d{4}) was the highest month", note)
    assert named, "the note names no month"
    await hand.click("link", "Texas")
    name = await hand.download("link", "Workbook for Texas")
    await hand.submit(await hand.python(COMPARE.format(name=name, month=named[1])))
