"""The doctor on this machine, and on machines that lack something."""

import io
import json

import pytest
from rich.console import Console
from typer.testing import CliRunner

from webds import doctor, jail
from webds.cli import doctor as verb

NAMES = ["Python", "Chromium", "libatomic1", "Fonts", "Namespaces", "Control groups", "bubblewrap", "Sandbox", "Caps",
         "Isolation", "Free disk", "Open files"]  # fmt: skip


def test_every_finding_has_a_state_and_its_fix_where_one_is_due(tmp_path):
    findings = doctor.examine(folder=tmp_path)
    assert [finding.name for finding in findings] == NAMES
    for finding in findings:
        assert finding.detail
        assert bool(finding.fix) == (finding.state != "ok")
        assert "\n" not in finding.detail + finding.fix


def test_json_and_exit_code_agree():
    result = CliRunner().invoke(verb.app, ["--json"])
    findings = json.loads(result.stdout)
    assert [finding["name"] for finding in findings] == NAMES
    assert set(findings[0]) == {"name", "state", "detail", "fix"}
    assert result.exit_code == (1 if any(finding["state"] == "missing" for finding in findings) else 0)


def test_a_chromium_that_is_not_there_is_missing_and_exits_1(tmp_path):
    (tmp_path / "c.toml").write_text('chromium = "/no/such/chromium"\n')
    result = CliRunner().invoke(verb.app, ["--config", str(tmp_path / "c.toml")], env={"COLUMNS": "200"})
    assert result.exit_code == 1
    assert "/no/such/chromium: no program there" in result.stdout
    assert "fix Chromium: " in result.stdout


def test_a_chromium_that_does_not_start_is_missing(tmp_path):
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\necho libnss3.so is not there >&2\nexit 127\n")
    broken.chmod(0o755)
    finding = doctor.check_chromium(str(broken))
    assert finding.state == "missing"
    assert "libnss3.so is not there" in finding.detail


@pytest.mark.parametrize(("text", "expected"), [
    ("ID=ubuntu\nID_LIKE=debian\n", "debian"), ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "fedora"),
    ("ID=debian\n", "debian"), ("ID=arch\nVERSION_ID=debian\n", "other"), ("", "other"),
])  # fmt: skip
def test_families(text, expected, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    assert doctor.family(text) == expected


@pytest.mark.parametrize(("here", "expected"), [
    ("debian", "apt-get install a"), ("fedora", "dnf install b"), ("macos", "brew install c"),
    ("other", "Debian/Ubuntu: apt-get install a; Fedora: dnf install b; macOS: brew install c"),
])  # fmt: skip
def test_the_fix_fits_the_system(here, expected, monkeypatch):
    monkeypatch.setattr(doctor, "family", lambda: here)
    assert doctor.install("a", "b", "c") == expected


def test_old_python_few_files_and_a_full_disk(tmp_path, monkeypatch):
    assert doctor.check_python((3, 11)).state == "missing"
    assert doctor.check_open_files(256).fix == "ulimit -n 4096"
    monkeypatch.setattr(doctor, "FREE_GB", (10**9, 10**9))
    assert doctor.check_disk(tmp_path).state == "missing"


@pytest.mark.parametrize(("make", "state", "detail"), [
    (["memory", "pids"], "ok", "v1, writable"), (["cgroup.controllers"], "ok", "v2, writable"),
    ([], "warn", "none mounted"),
])  # fmt: skip
def test_control_groups(tmp_path, make, state, detail):
    for name in make:
        (tmp_path / name).touch() if "." in name else (tmp_path / name).mkdir()
    finding = doctor.check_cgroups(tmp_path)
    assert (finding.state, finding.detail) == (state, detail)


def test_no_sandbox_is_a_warning_in_plain_words(monkeypatch):
    monkeypatch.setattr(jail, "mechanism", lambda: "none")
    monkeypatch.setattr(jail, "mechanism_reason", lambda: "bubblewrap: not installed")
    finding = doctor.check_sandbox()
    assert finding.state == "warn"
    assert "code of agents sees this machine" in finding.detail


def test_text_of_the_system_is_not_read_as_markup():
    out = io.StringIO()
    finding = doctor.Finding(name="X", state="warn", detail="[bold]a[/nope]", fix="[red]b")
    verb.show([finding], Console(file=out, width=100))
    assert "[bold]a[/nope]" in out.getvalue()
    assert "fix X: [red]b" in out.getvalue()
