"""What this machine has and lacks: each finding with its state and, where something is to be done, its fix.

Nothing is guessed from version numbers where it can be tried: namespaces are opened, Chromium is asked its version.
"""

import ctypes
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from webds import jail
from webds.config import find_chromium
from webds.errors import InputFault
from webds.tools.caps import in_force as caps_in_force
from webds.tracks.layers import LAYERS, in_force, missing
from webds.tracks.world import namespaces

type State = Literal["ok", "warn", "missing"]
type Family = Literal["debian", "fedora", "macos", "other"]

PYTHON = (3, 12)
FREE_GB = (1, 5)
"""Below the first a run cannot be kept (missing), below the second a long one may not (warn)."""
FILES = 1024
_NAMESPACES = {"user": "CLONE_NEWUSER", "mount": "CLONE_NEWNS", "net": "CLONE_NEWNET", "pid": "CLONE_NEWPID"}
_INSTALL = {
    "debian": "apt-get install {debian}",
    "fedora": "dnf install {fedora}",
    "macos": "brew install {macos}",
}
_ALLOW_NAMESPACES = (
    "run as root, or allow user namespaces (Ubuntu 24.04: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0; "
    "in a container: --security-opt seccomp=unconfined --security-opt apparmor=unconfined)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing looked at. `missing` means that webds does not run without it, `warn` that it runs with less."""

    name: str
    state: State
    detail: str
    fix: str = ""
    """One line; empty where the state is ok."""


def examine(chromium: str = "", folder: Path | None = None, cgroup: str = "") -> list[Finding]:
    """All findings. `chromium`, `cgroup`: as configured; `folder`: where runs are kept (default: the current one)."""
    checks: list[Callable[[], Finding]] = [
        check_python,
        lambda: check_chromium(chromium),
        check_libatomic,
        check_fonts,
        check_namespaces,
        check_cgroups,
        check_bubblewrap,
        check_sandbox,
        lambda: check_caps(cgroup),
        check_isolation,
        lambda: check_disk(folder or Path.cwd()),
        check_open_files,
    ]
    return [check() for check in checks]


def family(release: str | None = None) -> Family:
    """Which package tool this machine has, from the text of /etc/os-release."""
    if sys.platform == "darwin":
        return "macos"
    if release is None:
        file = Path("/etc/os-release")
        release = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    names = set(re.findall(r"[a-z]+", " ".join(re.findall(r"^ID(?:_LIKE)?=(.*)$", release, re.MULTILINE))))
    if names & {"debian", "ubuntu"}:
        return "debian"
    return "fedora" if names & {"fedora", "rhel", "centos"} else "other"


def install(debian: str, fedora: str, macos: str = "") -> str:
    """The line that installs a package here, or the lines of all families where this one is not known."""
    names = {"debian": debian, "fedora": fedora, "macos": macos}
    here = family()
    if here in _INSTALL and names[here]:
        return _INSTALL[here].format(**names)
    known = (("Debian/Ubuntu", "debian"), ("Fedora", "fedora"), ("macOS", "macos"))
    return "; ".join(f"{title}: {_INSTALL[key].format(**names)}" for title, key in known if names[key])


def check_python(version: tuple[int, int] = sys.version_info[:2]) -> Finding:
    """The interpreter that runs this."""
    detail = f"{platform.python_version()} at {sys.executable}"
    if version >= PYTHON:
        return Finding(name="Python", state="ok", detail=detail)
    fix = install("python3.12", "python3.12", "python@3.12")
    return Finding(name="Python", state="missing", detail=f"{detail}; wanted 3.12 or newer", fix=fix)


def check_chromium(configured: str = "") -> Finding:
    """A Chromium that starts."""
    try:
        path = find_chromium(configured)
    except InputFault as error:
        fix = install("chromium", "chromium", "--cask chromium")
        return Finding(name="Chromium", state="missing", detail=str(error).partition(";")[0], fix=fix)
    said, why = _ask([path, "--version"])
    if not said:
        fix = f"look at what `{path} --version` says, or name another one in WEBDS_CHROMIUM"
        return Finding(name="Chromium", state="missing", detail=f"{path} does not start: {why}", fix=fix)
    return Finding(name="Chromium", state="ok", detail=f"{said.splitlines()[0].strip()} at {path}")


def check_libatomic() -> Finding:
    """Playwright's driver links against it; slim images lack it."""
    if sys.platform != "linux":
        return Finding(name="libatomic1", state="ok", detail="not needed on this system")
    try:
        ctypes.CDLL("libatomic.so.1")
    except OSError:
        fix = install("libatomic1", "libatomic")
        return Finding(name="libatomic1", state="missing", detail="the loader does not find libatomic.so.1", fix=fix)
    return Finding(name="libatomic1", state="ok", detail="found")


def check_fonts() -> Finding:
    """Pages without fonts show boxes, and screenshots with them."""
    if sys.platform == "darwin":
        return Finding(name="Fonts", state="ok", detail="the system's own")
    listed, _ = _ask(["fc-list"])
    count = len(listed.splitlines())
    if count:
        return Finding(name="Fonts", state="ok", detail=f"{count} font files")
    fix = install("fontconfig fonts-dejavu-core", "fontconfig dejavu-sans-fonts")
    return Finding(name="Fonts", state="warn", detail="fc-list names none: pages will show boxes", fix=fix)


def check_namespaces() -> Finding:
    """Each kind is opened once, by a plain user inside a user namespace."""
    refused = [name for name, flag in _NAMESPACES.items() if not _opens(flag)] if sys.platform == "linux" else ["all"]
    if not refused:
        return Finding(name="Namespaces", state="ok", detail=f"{', '.join(_NAMESPACES)} can be opened")
    fix = _ALLOW_NAMESPACES if sys.platform == "linux" else "run webds on Linux, or in a Linux container or machine"
    return Finding(name="Namespaces", state="warn", detail=f"refused: {', '.join(refused)}", fix=fix)


def _opens(flag: str) -> bool:
    user = "0" if os.geteuid() == 0 else "os.CLONE_NEWUSER"
    code = f"import os; os.unshare({user} | os.{flag})"
    return not _ask([sys.executable, "-I", "-S", "-c", code])[1]


def check_cgroups(root: Path = Path("/sys/fs/cgroup")) -> Finding:
    """Docker's provider needs them; what the sandbox makes of them is said under its caps."""
    fix = "nothing to do, unless the docker provider is wanted: then start webds with a writable /sys/fs/cgroup"
    if (root / "cgroup.controllers").is_file():
        version, places = "v2", [root]
    elif (root / "memory").is_dir():
        version, places = "v1", [root / "memory", root / "pids"]
    else:
        return Finding(name="Control groups", state="warn", detail="none mounted", fix=fix)
    if all(_writable(place) for place in places if place.is_dir()):
        return Finding(name="Control groups", state="ok", detail=f"{version}, writable")
    return Finding(name="Control groups", state="warn", detail=f"{version}, not writable", fix=fix)


def _writable(folder: Path) -> bool:
    """Tried, because root's access bits say yes on a read-only mount."""
    try:
        Path(tempfile.mkdtemp(prefix="webds-", dir=folder)).rmdir()
    except OSError:
        return False
    return True


def check_bubblewrap() -> Finding:
    """The preferred mechanism; the system calls alone do as well."""
    if reason := jail.refusal("bubblewrap"):
        fix = install("bubblewrap", "bubblewrap") if not shutil.which("bwrap") else _ALLOW_NAMESPACES
        return Finding(name="bubblewrap", state="warn", detail=reason, fix=fix)
    return Finding(name="bubblewrap", state="ok", detail=shutil.which("bwrap") or "")


def check_sandbox() -> Finding:
    """What runs will use for python, sql, Chromium and agents of others."""
    how, reason = jail.mechanism(), jail.mechanism_reason()
    if how == "none":
        detail = f"none: code of agents sees this machine ({reason})"
        return Finding(name="Sandbox", state="warn", detail=detail, fix=_ALLOW_NAMESPACES)
    return Finding(name="Sandbox", state="ok", detail=how)


def check_caps(cgroup: str = "") -> Finding:
    """The mechanism of each cap on code of agents (docs/isolation.md, section Caps)."""
    caps = caps_in_force(jail.mechanism(), cgroup)
    detail = "; ".join(f"{what}: {cap.by}" + (f" ({cap.weak})" if cap.weak else "") for what, cap in caps.items())
    if not any(cap.weak for cap in caps.values()):
        return Finding(name="Caps", state="ok", detail=detail)
    fix = "name a control group that is yours in sandbox.cgroup, run as root (docs/isolation.md, section Caps)"
    return Finding(name="Caps", state="warn", detail=detail, fix=fix)


def check_isolation() -> Finding:
    """The four layers between the frozen web and the real one (docs/isolation.md)."""
    layers = in_force("none" if namespaces() else "namespace", jail.mechanism())
    lacking = missing(layers)
    detail = f"{len(LAYERS) - len(lacking)} of {len(LAYERS)} layers: {', '.join(n for n in LAYERS if n not in lacking)}"
    if not lacking:
        return Finding(name="Isolation", state="ok", detail=detail)
    detail += "".join(f"; missing: {name} ({LAYERS[name]})" for name in lacking)
    return Finding(name="Isolation", state="warn", detail=detail, fix=f"{_ALLOW_NAMESPACES}; or --provider docker")


def check_disk(folder: Path) -> Finding:
    """Free space where runs are kept."""
    free = shutil.disk_usage(folder).free / 1e9
    least, comfortable = FREE_GB
    state: State = "missing" if free < least else "warn" if free < comfortable else "ok"
    fix = "" if state == "ok" else f"free some space, or keep runs elsewhere with --out ({comfortable} GB wanted)"
    return Finding(name="Free disk", state=state, detail=f"{free:.1f} GB at {folder}", fix=fix)


def check_open_files(soft: int | None = None) -> Finding:
    """Chromium, the proxy and the recorder of each slot keep files open."""
    if soft is None:
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if soft == resource.RLIM_INFINITY or soft >= FILES:
        shown = "no limit" if soft == resource.RLIM_INFINITY else f"limit {soft}"
        return Finding(name="Open files", state="ok", detail=shown)
    return Finding(
        name="Open files", state="warn", detail=f"limit {soft}; wanted {FILES}", fix=f"ulimit -n {4 * FILES}"
    )


def _ask(argv: list[str]) -> tuple[str, str]:
    """(output, "") of a program that ends well within 20 seconds, else ("", reason in one line)."""
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, errors="replace", timeout=20, stdin=subprocess.DEVNULL, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", " ".join(str(error).split())[:200]
    if done.returncode:
        return "", " ".join(done.stderr.split())[-200:] or f"exit {done.returncode}"
    return done.stdout, ""
