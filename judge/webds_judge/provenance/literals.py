"""Constants in the source of a call: a value that stands there was written, not computed."""

import ast
import re
from collections.abc import Iterator
from decimal import Decimal

from webds_judge.provenance.values import Value, holds, numbers

STRUCTURAL = frozenset(Decimal(number) for number in (0, 1, 2, 10, 12, 24, 60, 100, 365, 1000, 1_000_000))
"""Numbers that computations have of themselves: positions, percent, thousands, months."""


def written(source: str, value: Value) -> bool:
    """Whether the value stands in the source: as a constant, in a text, or in texts that are put together."""
    texts = [*constants(source), "".join(_pieces(source))]
    return any(holds(text, value, rounding=False) for text in texts)


def constants(source: str) -> list[str]:
    """Constants of Python code as text; of anything else its numbers and quoted texts."""
    tree = _tree(source)
    if tree is None:
        return [*(str(number) for number in numbers(source)), *re.findall(r"'([^']*)'", source)]
    return [_text(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant) and _is_data(node.value)]


def unseen(source: str, seen: frozenset[Decimal]) -> frozenset[Decimal]:
    """Numbers in the source that no page had shown and that are not structural."""
    found = frozenset(number for text in constants(source) for number in numbers(text))
    return found - seen - STRUCTURAL


def shifted(source: str) -> str:
    """Python code with every number that is not structural changed: what depends on them comes out differently."""
    tree = _tree(source)
    return ast.unparse(ast.fix_missing_locations(_Shift().visit(tree))) if tree is not None else source


class _Shift(ast.NodeTransformer):
    """Each number by another step: a difference of two would stay if both moved alike."""

    def __init__(self) -> None:
        self._place = 0

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """A constant, or another in its place."""
        number = node.value
        if isinstance(number, bool) or not isinstance(number, int | float) or Decimal(str(number)) in STRUCTURAL:
            return node
        self._place += 1
        factor = 1.37 + self._place * self._place * 0.13
        return ast.Constant(int(number * factor) + 5 if isinstance(number, int) else number * factor + 0.11)


def _tree(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_data(value: object) -> bool:
    return isinstance(value, str | bytes | int | float) and not isinstance(value, bool)


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _pieces(source: str) -> Iterator[str]:
    """Texts in the order of the source: "34." + "769" is 34.769."""
    tree = _tree(source)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)] if tree is not None else []
    texts = [node for node in nodes if isinstance(node.value, str | int) and not isinstance(node.value, bool)]
    yield from (_text(node.value) for node in sorted(texts, key=lambda node: (node.lineno, node.col_offset)))
