"""An agent that kills its own browser whenever it is asked for anything."""

import psutil

from webds.agents.hand import Hand
from webds.ports import Session


async def solve(session: Session) -> None:
    hand = Hand(session)
    await hand.look()
    for process in psutil.Process().children(recursive=True):
        if "chrom" in process.name():
            process.kill()
    await hand.look()
