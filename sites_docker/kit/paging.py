"""Long lists in pages: `?page=3`."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One page of a list. Pages count from 1; `first` and `final` are the positions it shows."""

    items: Sequence[Any]
    number: int
    last: int
    total: int
    first: int
    final: int

    @property
    def near(self) -> list[int]:
        """Page numbers to link: the ends and two on each side; 0 stands for a gap."""
        wanted = sorted({1, self.last, *range(max(1, self.number - 2), min(self.last, self.number + 2) + 1)})
        out: list[int] = []
        for number in wanted:
            if out and number - out[-1] > 1:
                out.append(0)
            out.append(number)
        return out


def paged(request: Request, items: Sequence[Any], size: int = 25) -> Sheet:
    """The page that the query asks for. HTTPException 404 where there is no such page."""
    last = max(1, ceil(len(items) / size))
    asked = request.query_params.get("page", "1")
    number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 7 else 0
    if not 1 <= number <= last:
        raise HTTPException(404)
    start = (number - 1) * size
    shown = items[start : start + size]
    return Sheet(
        items=shown, number=number, last=last, total=len(items), first=start + bool(shown), final=start + len(shown)
    )
