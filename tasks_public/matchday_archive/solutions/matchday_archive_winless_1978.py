"""Save all leaves of the season, put each club's matches in order of play, and take the longest run without a win."""

import json
import re

from webds.agents.hand import Hand, newest
from webds.ports import Session

RUN = """
import json
from collections import defaultdict
from datetime import datetime
from bs4 import BeautifulSoup
clubs = defaultdict(list)
for name in json.loads({names!r}):
    for row in BeautifulSoup(open(name, encoding="utf-8"), "lxml").select("#results li"):
        when, home, score, away = (row.select_one(part).get_text() for part in (".when", ".home", ".score", ".away"))
        moment = datetime.strptime(when, "%a %d %b %Y, %H:%M")
        left, right = map(int, score.split(":"))
        clubs[home].append((moment, left > right))
        clubs[away].append((moment, right > left))
longest = 0
for played in clubs.values():
    run = 0
    for _, won in sorted(played):
        run = 0 if won else run + 1
        longest = max(longest, run)
print(longest)
"""


async def solve(session: Session) -> None:
    """The note leads to the season; the methodology says that a run goes by date."""
    hand = Hand(session)
    await hand.look()
    cover = await hand.click("link", "1978/79")
    days = re.search(r"Matchdays\W+(\d+)", cover)
    assert days, "the cover sheet does not say how many"
    rules = await hand.click("link", "Methodology")
    assert "by date, within one season" in rules
    names = [await leaf(hand, number) for number in range(1, int(days[1]) + 1)]
    await hand.submit(await hand.python(RUN.format(names=json.dumps(names))))


async def leaf(hand: Hand, number: int) -> str:
    """Saves the leaf of a matchday; its name in the work folder."""
    return newest(await hand.do("download", url=f"/matchdays/1978-79-{number:02d}"))
