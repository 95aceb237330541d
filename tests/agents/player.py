"""Scripts for the scripted endpoint: what a model would have to say to solve the three tasks of `webds agents check`.

It is no model: each reply is fixed, and which one is due shows from what the request says was done already.
"""

import json
from collections.abc import Callable
from typing import Any

from tests.models.endpoint import Said

SITE = "https://three-pages.test"
MOVES: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "the river Dunmore, as": [("submit", {"answer": "233"})],
    "has the river Brane": [("goto", {"url": f"{SITE}/search?river=Brane"}), ("submit", {"answer": "55"})],
    "mean gauge height": [
        ("download", {"url": f"{SITE}/gauges.csv"}),
        ("sql", {"query": "SELECT avg(metres) FROM 'gauges.csv'"}),
        ("submit", {"answer": "4"}),
    ],
}


def text_of(body: dict[str, Any]) -> str:
    """All that the request says in words."""
    parts = [message.get("content") or "" for message in body["messages"]]
    return "\n".join(part if isinstance(part, str) else json.dumps(part) for part in parts)


def move(body: dict[str, Any], done: int) -> tuple[str, dict[str, Any]]:
    """The move that is due."""
    asked = text_of({"messages": body["messages"][:2]}).partition("Page:")[0]
    moves = next(moves for word, moves in MOVES.items() if word in asked)
    return moves[min(done, len(moves) - 1)]


def as_text(count: Callable[[dict[str, Any]], int]) -> Callable[[dict[str, Any]], Said]:
    """Replies that are a JSON object in the text."""

    def answer(body: dict[str, Any]) -> Said:
        name, args = move(body, count(body))
        return {"text": json.dumps({"thought": "", "name": name, "args": args}), "usage": (1000, 20)}

    return answer


def as_tools(count: Callable[[dict[str, Any]], int]) -> Callable[[dict[str, Any]], Said]:
    """Replies that are a tool call; the probe of agent llm gets its pong."""

    def answer(body: dict[str, Any]) -> Said:
        if body["tools"][0]["function"]["name"] == "ping":
            return {"calls": [("ping", '{"word": "pong"}')]}
        name, args = move(body, count(body))
        return {"calls": [(name, json.dumps(args))], "usage": (1000, 20)}

    return answer


def done_so_far(body: dict[str, Any]) -> int:
    """Of the Python and Node examples: a JSON list in the prompt."""
    return len(json.loads(text_of(body).partition("Done so far: ")[2].partition("\nPage:")[0]))


def tool_results(body: dict[str, Any]) -> int:
    """Of a client that keeps the conversation."""
    return sum(message["role"] == "tool" for message in body["messages"])


def numbered(body: dict[str, Any]) -> int:
    """Of agent llm: a numbered line for each step, in the message after the system's."""
    shown = text_of({"messages": body["messages"][1:2]}).replace("\\n", "\n")
    return sum(f"\n{number}. " in shown for number in range(1, 20))
