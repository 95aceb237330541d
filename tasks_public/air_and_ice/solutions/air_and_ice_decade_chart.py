"""Collect the decade means from the captions, move them to the portal's late nineteenth century, draw and hand in."""

import re

from webds.agents.hand import Hand
from webds.ports import Session

HOST = "https://air-and-ice.test"
TABLE, PICTURE = "decade-means.csv", "decade-means.png"
DRAW = """
import csv, matplotlib
matplotlib.use("Agg")
from matplotlib import pyplot
rows = {rows!r}
with open({table!r}, "w", newline="") as file:
    out = csv.writer(file, lineterminator="\\n")
    out.writerow(["decade", "anomaly"])
    out.writerows((decade, f"{{value + 0:.2f}}") for decade, value in rows)
figure, axes = pyplot.subplots(figsize=(10, 5))
axes.bar([decade for decade, _ in rows], [value for _, value in rows])
axes.set_ylabel("degrees C above 1880 to 1900")
axes.set_title("Global temperature by decade")
figure.savefig({picture!r}, dpi=100)
print(len(rows))
"""


def degrees(text: str) -> float:
    """`−0.211` with any minus sign."""
    return float(text.replace("−", "-").replace("+", ""))


async def solve(session: Session) -> None:
    """A caption that says `decade` is of a whole one. The base is the defined one, on the edition's own scale."""
    hand = Hand(session)
    await hand.look()
    means = await hand.goto(f"{HOST}/methodology/baselines")
    defined = re.search(r"we mean (\d{4} to \d{4})", means)
    assert defined, "the page defines no late nineteenth century"
    of_edition = means[means.index("GISS edition 2022") :]
    base = re.search(rf"{defined[1]}:\D*?([+−-]?\d\.\d+)", of_edition)
    assert base, "the page states no mean"
    rows = []
    for decade in range(1880, 2030, 10):
        page = await hand.goto(f"{HOST}/temperature/{decade}s")
        found = re.search(r"Mean of the decade in edition 2022: ([+−-]?\d\.\d+)", page)
        if found:
            rows.append((f"{decade}s", degrees(found[1]) - degrees(base[1])))
    await hand.python(DRAW.format(rows=rows, table=TABLE, picture=PICTURE))
    await hand.submit(f"{TABLE}, {PICTURE}", files=[TABLE, PICTURE])
