"""The board's two public pages as templates see them: served, or as files whose links point beside them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from webds.prices import dollars
from webds.serve.board import cells, chart, pairs
from webds.serve.board.table import PROVEN, Entry
from webds.serve.board.view import NO_HUMAN, NOTE, View
from webds.serve.pages import Pages
from webds.stats import percent, points
from webds.submit.agreed import kappa_text

_TEMPLATES = Path(__file__).parent / "templates"
_WORDS = {PROVEN: "replayed or better", "all": "all, reported too", "lenient": "graded tasks", "strict": "all tasks"}


def templates() -> Pages:
    """The templates of all the board's pages."""
    words: dict[str, Callable[..., Any]] = {"percent": percent, "points": points, "dollars": dollars}
    return Pages(_TEMPLATES, filters={**words, "p_value": _p, "kappa": kappa_text, "short": cells.short})


def entry_url(number: int) -> str:
    """Where a served entry's page is, for ever."""
    return f"/board/entry/{number}"


def board_values(view: View, link: Callable[[int], str] = entry_url) -> dict[str, Any]:
    """For board.html.j2; `link` says where an entry's page lies."""
    of = view.denominator
    tiers = [table for table in view.tables if table.label == "tier"]
    charts = {
        "rates": {section.name: chart.rates(section, of) for section in view.sections},
        "legends": {s.name: chart.legend(chart.levels((*s.agents, *s.people))) for s in view.sections},
        "tiers": chart.tiers(tiers[0]) if tiers else "",
        "differences": chart.differences(view.pairs),
    }
    return {
        "part": "board", "view": view, "charts": charts, "entry_url": link, "note": NOTE, "no_human": NO_HUMAN,
        "words": {name: _WORDS.get(name, "") for name in (*view.choices["level"], *view.choices["denominator"])},
        "few": cells.FEW, "most_pairs": pairs.MOST, "static": False,
    }  # fmt: skip


def entry_values(entry: Entry, denominator: str, link: Callable[[int], str] = entry_url) -> dict[str, Any]:
    """For entry.html.j2."""
    return {
        "part": "board", "line": entry.line, "cells": cells.cells(entry, denominator), "denominator": denominator,
        "entry_url": link, "note": NOTE, "few": cells.FEW, "home": "/board/", "static": False,
    }  # fmt: skip


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
