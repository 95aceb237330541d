"""Search the two articles on Mauna Loa (Scripps), take four yearly means from their captions, and compare the rises."""

import re

from webds.agents.hand import Hand
from webds.ports import Session

SPANS = (("1958 to 1969", "1960", "1969"), ("2010 to 2020", "2010", "2019"))


async def solve(session: Session) -> None:
    """A caption may name other years besides: the two that are wanted are picked by their year."""
    hand = Hand(session)
    await hand.look()
    rises = []
    for span, first, last in SPANS:
        page = await hand.goto(f"https://air-and-ice.test/carbon/mauna-loa-scripps-{span.replace(' to ', '-')}")
        means = {year: float(value) for value, year in re.findall(r"([\d.]+) ppm in (\d{4})", page)}
        assert first in means, span
        assert last in means, span
        rises.append(means[last] - means[first])
    early, late = rises
    await hand.submit(f"{100 * (late / early - 1):.0f}%")
