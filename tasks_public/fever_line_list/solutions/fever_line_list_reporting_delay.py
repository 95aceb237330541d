"""Read the codebook of the year's layout, open the ZIP file with its encoding and calendar, average the delay."""

import re

from webds.agents.hand import Hand
from webds.ports import Session

AVERAGE = """
import io, zipfile, pandas
with zipfile.ZipFile({name!r}) as archive:
    member = next(n for n in archive.namelist() if n.endswith(".csv"))
    table = pandas.read_csv(io.BytesIO(archive.read(member)), encoding="big5", dtype=str, keep_default_na=False)
heads = {heads!r}
local = table[table[heads["imported"]] == {no!r}]


def day(text):
    year, month, of_month = text.split("/")
    return pandas.Timestamp(int(year) + 1911, int(month), int(of_month))


waits = local[heads["notification"]].map(day) - local[heads["onset"]].map(day)
print(round(waits.dt.days.mean(), 2))
"""


def heading(page: str, field: str) -> str:
    """The heading that the codebook gives before the name of a field."""
    found = re.search(rf"([\u4e00-\u9fff]+)\W*{field}", page)
    assert found, f"the codebook has no {field}"
    return found[1]


async def solve(session: Session) -> None:
    """Headings and the word for `no` come from the codebook."""
    hand = Hand(session)
    await hand.look()
    await hand.click("button", "Seen it")
    await hand.click("link", "Years")
    await hand.click("link", "2002")
    name = await hand.download("link", "Main server")
    page = await hand.click("link", "Layout A")
    fields = {"onset": "Date of onset", "notification": "Date of notification", "imported": r"\(imported\)"}
    heads = {short: heading(page, field) for short, field in fields.items()}
    no = re.search(r"([\u4e00-\u9fff])\W+no, caught in Taiwan", page)
    assert no, "the codebook does not say how no is written"
    await hand.submit(await hand.python(AVERAGE.format(name=name, heads=heads, no=no[1])))
