"""Read how the marks count, download the workbook, write the clean table in the python tool, hand in the file."""

from webds.agents.hand import Hand
from webds.ports import Session

FILE = "rhode-island-2015-2017.csv"
CLEAN = """
import csv, datetime, openpyxl
sheet = openpyxl.load_workbook({name!r}, data_only=True)["Monthly"]
rows = list(sheet.iter_rows(values_only=True))
head = next(i for i, row in enumerate(rows) if row[0] == "Period")
wanted = ("Electric utility", "Independent power producers", "All commercial", "All industrial")
places = [rows[head + 1].index(title) for title in wanted]
marks = {marks!r}
lines = []
for row in rows[head + 2:]:
    try:
        month = datetime.datetime.strptime(str(row[0]), "%b %Y")
    except ValueError:
        continue  # a total line
    if 2015 <= month.year <= 2017:
        lines.append([month.strftime("%Y-%m"), *(marks.get(row[place], row[place]) for place in places)])
with open({file!r}, "w", newline="") as out:
    table = csv.writer(out, lineterminator="\\n")
    table.writerow(["month", "electric_utility", "independent_power_producers", "commercial", "industrial"])
    table.writerows(lines)
print(len(lines))
"""


def rules(page: str) -> dict[str, int | str]:
    """What each mark counts as, read from the methodology page: zero, or an empty cell where it is missing."""
    table = page[page.index("In calculations") :]
    found: dict[str, int | str] = {}
    for mark in ("--", "NM"):
        said = table[table.index(mark) :]
        zero, missing = said.find("Counts as zero"), said.find("Missing")
        found[mark] = 0 if 0 <= zero < missing else ""
    return found


async def solve(session: Session) -> None:
    """The methodology's table decides about the marks; total lines have no month as label."""
    hand = Hand(session)
    await hand.look()
    name = await hand.download("link", "Workbook for Rhode Island")
    marks = rules(await hand.click("link", "Methodology"))
    lines = await hand.python(CLEAN.format(name=name, file=FILE, marks=marks))
    assert lines.strip(), "nothing was written"
    await hand.submit(FILE, files=[FILE])
