"""What is known of a trajectory without a model: loops, actions after the answer was seen, deaths at a limit."""

from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from webds.types import AnswerKey, Ending, Json, Step
from webds_judge.rubric.exhibits import fold
from webds_judge.rubric.record import Record
from webds_judge.rubric.triplets import TOOLS, triplets

_OFTEN = 3
"""Times that one thing is done before it is called a loop."""


def told(record: Record) -> Json:
    """What the model is told as fact. Nothing in it comes from the key."""
    limit = record.evidence.why if record.evidence.ending is Ending.LIMIT else ""
    return {"steps": record.evidence.steps, "loops": loops(record), "ended_by_limit": limit}


def loops(record: Record) -> tuple[str, ...]:
    """Steps done three times or more with the same result, and circles of pages, one line each."""
    items = triplets(record.steps, {}, frozenset(), False)
    repeats = [
        f"steps {_listed((item.step, *item.same))} are the same" for item in items if len(item.same) >= _OFTEN - 1
    ]
    return (*repeats, *_circles(record.steps))


def _circles(steps: Sequence[Step]) -> tuple[str, ...]:
    """A way over two to four pages that is gone three times without a new page between."""
    ways = [(step.index, address(step)) for step in steps if step.did.name not in TOOLS and address(step)]
    moves = [here for place, here in enumerate(ways) if not place or here[1] != ways[place - 1][1]]
    for length in (2, 3, 4):
        for start in range(len(moves) - _OFTEN * length + 1):
            urls = [url for _, url in moves[start : start + _OFTEN * length]]
            if urls == urls[:length] * _OFTEN and len(set(urls)) > 1:
                first, last = moves[start][0], moves[start + _OFTEN * length - 1][0]
                return (f"steps {first} to {last} go round {length} pages {_OFTEN} times",)
    return ()


def address(step: Step) -> str:
    """Where a step ended, without fragment."""
    url = step.then.view.get("url")
    return urlsplit(url)._replace(fragment="").geturl() if isinstance(url, str) else ""


def unvisited(record: Record, key: AnswerKey) -> tuple[str, ...]:
    """Pages that the key's evidence stands on and that the try never loaded."""
    been = {_page(str(row.get("url", ""))) for row in record.requests if row.get("outcome", "served") == "served"}
    been |= {_page(address(step)) for step in record.steps}
    return tuple(sorted({url for url in needed(key) if _page(url) not in been}))


def needed(key: AnswerKey) -> tuple[str, ...]:
    """Addresses that the key's checks name as evidence."""
    lists = [check.params.get("evidence", ()) for check in key.checks]
    rows = [row for rows in lists if isinstance(rows, tuple | list) for row in rows]
    return tuple(str(row["url"]) for row in rows if isinstance(row, Mapping) and "url" in row)


def _page(url: str) -> str:
    found = urlsplit(url)
    return f"{found.netloc}{found.path.rstrip('/')}?{found.query}"


def after_seen(record: Record) -> int | None:
    """Actions between the step that first showed the whole answer and the last one; None where none showed it."""
    answer = fold(record.evidence.answer)
    if not answer:
        return None
    shown = (step.index for step in record.steps if step.did.name != "submit" and answer in fold(step.then.text))
    first = next(shown, None)
    return None if first is None else max(0, len(record.steps) - first - 2)


def _listed(numbers: Sequence[int]) -> str:
    counted = Counter(numbers)
    return ", ".join(str(number) for number in sorted(counted))
