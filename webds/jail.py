"""A closed room for one program: an argv prefix that runs it in fresh mount, pid, ipc, uts and network namespaces.

Inside there is only what the `Jail` lists, an empty /tmp and /dev/shm, a minimal /dev and the /proc of the new pid
namespace. Inherited file descriptors stay open, and everything inside dies with the process that the prefix starts,
which in turn dies with the thread that started it (so do not start it from a thread that ends early).

The prefix starts `webds/jail_stage.py`, a stand-alone script, with one JSON word. This indirection is deliberate:
pid 1 of the jail must show neither the caller's environment nor host paths in its /proc entry, and read-only
mounts must be recursive, which mount(8) of Debian 12 cannot do.
"""

import contextlib
import ctypes
import json
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from webds import jail_bubblewrap, jail_filter
from webds.errors import InfraFault

type Mechanism = Literal["bubblewrap", "unshare", "none"]

MECHANISMS: tuple[Mechanism, ...] = ("bubblewrap", "unshare", "none")
"""In order of preference. `unshare` is the system call: it needs no program at all, but Linux 5.12 or newer."""
NOBODY = 65534
_DYNAMIC = range(61184, 65520)
"""Where systemd, too, takes uids for services that need one for a while."""
_DEATHSIG = 1
_REC_SLAVE = (1 << 14) | (1 << 19)
_OWN_MOUNTS: list[int] = []
_STAGE = Path(__file__).with_name("jail_stage.py")
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# Only what interpreters and Chromium read; /etc/ssl is listed in parts because of /etc/ssl/private.
_ETC = ("fonts", "ssl/certs", "ssl/openssl.cnf", "pki/tls/certs", "ca-certificates", "ld.so.cache", "ld.so.conf",
        "ld.so.conf.d", "alternatives", "localtime", "mime.types", "nsswitch.conf", "matplotlibrc")  # fmt: skip
# Container images like to keep a checkout here, inside the /usr that has to be mounted.
_HIDDEN = ("/usr/src", "/usr/local/src")


@dataclass(frozen=True, slots=True, kw_only=True)
class Jail:
    """What one program sees. Pairs are (outside, inside), absolute; a pair of files mounts one file."""

    read_only: tuple[tuple[str, str], ...] = ()
    """Must contain `system_paths()` unless the program is static: the last steps inside use /usr/bin programs."""
    writable: tuple[tuple[str, str], ...] = ()
    """Started by root, a writable folder has to belong to `uid`: the caller changes its owner (os.chown)."""
    hidden: tuple[str, ...] = ()
    """Inside paths covered by an empty read-only folder, where they exist outside; deeper pairs still show."""
    network: str = "none"
    """`none`: a fresh namespace with only its own lo, which is up. `keep`: the caller's (after nsenter)."""
    cwd: str = "/"
    env: Mapping[str, str] = field(default_factory=dict)
    """The whole environment inside. PATH defaults to the system's folders."""
    uid: int | None = NOBODY
    """Uid and gid inside. Started by root it is a real switch; started by a plain user it is only a name for them."""
    memory: int = 0
    """Bytes of private memory a process (RLIMIT_DATA); 0 means no limit."""
    processes: int = 0
    """Processes and threads (RLIMIT_NPROC): started by root, of all jails with this `uid` (see `unused_uid`), else of
    this jail; 0 = no limit."""
    file_size: int = 0
    """Bytes of one file that is written (RLIMIT_FSIZE); 0 means no limit."""
    scratch: int = 1 << 30
    """Bytes that /tmp, and again /dev/shm, may hold. They are memory."""
    groups: tuple[str, ...] = ()
    """cgroup.procs files of the control groups that everything inside is born into (webds.jail_groups)."""
    guarded: bool = False
    """Whether system calls that code of strangers never needs are refused (webds.jail_filter). Not for Chromium."""


def system_paths() -> tuple[tuple[str, str], ...]:
    """Read-only pairs for the system's programs, libraries, fonts and certificates that exist on this host."""
    wanted = (*_SYSTEM, *(f"/etc/{name}" for name in _ETC))
    return tuple((os.path.realpath(path), path) for path in wanted if Path(path).exists())


