"""Three files of two layouts brought to one form, counted by month of onset, and written as the table asked for."""

import re

from webds.agents.hand import Hand
from webds.ports import Session

FILE = "kaohsiung-2013-2014.csv"
BUILD = """
import io, zipfile, pandas
parts = []
for name in {names!r}:
    with zipfile.ZipFile(name) as archive:
        raw = archive.read(next(n for n in archive.namelist() if n.endswith(".csv")))
    old = not raw.startswith(b"\\xff\\xfe")
    text = raw.decode("utf-8-sig" if old else "utf-16")
    table = pandas.read_csv(io.StringIO(text), sep=";" if old else "\\t", dtype=str, keep_default_na=False)
    heads = ("ONSET", "RESCTY", "IMP", "NCASE") if old else (
        "Date of onset", "County of residence", "Imported", "Confirmed cases")
    table = table[list(heads)].set_axis(["onset", "county", "imported", "cases"], axis=1)
    table["onset"] = pandas.to_datetime(table["onset"], format="%Y%m%d" if old else "%d/%m/%Y")
    table["local"] = table["imported"] == ("1" if old else "No")
    parts.append(table[table["county"] == ({code!r} if old else "Kaohsiung City")])
table = pandas.concat(parts)
table["month"] = table["onset"].dt.strftime("%Y-%m")
table["cases"] = table["cases"].astype(int)
months = pandas.period_range("2013-01", "2014-12", freq="M").astype(str)
out = pandas.DataFrame({{
    column: table[table["local"] == local].groupby("month")["cases"].sum().reindex(months, fill_value=0)
    for column, local in (("local", True), ("imported", False))
}})
out.to_csv({file!r}, index_label="month")
print(len(out))
"""


async def solve(session: Session) -> None:
    """The county's code for the older layout stands on its own page."""
    hand = Hand(session)
    page = await hand.look()
    code = re.search(r"has the code\W+(\d+)", page)
    assert code, "the page does not give the county's code"
    names = []
    for year in ("2013", "2014", "2015"):
        await hand.click("link", "Front")
        await hand.click("link", year)
        names.append(await hand.download("link", "Main server"))
    lines = await hand.python(BUILD.format(names=names, code=code[1], file=FILE))
    assert lines.strip(), "nothing was written"
    await hand.submit(FILE, files=[FILE])
