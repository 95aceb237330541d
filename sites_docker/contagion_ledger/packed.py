"""The figures of a sheet as the map's script reads them: one binary file, a third of the size of JSON.

Layout, little-endian: `CLG1`, first year (u16), number of years (u8), number of areas (u8), then for each area in the
order of names and each year: weeks (u8; 255 where the sheet has no such year) and cases as the difference from the
year before, zigzag, in base-128 groups, low first. Populations follow in the same order: thousands, same coding.
"""

import struct

from sites_docker.contagion_ledger.ledger import Ledger, Sheet

NO_YEAR = 255


def varint(value: int) -> bytes:
    """Zigzag, then 7 bits a byte, low first, the high bit says that more follow."""
    rest = value * 2 if value >= 0 else -value * 2 - 1
    out = bytearray()
    while rest > 127:
        out.append(rest & 127 | 128)
        rest >>= 7
    out.append(rest)
    return bytes(out)


def pack(ledger: Ledger, sheet: Sheet) -> bytes:
    """The file behind /maps/<slug>.bin."""
    first, last = sheet.years[0], sheet.years[-1]
    span = range(first, last + 1)
    out = bytearray(b"CLG1" + struct.pack("<HBB", first, len(span), len(ledger.areas)))
    for area in ledger.areas:
        before = 0
        for year in span:
            line = sheet.cells.get((area.name, year))
            out.append(NO_YEAR if line is None else line.weeks)
            if line is not None:
                out += varint(line.cases - before)
                before = line.cases
    for area in ledger.areas:
        before = 0
        for year in span:
            thousands = round((ledger.population.get((area.name, year)) or 0) / 1000)
            out += varint(thousands - before)
            before = thousands
    return bytes(out)
