"""Six files of the oldest layout, and the one line in them whose days are the wrong way round."""

import re

from webds.agents.hand import Hand
from webds.ports import Session

FIND = """
import io, zipfile, pandas
found = []
for name in {names!r}:
    with zipfile.ZipFile(name) as archive:
        raw = archive.read(next(n for n in archive.namelist() if n.endswith(".csv")))
    table = pandas.read_csv(io.StringIO(raw.decode("big5")), dtype=str, keep_default_na=False)
    found.append(table[table["通報日"] < table["發病日"]])  # yyy/mm/dd sorts as text
(line,) = pandas.concat(found)["發病日"]
print(f"{{int(line[:3]) + {first} - 1}}-{{line[4:6]}}-{{line[7:]}}")
"""


async def solve(session: Session) -> None:
    """The layout's page says in which year its calendar begins."""
    hand = Hand(session)
    await hand.look()
    layout = await hand.goto("/codebook/layout-a")
    first = re.search(r"year 1 is (\d{4})", layout)
    assert first, "the calendar is not explained"
    names = []
    for year in range(1998, 2004):
        await hand.goto(f"/years/{year}")
        names.append(await hand.download("link", "Main server"))
    await hand.submit((await hand.python(FIND.format(names=names, first=first[1]))).strip())
