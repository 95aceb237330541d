"""What the build refuses: long modules and functions, missing annotations, broad excepts, stray environment reads."""

import ast
import statistics
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

MODULE_LINES = 300
FUNCTION_LINES = 60
FUNCTION_LINES_P95 = 40
BROAD = ("Exception", "BaseException")
MAY_CATCH_ALL = ("webds/errors.py",)
MAY_READ_ENVIRONMENT = ("webds/config.py",)

type Function = ast.FunctionDef | ast.AsyncFunctionDef


def product_files(root: Path) -> list[str]:
    """Python files of the product, tracked or about to be, relative to the checkout."""
    words = ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"]
    listed = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    return [
        name for name in sorted(set(listed)) if not name.startswith(("tests/", "examples/")) and (root / name).is_file()
    ]


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def length(function: Function) -> int:
    """Lines from `def` to the end, without decorators."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def unannotated(function: Function) -> list[str]:
    spec = function.args
    given = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *filter(None, (spec.vararg, spec.kwarg))]
    names = [a.arg for a in given if a.annotation is None and a.arg not in ("self", "cls")]
    return names if function.returns is not None else [*names, "return"]


def broad_excepts(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            if any(kind is None or (isinstance(kind, ast.Name) and kind.id in BROAD) for kind in kinds):
                yield node.lineno


def environment_reads(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os"
        if named and isinstance(node, ast.Attribute) and node.attr in ("environ", "environb", "getenv"):
            yield node.lineno
        if isinstance(node, ast.ImportFrom) and node.module == "os":
            yield from (node.lineno for alias in node.names if alias.name in ("environ", "environb", "getenv"))


@pytest.fixture(scope="module")
def sources(root: Path) -> dict[str, str]:
    return {name: (root / name).read_text(encoding="utf-8") for name in product_files(root)}


@pytest.fixture(scope="module")
def trees(sources: dict[str, str]) -> dict[str, ast.Module]:
    return {name: ast.parse(text, name) for name, text in sources.items()}


def test_modules_are_short(sources: dict[str, str]) -> None:
    long = {name: lines for name, text in sources.items() if (lines := len(text.splitlines())) > MODULE_LINES}
    assert not long, f"over {MODULE_LINES} lines (split by meaning): {long}"


def test_functions_are_short(trees: dict[str, ast.Module]) -> None:
    lengths = {f"{name}:{f.lineno} {f.name}": length(f) for name, tree in trees.items() for f in functions(tree)}
    long = {where: lines for where, lines in lengths.items() if lines > FUNCTION_LINES}
    assert not long, f"over {FUNCTION_LINES} lines: {long}"
    p95 = statistics.quantiles(lengths.values(), n=20)[-1]
    assert p95 < FUNCTION_LINES_P95, f"95th percentile is {p95:.0f} lines, wanted under {FUNCTION_LINES_P95}"


def test_everything_is_annotated(trees: dict[str, ast.Module]) -> None:
    bare = {
        f"{name}:{f.lineno} {f.name}": lack
        for name, t in trees.items()
        for f in functions(t)
        if (lack := unannotated(f))
    }
    assert not bare, bare


@pytest.mark.parametrize(
    ("find", "allowed", "rule"),
    [
        (broad_excepts, MAY_CATCH_ALL, "only webds.errors.blame may catch everything"),
        (environment_reads, MAY_READ_ENVIRONMENT, "only webds.config may read the environment"),
    ],
)
def test_named_places_only(trees: dict[str, ast.Module], find, allowed: tuple[str, ...], rule: str) -> None:
    found = [f"{name}:{line}" for name, tree in trees.items() if name not in allowed for line in find(tree)]
    assert not found, f"{rule}: {found}"


def test_the_rules_can_fail() -> None:
    bad = ast.parse(
        "import os\nfrom os import getenv\n"
        "def f(a, *b, c=1, **d):\n"
        "  try: os.environ['x']\n  except (ValueError, Exception): pass\n  try: pass\n  except: pass\n"
    )
    assert list(broad_excepts(bad)) == [5, 7]
    assert sorted(environment_reads(bad)) == [2, 4]
    function = next(functions(bad))
    assert unannotated(function) == ["a", "c", "b", "d", "return"]
    assert length(function) == 5
