"""Read six tips with the pointer, take the population file, and sort by annualised rate."""

import json
import re

from webds.agents.hand import Hand, find
from webds.ports import Session

SORT = """
import csv, json
people = {{row["area"]: int(row["1952"]) for row in csv.DictReader(open({name!r})) if row["1952"]}}
entries = json.loads({entries!r})
rates = {{area: cases * 52 / weeks / people[area] for area, (cases, weeks) in entries.items()}}
print(", ".join(sorted(rates, key=rates.get, reverse=True)))
"""


async def solve(session: Session) -> None:
    """The six states are those that the page on areas puts under New England."""
    hand = Hand(session)
    method = await hand.goto("/methodology/areas")
    states = re.search(r"New England\W+((?:[A-Z][\w ]+, )+[A-Z][a-z]+)", method)
    assert states, "the division is not listed"
    await hand.goto("/downloads")
    name = await hand.download("link", "contagion-ledger_population.csv")
    await hand.goto("/maps/polio")
    entries = {}
    for area in states[1].split(", "):
        await hand.fill("combobox", "Area", area)
        await hand.fill("textbox", "Year", "1952")
        await hand.click("button", "Place marker")
        marker = find(await hand.look(), "button", f"Marker: {area}, 1952")
        await hand.do("hover", id=marker.id)
        told = re.search(rf"{area}, 1952: ([\d,]+) cases? reported, (\d+) of 52 weeks", await hand.look())
        assert told, area
        entries[area] = (int(told[1].replace(",", "")), int(told[2]))
    await hand.submit(await hand.python(SORT.format(name=name, entries=json.dumps(entries))))
