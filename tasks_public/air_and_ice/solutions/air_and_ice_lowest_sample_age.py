"""Read the date of the lowest value in the captions of both records, and the rule between age and year."""

import re

from webds.agents.hand import Hand
from webds.ports import Session

OLDEST = (600, 700)
"""The articles on Dome C whose stretch the revision is about begin at so many thousand years."""


def number(text: str) -> int:
    """`−1,234` with any minus sign."""
    return int(text.replace(",", "").replace("−", "-"))


async def ice(hand: Hand) -> None:
    """The list of articles, with the letter's pop-up out of the way."""
    if 'button "Not now"' in await hand.goto("https://air-and-ice.test/ice"):
        await hand.click("button", "Not now")


async def solve(session: Session) -> None:
    """The lower of the two lowest samples is the record's; its age becomes a year by the portal's rule."""
    hand = Hand(session)
    await hand.look()
    lows = []
    for first in OLDEST:
        await ice(hand)
        page = await hand.click("link", f"Dome C, {first} to {first + 100} thousand years ago")
        found = re.search(r"lowest ([\d.]+) ppm at an age of ([\d,]+) years", page)
        assert found, "the caption names no lowest sample"
        lows.append((float(found[1]), number(found[2])))
    await ice(hand)
    page = await hand.click("link", "Eight hundred thousand years of air")
    found = re.search(r"Lowest value [\d.]+ ppm, in the year ([−-]?[\d,]+)", page)
    assert found, "the caption names no lowest value"
    rule = re.search(r"year = (\d+) − age", await hand.goto("https://air-and-ice.test/methodology/baselines"))
    assert rule, "the page states no rule"
    await hand.submit(str(abs(int(rule[1]) - min(lows)[1] - number(found[1]))))
