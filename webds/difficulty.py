"""Difficulty computed from labels, never rated by people (WebDS, section on attributes; docs/decisions).

Of multi-hop, hard data, action and tool use: none holds and one site = easy; exactly one and one site = medium;
two or more, or several sites = hard. `seed` counts unstructured data as hard data, `non_text` counts figures,
charts and images.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from webds.types import Json

Rule = Literal["seed", "non_text"]


def difficulty(labels: Mapping[str, Json], rule: Rule = "non_text") -> str:
    """`easy`, `medium` or `hard` for labels kind, hops, data, media, tools, sites."""
    sites = labels.get("sites")
    several = isinstance(sites, Sequence) and not isinstance(sites, str) and len(sites) > 1
    hard_data = labels.get("data") == "unstructured" if rule == "seed" else labels.get("media") == "non_text"
    held = sum((labels.get("hops") == "multi", hard_data, labels.get("kind") == "action", bool(labels.get("tools"))))
    if several or held > 1:
        return "hard"
    return "medium" if held else "easy"