def command(jail: Jail, argv: Sequence[str], how: str | None = None) -> list[str]:
    """The argv that runs `argv` inside `jail` by mechanism `how` (default: `mechanism()`).

    With `none` the program runs plainly, with the jail's environment, cwd and limits and nothing else: cwd and paths
    must then exist outside, and the caller reports `sandbox: none`. Raises InfraFault for a missing source.
    """
    chosen = how or mechanism()
    spec: dict[str, Any] = {
        "how": chosen,
        "bwrap": shutil.which("bwrap") or "bwrap",
        "mounts": _mounts(jail) if chosen != "none" else [],
        "network": jail.network,
        "cwd": jail.cwd,
        "env": {"PATH": "/usr/local/bin:/usr/bin:/bin", **jail.env},
        "uid": jail.uid,
        "root": os.geteuid() == 0,
        "memory": jail.memory,
        "processes": jail.processes,
        "file_size": jail.file_size,
        "scratch": jail.scratch,
        "groups": jail.groups,
        "filter": jail_filter.program().hex() if jail.guarded and chosen != "none" else "",
    }
    if chosen == "bubblewrap":
        spec |= {"options": jail_bubblewrap.options(spec), "last": jail_bubblewrap.last_steps(spec), "mounts": []}
    # -I -S: neither the caller's PYTHON* variables nor site-packages get a say, and start-up halves.
    return [sys.executable, "-I", "-S", str(_STAGE), json.dumps(spec), *argv]


def mechanism() -> Mechanism:
    """What this host really allows, found by running `true` once in each kind of jail (then remembered)."""
    return _found()[0]


def mechanism_reason() -> str:
    """One line: why `mechanism()` is what it is."""
    return _found()[1]


@cache
def refusal(how: str) -> str:
    """Empty where `how` works on this host, else the reason in one line. Tried once, with the full set of limits."""
    if how == "none":
        return ""
    if sys.platform != "linux":
        return "namespaces exist on Linux only"
    if how == "bubblewrap" and not shutil.which("bwrap"):
        return "bwrap is not installed"
    jail = Jail(read_only=system_paths(), processes=64, memory=1 << 30, uid=unused_uid(), guarded=True)
    return _try(command(jail, ["/bin/sh", "-c", "test -r /proc/self/stat"], how))


@cache
def _found() -> tuple[Mechanism, str]:
    refused: list[str] = []
    for how in MECHANISMS[:-1]:
        reason = refusal(how)
        if not reason:
            return how, "; ".join([*refused, f"{how} works"])
        refused.append(f"{how}: {reason}")
    return "none", "; ".join(refused)


def unused_uid() -> int:
    """Of a root process: a uid in which nothing runs and that nobody has, so that its processes are one jail's alone.

    NOBODY where there is none: not root, or a container that maps too few.
    """
    if os.geteuid() != 0 or not _is_mapped(_DYNAMIC[-1]):
        return NOBODY
    taken = {person.pw_uid for person in pwd.getpwall()} | _running()
    start = secrets.randbelow(len(_DYNAMIC))  # workers that look at the same moment should not choose the same
    return next((uid for uid in (*_DYNAMIC[start:], *_DYNAMIC[:start]) if uid not in taken), NOBODY)


def _running() -> set[int]:
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            found.add(folder.stat().st_uid)
    return found


def _is_mapped(uid: int) -> bool:
    with contextlib.suppress(OSError):
        rows = [[int(word) for word in line.split()] for line in Path("/proc/self/uid_map").read_text().splitlines()]
        return any(first <= uid < first + count for first, _, count in rows)
    return False


def own_mounts() -> bool:
    """Give this process a mount namespace of its own; from here on mounts of it end with it, however it ends.

    False where it may not. To be called before threads are started: they would stay behind.
    """
    if sys.platform != "linux" or os.geteuid() != 0:
        return False
    try:
        os.unshare(os.CLONE_NEWNS)
    except OSError:
        return False
    # Slave: mounts that the machine makes later still show.
    if ctypes.CDLL(None).mount(b"none", b"/", None, ctypes.c_ulong(_REC_SLAVE), None) != 0:
        return False
    _OWN_MOUNTS.append(os.getpid())
    return True


def has_own_mounts() -> bool:
    """Whether `own_mounts` worked in this process."""
    return os.getpid() in _OWN_MOUNTS


def _try(argv: Sequence[str]) -> str:
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return " ".join(str(error).split())[:200]
    if done.returncode == 0:
        return ""
    return " ".join(done.stderr.split())[:200] or f"exit {done.returncode}"


def _mounts(jail: Jail) -> list[tuple[str, str, str]]:
    """(kind, source, inside) with parents before children, so that a deeper pair always shows."""
    pairs = [("ro", *pair) for pair in jail.read_only] + [("rw", *pair) for pair in jail.writable]
    for _, outside, inside in pairs:
        if not Path(outside).exists():
            raise InfraFault(f"{outside} does not exist (wanted inside as {inside})", "build sandbox")
    hidden = [("hide", "", path) for path in dict.fromkeys((*_HIDDEN, *jail.hidden)) if Path(path).is_dir()]
    real = [(kind, os.path.realpath(outside), os.path.normpath(inside)) for kind, outside, inside in pairs]
    return sorted(real + hidden, key=lambda mount: len(Path(mount[2]).parts))


def die_with_parent() -> None:
    """For preexec: the kernel kills this child when its parent dies, however it dies (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DEATHSIG, signal.SIGKILL)
