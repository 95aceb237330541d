"""From the note to the sheet, place the marker, rest the pointer on it, and scale the entry by the weeks it tells."""

import re

from webds.agents.hand import Hand, find
from webds.ports import Session


async def entry(hand: Hand, area: str, year: str) -> tuple[int, int]:
    """Cases and weeks that the tip shows when the pointer is over the marker."""
    await hand.fill("combobox", "Area", area)
    await hand.fill("textbox", "Year", year)
    await hand.click("button", "Place marker")
    marker = find(await hand.look(), "button", f"Marker: {area}, {year}")
    await hand.do("hover", id=marker.id)
    told = re.search(rf"{area}, {year}: ([\d,]+) cases? reported, (\d+) of (\d+) weeks", await hand.look())
    assert told, "the tip is not shown"
    return int(told[1].replace(",", "")), int(told[2])


async def solve(session: Session) -> None:
    """The note names area and year; the methodology's formula is cases times 52 over weeks."""
    hand = Hand(session)
    await hand.look()
    await hand.click("button", "Close cookie box")
    note = await hand.click("link", "Massachusetts: polio in the year of the vaccine")
    named = re.search(r"In (\d{4}) (\w+) reported", note)
    assert named, "the note names no year"
    rule = await hand.goto("/methodology/weeks")
    full = re.search(r"cases reported × (\d+) ÷ weeks reported", rule)
    assert full, "no formula"
    await hand.goto("/maps/polio")
    cases, weeks = await entry(hand, named[2], named[1])
    await hand.submit(str(round(cases * int(full[1]) / weeks)))
