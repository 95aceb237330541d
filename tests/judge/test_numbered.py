"""Lists whose items begin with a number and a dot, in all forms of lists: no item loses its number."""

import json
from collections.abc import Callable
from itertools import product

import pytest

from webds_judge.answers import compare

LISTS = (
    ["1. FC Koeln", "VfB Stuttgart", "1. FC Nuernberg"],
    ["1. FC Koeln", "1. FC Kaiserslautern"],
    ["VfB Stuttgart", "1. FC Koeln"],
    ["1. FC Koeln"],
)


def _numbered(form: str, between: str) -> Callable[[list[str]], str]:
    return lambda items: between.join(form.format(place, item) for place, item in enumerate(items, start=1))


FORMS: dict[str, Callable[[list[str]], str]] = {
    "commas": ", ".join,
    "semicolons": "; ".join,
    "lines": "\n".join,
    "full stop": lambda items: ", ".join(items) + ".",
    "and": lambda items: " and ".join(filter(None, [", ".join(items[:-1]), items[-1]])),
    "introduced": lambda items: "The order is: " + ", ".join(items),
    "dashes": lambda items: "\n".join(f"- {item}" for item in items),
    "introduced lines": lambda items: "The clubs are:\n" + "\n".join(items),
    "escaped": lambda items: "\n".join(items).replace("1.", "1\\."),
    "bold": lambda items: "\n".join(f"**{item}**" for item in items),
    "json": json.dumps,
    "numbers": _numbered("{}. {}", "\n"),
    "brackets": _numbered("{}) {}", "\n"),
    "numbers in a line": _numbered("{}. {}", " "),
    "numbers and commas": _numbered("{}. {}", ", "),
    "bracketed numbers": _numbered("({}) {}", "; "),
    "bold in numbers": _numbered("{}. **{}**", "\n"),
    "introduced numbers": lambda items: "The clubs, in order:\n" + _numbered("{}. {}", "\n")(items),
}
ORDERED = {
    **FORMS,
    "arrows": " > ".join,
    "then": ", then ".join,
    "places": lambda items: ", ".join(
        f"{place} {item}" for place, item in zip(("1st", "2nd", "3rd"), items, strict=False)
    ),
    "hashes": _numbered("#{} {}", "\n"),
}


@pytest.mark.parametrize(("form", "items"), list(product(ORDERED, LISTS)))
def test_the_order_is_read_with_every_number(form: str, items: list[str]) -> None:
    said = ORDERED[form](items)
    assert compare("ordered_list", tuple(items), said).passed, said
    if len(items) > 1:
        assert not compare("ordered_list", tuple(items[::-1]), said).passed, said
        assert not compare("ordered_list", (*items, "SC Freiburg"), said).passed, said


@pytest.mark.parametrize(("form", "items"), list(product(FORMS, LISTS)))
def test_a_list_in_any_order_is_read_with_every_number(form: str, items: list[str]) -> None:
    assert compare("list", tuple(items[::-1]), FORMS[form](items)).passed


def test_another_number_is_another_item() -> None:
    assert not compare("ordered_list", ("1. FC Koeln", "VfB Stuttgart"), "2. FC Koeln, VfB Stuttgart").passed
    assert not compare("ordered_list", ("1. FC Koeln", "VfB Stuttgart"), "11. FC Koeln, VfB Stuttgart").passed
    assert not compare("ordered_list", ("1. FC Koeln", "VfB Stuttgart"), "FC Koeln, VfB Stuttgart").passed


def test_places_in_one_line_stay_places() -> None:
    assert compare("ordered_list", ("VfB Stuttgart", "FC Bayern"), "1. VfB Stuttgart 2. FC Bayern").passed
    assert not compare("ordered_list", ("FC Bayern", "VfB Stuttgart"), "1. VfB Stuttgart, 2. FC Bayern").passed
    assert compare("ordered_list", ("FC Bayern", "1. FC Koeln"), "1. FC Bayern\n2. 1. FC Koeln").passed
