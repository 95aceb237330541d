"""The leaderboard as static files: the page without forms, the data as JSON and CSV, and the style sheets."""

import json
from pathlib import Path

from webds.errors import InputFault
from webds.files import write_atomic
from webds.serve.board import table
from webds.serve.board.chart import chart
from webds.serve.pages import STATIC, Pages
from webds.submit.book import FILE, Book

_HERE = Path(__file__).parent / "templates"
_STYLE = Path(__file__).parents[2] / "report" / "templates" / "style.css"


def export_board(books: Path, to: Path) -> int:
    """Write index.html, board.json, board.csv and their style to the folder `to`; how many entries there are.

    Reported entries are in it too, marked by their level. InputFault: no books there.
    """
    if not (books / FILE).is_file():
        raise InputFault(f"{books}: no board's books here")
    book = Book(books)
    shown, words = table.lines(book, {"level": "all"}), table.details(book)
    values = {
        "part": "board", "csrf": "", "shown": shown, "chart": chart(shown), "asked": {}, "choices": {}, "query": "",
        "pairs": table.pairs(shown, words), "teams": {line.id: line.team for line in shown}, "note": table.NOTE,
        "static": True,
    }  # fmt: skip
    page = Pages(_HERE).text("board.html.j2", **values)
    data = {"entries": table.as_json(shown), "pairs": values["pairs"], "note": table.NOTE}
    write_atomic(to / "index.html", page.replace('href="/static/', 'href="').encode())
    write_atomic(to / "board.json", (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode())
    write_atomic(to / "board.csv", table.as_csv(shown).encode())
    for name in ("frame.css", "board.css", "icon.svg"):
        if (STATIC / name).is_file():
            write_atomic(to / name, (STATIC / name).read_bytes())
    write_atomic(to / "report.css", _STYLE.read_bytes())
    return len(shown)
