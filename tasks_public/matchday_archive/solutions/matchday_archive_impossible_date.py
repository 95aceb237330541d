"""Turn the leaves of the season with the pointer until one holds a match dated after the next season had begun."""

import re
from datetime import date, datetime

from webds.agents.hand import Hand, Stuck
from webds.ports import Session

DAY = r"[A-Z][a-z]{2} (\d{1,2} [A-Z][a-z]{2} \d{4})"


def day(words: str) -> date:
    """`24 Aug 1963`; the archive's dates are UTC days."""
    return datetime.strptime(f"{words} +0000", "%d %b %Y %z").date()


async def solve(session: Session) -> None:
    """The next season's cover sheet says when it began."""
    hand = Hand(session)
    start = re.search(r"[^\s\"]+/seasons/[\d-]+", await hand.look())
    cover = await hand.click("link", "Season 1987/88")
    began = re.search(rf"Earliest date\W+{DAY}", cover)
    assert began, "the cover sheet has no earliest date"
    await hand.goto(start[0] if start else "/seasons/1986-87")
    leaf = await hand.click("link", "Open matchday 1")
    for _ in range(40):
        for found in re.finditer(rf"{DAY}, \d\d:\d\d\s+(.+?)\s+\d+:\d+\s", leaf):
            if day(found[1]) > day(began[1]):
                await hand.submit(found[2])
                return
        leaf = await turn(hand)
    raise Stuck("no such match")


async def turn(hand: Hand) -> str:
    """The next leaf; the newsletter that opens after some leaves is sent away first."""
    if 'button "Not now"' in hand.seen.text:
        await hand.click("button", "Not now")
    return await hand.click("link", "Next matchday")
