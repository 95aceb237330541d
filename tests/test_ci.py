"""`.ci/run` believes nothing: it stops at the first part that fails, and looks for the report that the run claims."""

import shutil
import subprocess
from pathlib import Path

import pytest


def ci(root: Path, folder: Path, **recipes: str) -> subprocess.CompletedProcess[str]:
    """Run a copy of .ci/run in a folder whose Makefile has these recipes."""
    (folder / ".ci").mkdir()
    shutil.copy(root / ".ci" / "run", folder / ".ci" / "run")
    parts = {"setup": "true", "check": "true", "test": "true", "run": "true", **recipes}
    makefile = "".join(f".PHONY: {name}\n{name}:\n\t@{body}\n" for name, body in parts.items())
    (folder / "Makefile").write_text(makefile, encoding="utf-8")
    return subprocess.run(["bash", ".ci/run"], cwd=folder, capture_output=True, text=True)


def test_all_parts_are_run_and_timed(tmp_path: Path, root: Path) -> None:
    done = ci(root, tmp_path, run="echo some words; echo x > r.html; echo report: r.html")
    assert done.returncode == 0, done.stderr
    timed = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("ci: ") and line.endswith(" s")]
    assert timed == ["setup", "check", "test", "run"]


@pytest.mark.parametrize(
    "body",
    [
        "echo done",
        "echo report: missing.html",
        "touch empty.html; echo report: empty.html",
        "echo x > r.html; echo report: r.html; echo one more line",
        "echo x > r.html; echo report: r.html; exit 3",
        "true",
    ],
)
def test_a_run_without_its_report_fails(tmp_path: Path, root: Path, body: str) -> None:
    done = ci(root, tmp_path, run=body)
    assert done.returncode == 1
    assert "run failed" in done.stderr


def test_a_failed_check_ends_it(tmp_path: Path, root: Path) -> None:
    done = ci(root, tmp_path, check="false", test="touch went-on")
    assert done.returncode == 1
    assert "check failed" in done.stderr
    assert not (tmp_path / "went-on").exists()


def test_nobody_is_asked_anything(tmp_path: Path, root: Path) -> None:
    done = ci(root, tmp_path, setup='test -z "$$(cat)" && test "$$CI" = true', check="exit 1")
    assert "check failed" in done.stderr
