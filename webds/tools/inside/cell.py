"""Runs Python as a notebook does: names last from call to call, the value of a last expression is shown."""

import ast
import importlib
import linecache
import types
from collections.abc import Mapping
from typing import Any

SPACE = types.ModuleType("__main__").__dict__
WIDE = {"display.width": 160, "display.max_columns": 40, "display.max_rows": 60}
_calls: list[str] = []


def run(request: Mapping[str, Any]) -> None:
    """Execute `code`. Output goes to stdout; errors are the agent's and pass through."""
    source = request["code"]
    _calls.append("")
    name = f"<cell {len(_calls)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    tree = ast.parse(source, name)
    if "pandas" in source and not SPACE.get("__wide__"):
        widen()
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), SPACE)  # noqa: S102 - the purpose of the sandbox
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), name, "eval"), SPACE)  # noqa: S307 - the same
        if value is not None:
            SPACE["_"] = value
            print(value if type(value).__module__.startswith("pandas") else repr(value))


def widen() -> None:
    """pandas guesses 80 columns where there is no terminal, and would fold tables."""
    pandas = importlib.import_module("pandas")
    for option, value in WIDE.items():
        pandas.set_option(option, value)
    SPACE["__wide__"] = True
