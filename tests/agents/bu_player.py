"""Scripts for the scripted endpoint in the words of browser-use: its own action schema, elements by its own numbers.

Which reply is due shows from how many calls of the task came before. It is no model: each reply is fixed.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from tests.agents.player import text_of
from tests.models.endpoint import Said

type Move = Callable[[str], dict[str, Any]]


def click(label: str) -> Move:
    return lambda page: {"click": {"index": index(page, label)}}


def fixed(**action: Any) -> Move:
    return lambda page: action


def done(text: str) -> Move:
    return fixed(done={"text": text, "success": True, "files_to_display": []})


MOVES: dict[str, list[Move]] = {
    "the river Dunmore, as": [done("233")],
    "has the river Brane": [
        click("Search"),
        lambda page: {"input": {"index": index(page, "name=river"), "text": "Brane", "clear": True}},
        click("Look up"),
        done("55"),
    ],
    "mean gauge height": [
        click("Rivers"),
        click("Files"),
        click("Gauges as CSV"),
        fixed(python={"text": "import pandas as pd\nprint(pd.read_csv('gauges.csv').metres.mean())"}),
        done("4"),
    ],
}


def index(page: str, label: str) -> int:
    """The library's number of the element that the label names."""
    lines = page.splitlines()
    for at, line in enumerate(lines):
        found = re.search(r"\[(\d+)\]<", line)
        if found and label in "\n".join(lines[at : at + 2]).partition("\n\t\t")[0]:
            return int(found[1])
    raise AssertionError(f"no {label!r} in {page}")


def player(seen: list[str], known: Mapping[str, list[Move]] = MOVES) -> Callable[[dict[str, Any]], Said]:
    """Replies in order, each task counted for itself; `seen` keeps the last message of each call."""
    calls: Counter[str] = Counter()

    def answer(body: dict[str, Any]) -> Said:
        page = text_of({"messages": body["messages"][-1:]}).replace("\\n", "\n").replace("\\t", "\t")
        seen.append(page)
        task = next(word for word in known if word in text_of(body))
        moves = known[task]
        action = moves[min(calls[task], len(moves) - 1)](page)
        calls[task] += 1
        words = {"evaluation_previous_goal": "", "memory": "", "next_goal": "", "thinking": ""}
        return {"text": json.dumps({**words, "action": [action]}), "usage": (1000, 20)}

    return answer
