"""What the board shows for one set of filters, made once for the page, the JSON and CSV API and the static files."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlencode

from webds.serve.board import cells, table
from webds.serve.board.pairs import Pair, pairs
from webds.serve.board.table import Entry, Line
from webds.submit.agreed import Agreement, registered
from webds.submit.book import HUMAN, Book
from webds.submit.ladder import SMALLEST_CELL

NOTE = (
    "Private figures are steps of the ladder rule over a subset that is drawn anew each week: no interval, and no cell"
    f" under {SMALLEST_CELL} tasks is shown."
)
NO_HUMAN = "none measured: no person's run is registered"
EMPTY = ("public", "dockerized")
"""Split and track of the section that stands where nothing fits."""


@dataclass(frozen=True, slots=True)
class Section:
    """One split on one track, which is what compares: agents in their order, and people apart from them."""

    split: str
    track: str
    agents: Sequence[Entry]
    people: Sequence[Entry]

    @property
    def title(self) -> str:
        """`Public split`, with the track where it is not the frozen one."""
        track = "" if self.track == EMPTY[1] else f", track {self.track}"
        return f"{self.split.capitalize()} split{track}"

    @property
    def name(self) -> str:
        """For addresses within the page."""
        return f"{self.split}-{self.track}"


@dataclass(frozen=True, slots=True)
class View:
    """The board under `asked`, whose level and denominator are always there; `every`: without any filter."""

    asked: Mapping[str, str]
    every: Sequence[Entry]
    sections: Sequence[Section]
    by_entry: Sequence[tuple[Entry, Sequence[cells.Cell]]]
    """Cells of the public entries."""
    tables: Sequence[cells.Table]
    pairs: Sequence[Pair]
    judges: Sequence[Agreement]

    @property
    def denominator(self) -> str:
        return self.asked["denominator"]

    @property
    def query(self) -> str:
        """The filters as a query that says everything, so that its link shows the same for ever."""
        return urlencode({name: self.asked[name] for name in table.FILTERS if name in self.asked})

    @property
    def entries(self) -> list[Entry]:
        """All that is shown, agents before people in each split."""
        return [entry for section in self.sections for entry in (*section.agents, *section.people)]

    @property
    def choices(self) -> dict[str, list[str]]:
        """Values that each filter can be set to."""
        lines = [entry.line for entry in self.every if entry.line.kind != HUMAN]
        return {
            name: list(table.KNOWN.get(name, ())) or sorted({str(getattr(line, name)) for line in lines} - {""})
            for name in table.FILTERS
        }


def view(book: Book, asked: Mapping[str, str]) -> View:
    """The board for what was asked. InputFault: a filter or value that is not known."""
    wanted = table.check(asked)
    every = table.entries(book, wanted["denominator"])
    shown = [entry for entry in every if table.fits(entry.line, wanted)]
    there = sorted({(entry.line.split, entry.line.track) for entry in shown})
    nothing = (wanted.get("split", EMPTY[0]), wanted.get("track", EMPTY[1]))
    sections = [_section(*where, shown) for where in there or [nothing]]
    public = [entry for entry in shown if entry.line.split == "public"]
    own = [(entry, cells.cells(entry, wanted["denominator"])) for entry in public]
    tables = cells.tables(own)
    return View(wanted, every, sections, own, tables, pairs(public, wanted["denominator"]), registered(book))


def _section(split: str, track: str, shown: Iterable[Entry]) -> Section:
    mine = [entry for entry in shown if (entry.line.split, entry.line.track) == (split, track)]
    people = [entry for entry in mine if entry.line.kind == HUMAN]
    return Section(split, track, [entry for entry in mine if entry.line.kind != HUMAN], people)


def as_json(found: View) -> dict[str, Any]:
    """The whole view. `human.measured` is false, with a note and no figure, where no person's run is shown."""
    people = [entry for section in found.sections for entry in section.people]
    return {
        "asked": dict(found.asked),
        "entries": [asdict(entry.line) for section in found.sections for entry in section.agents],
        "human": {
            "measured": bool(people),
            "entries": [asdict(entry.line) for entry in people],
            "notes": {section.name: NO_HUMAN for section in found.sections if not section.people},
        },
        "cells": _cells(found),
        "pairs": [pair.plain() for pair in found.pairs],
        "judges": [asdict(judge) for judge in found.judges],
        "note": NOTE,
    }


def table_csv(found: View) -> str:
    """A row an entry; people last in their split, or a row that says that none was measured."""
    rows: list[Mapping[str, Any]] = []
    for section in found.sections:
        rows += [asdict(entry.line) for entry in (*section.agents, *section.people)]
        if not section.people:
            rows.append(
                {"kind": HUMAN, "agent": HUMAN, "split": section.split, "track": section.track, "note": NO_HUMAN}
            )
    return _csv((*Line.__dataclass_fields__, "note"), rows)


def cells_csv(found: View) -> str:
    """A row a cell: tier, domain and every label of each public entry."""
    return _csv(tuple(cells.Cell.__dataclass_fields__), _cells(found))


def _cells(found: View) -> list[dict[str, Any]]:
    return [asdict(cell) for _, own in found.by_entry for cell in own]


def pairs_csv(found: View) -> str:
    """A row a pair of public entries."""
    names = ("first", "second", "before", "after", "difference", "low", "high", "n", "p", "p_holm")
    return _csv(names, [pair.plain() for pair in found.pairs])


def _csv(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """With a header; a cell that a spreadsheet would take for a formula begins with an apostrophe."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(names)
    out.writerows([_safe(row.get(name)) for name in names] for row in rows)
    return text.getvalue()


def _safe(value: object) -> object:
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return "" if value is None else value
