"""Read both samples in the caption of each stretch of Dome C, keep those whose low is the older, and take the mean."""

import re
import statistics

from webds.agents.hand import Hand
from webds.ports import Session

SAMPLE = r"{} (?:sample )?([\d.]+) ppm at an age of ([\d,]+) years"


def sample(page: str, word: str) -> tuple[float, int]:
    """Amount in ppm and age in years before 1950, as the caption gives them."""
    found = re.search(SAMPLE.format(word), page)
    assert found, f"the caption names no {word} sample"
    return float(found[1]), int(found[2].replace(",", ""))


async def solve(session: Session) -> None:
    """A larger age is an earlier time: where the lowest sample has it, the air rose from the one to the other."""
    hand = Hand(session)
    seen = await hand.look()
    stretches = sorted(set(re.findall(r"Dome C, \d+ to \d+ thousand years ago", seen)))
    speeds = []
    for name in stretches:
        if 'button "Not now"' in await hand.goto("https://air-and-ice.test/ice"):
            await hand.click("button", "Not now")
        page = await hand.click("link", name)
        (high, high_age), (low, low_age) = sample(page, "Highest"), sample(page, "lowest")
        if low_age > high_age:
            speeds.append(1000 * (high - low) / (low_age - high_age))
    await hand.submit(f"{statistics.mean(speeds):.2f}")
