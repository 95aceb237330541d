"""Scripted solution of a fixture task."""

from webds.agents.hand import Hand
from webds.ports import Session


async def solve(session: Session) -> None:
    hand = Hand(session)
    await hand.look()
    await hand.click("link", "Table")
    await hand.submit(await hand.python("print(12 * 12)"))
