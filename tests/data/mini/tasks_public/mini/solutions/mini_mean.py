"""Scripted solution of a fixture task."""

from webds.agents.hand import Hand
from webds.ports import Session


async def solve(session: Session) -> None:
    hand = Hand(session)
    await hand.look()
    name = await hand.download("link", "Scores as CSV")
    await hand.submit(await hand.python(f"import pandas as pd\nprint(pd.read_csv({name!r}).score.mean())"))
