"""Evidence cut to the room that it has: all long texts to one length, every cut visible."""

import json
from bisect import bisect_left

from webds.types import Json
from webds_judge.rubric.triplets import shorter

_SHORTEST = 50
"""No text is cut below this; where that is still too much, lists end early."""


def length(value: Json) -> int:
    """Characters as JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def fitted(value: Json, room: int, longest: int) -> Json:
    """`value` with no text over `longest`, and so much shorter that it takes `room` characters of JSON at the most."""
    if length(whole := _cut(value, longest)) <= room:
        return whole
    texts = range(_SHORTEST, max(_SHORTEST + 1, longest))
    place = bisect_left(texts, True, key=lambda most: length(_cut(value, most)) > room)
    if place:
        return _cut(value, texts[place - 1])
    lists = range(1, max(2, _longest_list(value) + 1))
    place = bisect_left(lists, True, key=lambda most: length(_cut(value, _SHORTEST, most)) > room)
    return _cut(value, _SHORTEST, lists[max(0, place - 1)])


def _cut(value: Json, longest: int, most: int | None = None) -> Json:
    if isinstance(value, str):
        return shorter(value, longest)
    if isinstance(value, dict):
        return {name: _cut(item, longest, most) for name, item in value.items()}
    if isinstance(value, list | tuple):
        found = tuple(_cut(item, longest, most) for item in value[:most])
        return found if most is None or len(value) <= most else (*found, f"[cut here: {len(value) - most} more]")
    return value


def _longest_list(value: Json) -> int:
    if isinstance(value, dict):
        return max(map(_longest_list, value.values()), default=0)
    if isinstance(value, list | tuple):
        return max(len(value), *map(_longest_list, value)) if value else 0
    return 0
