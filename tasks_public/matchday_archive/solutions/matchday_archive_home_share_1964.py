"""Ask the cover sheet for the number of leaves, save each leaf, and count over all matches in the python tool."""

import json
import re

from webds.agents.hand import Hand, newest
from webds.ports import Session

COUNT = """
import json
from bs4 import BeautifulSoup
won = played = 0
for name in json.loads({names!r}):
    for score in BeautifulSoup(open(name, encoding="utf-8"), "lxml").select("#results .score"):
        home, away = map(int, score.get_text().split(":"))
        won, played = won + (home > away), played + 1
assert played == {matches}, played
print(f"{{100 * won / played:.1f}}%")
"""


async def solve(session: Session) -> None:
    """Draws stay below the line, as the methodology says."""
    hand = Hand(session)
    cover = await hand.look()
    days, matches = (re.search(rf"{word}\W+(\d+)", cover) for word in ("Matchdays", "Matches"))
    assert days, "the cover sheet does not say how many matchdays"
    assert matches, "the cover sheet does not say how many matches"
    rules = await hand.click("link", "Methodology")
    assert "divided by all matches" in rules
    names = [await leaf(hand, number) for number in range(1, int(days[1]) + 1)]
    await hand.submit(await hand.python(COUNT.format(names=json.dumps(names), matches=matches[1])))


async def leaf(hand: Hand, number: int) -> str:
    """Saves the leaf of a matchday; its name in the work folder."""
    return newest(await hand.do("download", url=f"/matchdays/1964-65-{number:02d}"))
