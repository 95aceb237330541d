"""One-to-one matching under an equality that is not transitive (rounding): augmenting paths, bounded in size."""

from collections import Counter
from collections.abc import Callable

MOST = 400


def unmatched[A, B](left: list[A], right: list[B], same: Callable[[A, B], bool]) -> tuple[list[A], list[B]]:
    """What is left over of both sides in a largest matching. Above MOST items it pairs first fits only."""
    partner: dict[int, int] = {}
    edges = [[j for j, b in enumerate(right) if same(a, b)] for a in left] if len(left) <= MOST else None
    if edges is None or len(right) > MOST:
        return _first_fit(left, right, same)
    for i in range(len(left)):
        _augment(i, edges, partner)
    used = set(partner.values())
    return [a for i, a in enumerate(left) if i not in used], [b for j, b in enumerate(right) if j not in partner]


def _augment(start: int, edges: list[list[int]], partner: dict[int, int]) -> None:
    """Give left item `start` a partner, moving others along if need be (breadth first, no recursion)."""
    came: dict[int, int] = {}
    queue = [start]
    while queue:
        i = queue.pop(0)
        for j in edges[i]:
            if j in came:
                continue
            came[j] = i
            if j not in partner:
                _flip(j, start, came, partner)
                return
            queue.append(partner[j])


def _flip(j: int, start: int, came: dict[int, int], partner: dict[int, int]) -> None:
    while True:
        i = came[j]
        before = next((k for k, owner in partner.items() if owner == i), None) if i != start else None
        partner[j] = i
        if before is None:
            return
        del partner[before]
        j = before


def _without_equals[A, B](left: list[A], right: list[B]) -> tuple[list[A], list[B]]:
    """What is written alike on both sides is paired at once, wherever it stands."""
    there = Counter(map(str, right))
    kept = []
    for a in left:
        if there[str(a)] > 0:
            there[str(a)] -= 1
        else:
            kept.append(a)
    rest = []
    for b in reversed(right):  # of several alike the last ones are left
        if there[str(b)] > 0:
            there[str(b)] -= 1
            rest.append(b)
    return kept, rest[::-1]


def _first_fit[A, B](left: list[A], right: list[B], same: Callable[[A, B], bool]) -> tuple[list[A], list[B]]:
    left, right = _without_equals(left, right)
    rest = list(right[: MOST * 10])
    lost = []
    for a in left[: MOST * 10]:
        j = next((j for j, b in enumerate(rest[:MOST]) if same(a, b)), None)
        if j is None:
            lost.append(a)
        else:
            rest.pop(j)
    return lost + left[MOST * 10 :], rest + right[MOST * 10 :]
