"""Scripted solution of a fixture task."""

import re

from webds.agents.hand import Hand
from webds.ports import Session


async def solve(session: Session) -> None:
    hand = Hand(session)
    text = await hand.look()
    text = await hand.click("link", "Sign out")
    found = re.search(r"server \w+, browser \w+", text)
    assert found, text
    await hand.submit(found[0])
