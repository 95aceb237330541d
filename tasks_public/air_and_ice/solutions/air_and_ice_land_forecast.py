"""Read the land's dots off the picture: colour finds the line, the grid lines and the first and last year the scale."""

from webds.agents.hand import Hand
from webds.ports import Session

READ = """
import matplotlib.image, numpy
picture = (matplotlib.image.imread({name!r})[:, :, :3] * 255).round().astype(int)
near = lambda colour, slack: (abs(picture - colour).max(axis=2) <= slack)
grid = near((221, 230, 234), 4)
rows = [y for y in range(picture.shape[0]) if grid[y].sum() > 500]
lines = [y for i, y in enumerate(rows) if i == 0 or y - rows[i - 1] > 3]
land = near((209, 73, 91), 12)
land[:, :250][:150] = False  # the legend
columns = [x for x in range(picture.shape[1]) if land[:, x].any()]
# A dot is wider than the line: its rows are found by shaving off what is thinner than five pixels both ways.
solid = land.copy()
for shift in (1, 2):
    for axis in (0, 1):
        solid &= numpy.roll(land, shift, axis) & numpy.roll(land, -shift, axis)
found = numpy.argwhere(solid)
groups = []
for y, x in found[found[:, 1].argsort()]:
    if groups and x - groups[-1][-1][1] <= 6:
        groups[-1].append((y, x))
    else:
        groups.append([(y, x)])
dots = [numpy.mean(group, axis=0) for group in groups]
step, top = {step}, {top}
scale = (lines[-1] - lines[0]) / (len(lines) - 1)
values = [top - step * (y - lines[0]) / scale for y, x in dots]
assert len(dots) == {last} - {first} + 1, (len(dots), [round(float(x)) for y, x in dots])
years = numpy.arange({first}, {last} + 1)
fitted = numpy.polyfit(years[years <= {until}], numpy.array(values)[years <= {until}], 1)
print(f"{{values[-1] - numpy.polyval(fitted, {last}):.2f}}")
"""
FIRST, UNTIL, LAST = 2000, 2015, 2023
TOP, STEP = 1.8, 0.2
"""The uppermost mark of the upright axis and the distance of its marks, as anyone sees them on the picture."""


async def solve(session: Session) -> None:
    """Search, article, the picture's own page, its file; then the fit in the python tool."""
    hand = Hand(session)
    await hand.look()
    await hand.click("button", "Fine by me")
    await hand.fill("searchbox", "Search articles", "land ocean 2000")
    await hand.click("button", "Search")
    await hand.click("link", f"Land and ocean, {FIRST} to {LAST}")
    if "Not now" in await hand.look():
        await hand.click("button", "Not now")
    await hand.click("link", "Full size: figure 1")
    name = await hand.download("link", "Picture file (PNG)")
    code = READ.format(name=name, first=FIRST, until=UNTIL, last=LAST, top=TOP, step=STEP)
    await hand.submit(await hand.python(code))
