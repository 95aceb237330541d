"""The leaderboard as static files: pages without forms, the data as JSON and CSV, and the style sheets."""

import json
import re
from collections.abc import Collection
from pathlib import Path

from webds.errors import InputFault
from webds.files import write_atomic
from webds.serve.board.pages import board_values, entry_values, templates
from webds.serve.board.table import DENOMINATORS, PROVEN
from webds.serve.board.view import as_json, cells_csv, pairs_csv, table_csv, view
from webds.serve.pages import REPORT, STATIC
from webds.submit.book import FILE, Book

_DATA = {"JSON": "board.json", "CSV: entries": "board.csv", "CSV: tiers and labels": "cells.csv",
         "CSV: pairs": "pairs.csv"}  # fmt: skip
_VIEWS = {
    (PROVEN, "lenient"): ("index.html", "Replayed or better, of graded tasks"),
    (PROVEN, "strict"): ("index-strict.html", "Replayed or better, of all tasks"),
    ("all", "lenient"): ("reported.html", "Reported too, of graded tasks"),
    ("all", "strict"): ("reported-strict.html", "Reported too, of all tasks"),
}
"""(level, denominator) -> the file of that view, and its name in the other views."""

_ENTRY = re.compile(r"entry-[0-9]+\.html")


def export_board(books: Path, to: Path) -> int:
    """Write pages, entries, data and style to the folder `to`; how many entries there are.

    index.html has what is proved, reported.html everything; each also as -strict.html. Data files have everything.
    Pages of entries that an earlier export wrote to `to`, and that are no longer shown, are removed: a maintainer hid
    them. InputFault: no books there.
    """
    if not (books / FILE).is_file():
        raise InputFault(f"{books}: no board's books here")
    book, made = Book(books), templates()
    names = {name: file for file, name in _VIEWS.values()} | _DATA
    for (level, denominator), (file, name) in _VIEWS.items():
        found = view(book, {"level": level, "denominator": denominator})
        values = board_values(found, entry_file) | {"static": True, "links": names, "here": name, "csrf": ""}
        _page(to / file, made.text("board.html.j2", **values))
    everything = view(book, {"level": "all"})
    for entry in everything.entries:
        values = entry_values(entry, DENOMINATORS[0], entry_file) | {"static": True, "home": "index.html", "csrf": ""}
        _page(to / entry_file(entry.line.id), made.text("entry.html.j2", **values))
    _remove_others(to, {entry_file(entry.line.id) for entry in everything.entries})
    write_atomic(to / "board.json", (json.dumps(as_json(everything), indent=1, ensure_ascii=False) + "\n").encode())
    for name, text in (
        ("board.csv", table_csv(everything)), ("cells.csv", cells_csv(everything)), ("pairs.csv", pairs_csv(everything))
    ):  # fmt: skip
        write_atomic(to / name, text.encode())
    for name in ("frame.css", "board.css", "icon.svg"):
        write_atomic(to / name, (STATIC / name).read_bytes())
    write_atomic(to / "report.css", (REPORT / "style.css").read_bytes())
    return len(everything.entries)


def entry_file(number: int) -> str:
    """Where an exported entry's page lies, beside the others."""
    return f"entry-{number}.html"


def _remove_others(folder: Path, kept: Collection[str]) -> None:
    """Remove entries' pages but `kept`. Whatever else lies there under such a name stays: ours link to themselves."""
    for path in folder.iterdir():
        if not _ENTRY.fullmatch(path.name) or path.name in kept or not path.is_file():
            continue
        if f'<a href="{path.name}" rel="bookmark">'.encode() in path.read_bytes():
            path.unlink()


def _page(path: Path, text: str) -> None:
    write_atomic(path, text.replace('href="/static/', 'href="').encode("utf-8", "replace"))
