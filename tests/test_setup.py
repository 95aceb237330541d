"""`.ci/setup` finds a Python wherever one may be, and says in one line where it looked when there is none.

Each test gives the script a PATH of its own: the shell's tools, an account database of its own, and nothing else.
"""

import re
import shutil
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.conftest import OutsideNetwork, is_loopback

TOOLS = (
    "sh",
    "dirname",
    "cat",
    "cksum",
    "cut",
    "date",
    "id",
    "mkdir",
    "mktemp",
    "rm",
    "sed",
    "tail",
    "tr",
    "uname",
    "head",
)


class Machine:
    """A machine made of a folder: `bin` is its PATH, `account` the home folder that its passwd database names."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.root = root
        self.bin = folder / "bin"
        self.home = folder / "empty-home"
        self.account = folder / "account"
        for place in (self.bin, self.home, self.account):
            place.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(str(shutil.which(tool)))
        self.program(self.bin / "getent", f'echo "someone:x:1:1::{self.account}:/bin/sh"')

    def program(self, path: Path, body: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def python(self, path: Path) -> None:
        self.program(path, f'exec "{sys.executable}" "$@"')

    def setup(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        given = {"HOME": str(self.home), "PATH": str(self.bin), **environment}
        command = [str(self.bin / "sh"), ".ci/setup", *words]
        return subprocess.run(command, cwd=self.root, env=given, capture_output=True, text=True)


@pytest.fixture
def machine(tmp_path: Path, root: Path) -> Machine:
    """A machine without any Python. The script lies in a copy: it must never touch this checkout's .venv."""
    copy = tmp_path / "checkout"
    (copy / ".ci").mkdir(parents=True)
    for name in (".ci/setup", "pyproject.toml", "requirements.lock"):
        shutil.copy(root / name, copy / name)
    return Machine(tmp_path, copy)


@pytest.mark.parametrize("words", [(), ("--which",)])
def test_without_python_it_names_what_it_wants_and_where_it_looked(machine: Machine, words: tuple[str, ...]) -> None:
    done = machine.setup(*words, PYENV_ROOT=str(machine.root / "pyenv"))
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    places = [
        "3.12 or newer",
        "PATH",
        f"{machine.root}/pyenv/versions",
        f"{machine.home}/.pyenv",
        f"{machine.account}/.pyenv",
        "uv",
    ]
    assert [place for place in places if place not in done.stderr] == []
    assert not (machine.root / ".venv").exists()


def test_an_old_python_and_a_shim_that_fails_are_passed_over(machine: Machine) -> None:
    machine.program(machine.bin / "python3.12", 'echo "pyenv: python3.12: command not found" >&2; exit 127')
    machine.program(machine.bin / "python3", "exit 1")
    done = machine.setup("--which")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "place",
    ["bin/python3.12", "bin/python3.14", "bin/python3", "bin/python", "pyenv/versions/3.12.9/bin/python3",
     "empty-home/.pyenv/versions/3.13.0/bin/python3", "account/.pyenv/versions/3.12.1/bin/python3"],
)  # fmt: skip
def test_a_python_is_found_in_each_place(machine: Machine, tmp_path: Path, place: str) -> None:
    machine.program(tmp_path / "account/.pyenv/versions/3.11.7/bin/python3", "exit 1")
    machine.python(tmp_path / place)
    done = machine.setup("--which", PYENV_ROOT=str(tmp_path / "pyenv"))
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).resolve() == Path(sys.executable).resolve()


def test_uv_is_asked(machine: Machine, tmp_path: Path) -> None:
    machine.python(tmp_path / "managed/python3")
    machine.program(machine.bin / "uv", f'[ "$1 $2" = "python find" ] && echo "{tmp_path}/managed/python3"')
    done = machine.setup("--which")
    assert done.returncode == 0, done.stderr


def test_an_unknown_option_is_refused_with_the_known_ones(machine: Machine) -> None:
    done = machine.setup("--wich")
    assert (done.returncode, done.stderr) == (2, "setup: unknown option --wich; known: --which\n")


def test_a_failed_installation_shows_the_end_of_its_log(machine: Machine) -> None:
    # New enough, able to say where it lies, and with no room for an environment.
    name = machine.bin / "python3.12"
    machine.program(
        name, f'case "$*" in *"-m venv"*) echo "no room left"; exit 1 ;; *version_info*) echo "{name}" ;; esac'
    )
    done = machine.setup()
    assert done.returncode == 3
    assert "no room left" in done.stderr
    assert ".venv/setup.log" in done.stderr.splitlines()[-1]


def test_the_lock_holds_names_versions_and_hashes_only(root: Path) -> None:
    text = (root / "requirements.lock").read_text(encoding="utf-8")
    pinned = re.compile(r"[A-Za-z0-9._-]+(\[[a-z0-9,-]+\])?==[A-Za-z0-9.+!]+( ; [^/\\]+)? \\")
    digest = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")
    assert [line for line in text.splitlines() if not pinned.fullmatch(line) and not digest.fullmatch(line)] == []


def test_the_lock_covers_every_dependency(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [
        *project["project"]["dependencies"],
        *project["dependency-groups"]["dev"],
        *project["build-system"]["requires"],
    ]
    names = {re.split(r"[^A-Za-z0-9._-]", word)[0].lower() for word in wanted}
    locked = set(
        re.findall(r"^([A-Za-z0-9._-]+)", (root / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert names - locked == set()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.64.3.9", "::1", "localhost", "", None])
def test_loopback_is_open(host: str | None) -> None:
    assert is_loopback(host)


def test_the_network_is_closed_to_tests() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out, pytest.raises(OutsideNetwork, match="loopback only"):
        out.connect(("192.0.2.1", 9))
    with pytest.raises(OutsideNetwork, match="example"):
        socket.getaddrinfo("example.test", 80)
    near, far = socket.socketpair()
    near.sendall(b"x")
    assert far.recv(1) == b"x"
    near.close()
    far.close()
