"""Goals and matches from eight cover sheets, yearly totals from the workbook of all areas, and their correlation."""

import json
import re

from webds.agents.hand import Hand
from webds.ports import Session

CORRELATE = """
import json, numpy, openpyxl
goals = {{int(year): value for year, value in json.loads({goals!r}).items()}}
sheet = openpyxl.load_workbook({name!r}, data_only=True)["All sectors"]
rows = list(sheet.iter_rows(values_only=True))
years = next(row for row in rows if {first!r} in [str(value) for value in row])
line = next(row for row in rows if row[0] == "United States")
power = {{int(year): value for year, value in zip(years, line) if str(year).isdigit() and int(year) in goals}}
assert len(power) == len(goals) == 8
print(f"{{numpy.corrcoef([power[y] for y in sorted(goals)], [goals[y] for y in sorted(goals)])[0, 1]:.2f}}")
"""


async def solve(session: Session) -> None:
    """Seasons are filed under the year in which they began."""
    hand = Hand(session)
    await hand.look()
    goals = {}
    for year in range(2001, 2009):
        cover = await hand.goto(f"https://matchday-archive.test/seasons/{year}-{(year + 1) % 100:02d}")
        scored, played = (re.search(rf"{word}\W+(\d+)", cover) for word in ("Goals", "Matches"))
        assert scored, year
        assert played, year
        goals[year] = int(scored[1]) / int(played[1])
    await hand.goto("https://grid-workbook.test/data")
    name = await hand.download("link", "all areas")
    await hand.submit(await hand.python(CORRELATE.format(goals=json.dumps(goals), name=name, first=str(min(goals)))))
