"""Import does nothing: no vendor SDK comes with `import webds`, and the command line comes up quickly."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.startup import help_ratio, medians

VENDORS = (
    "playwright",
    "openai",
    "browser_use",
    "mitmproxy",
    "duckdb",
    "docker",
    "pandas",
    "numpy",
    "pyarrow",
    "matplotlib",
)
LIST_MODULES = "import json, sys\n{0}\nprint(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))"


def loaded_by(statement: str, root: Path) -> set[str]:
    """Top-level names in sys.modules after `statement` in an interpreter of its own."""
    words = [sys.executable, "-c", LIST_MODULES.format(statement)]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "statement",
    [
        "import webds",
        "import webds.cli",
        "import webds.types, webds.ports, webds.errors, webds.codec, webds.store, webds.config, webds.plugins",
        "from webds.cli import build\nbuild(['--help'])",
    ],
)
def test_no_vendor_sdk_is_loaded(statement: str, root: Path) -> None:
    assert loaded_by(statement, root).isdisjoint(VENDORS)


def test_the_list_of_modules_sees_a_vendor(root: Path) -> None:
    assert "numpy" in loaded_by("import numpy", root)


def test_import_leaves_nothing_behind(tmp_path: Path) -> None:
    words = [sys.executable, "-c", "import webds, webds.cli"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr, list(tmp_path.iterdir())) == ("", "", [])


def test_help_lists_every_verb(root: Path) -> None:
    script = "import sys\nfrom webds.cli import VERBS, main\nprint(*VERBS, file=sys.stderr)\nmain()"
    done = subprocess.run([sys.executable, "-c", script, "--help"], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0
    assert [verb for verb in done.stderr.split() if f" {verb} " not in done.stdout] == []


def test_an_unknown_verb_is_one_short_refusal(root: Path) -> None:
    script = "from webds.cli import main\nmain()"
    done = subprocess.run([sys.executable, "-c", script, "fly"], cwd=root, capture_output=True, text=True)
    assert done.returncode == 2
    assert "fly" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_help_is_nearly_as_quick_as_an_empty_app() -> None:
    found = medians()
    assert help_ratio(found) <= 1.3, found
