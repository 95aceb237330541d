"""Which mechanism holds each cap of the sandbox on this host, in words: for `webds doctor` and for who wonders."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from webds import jail, jail_filter, jail_groups


@dataclass(frozen=True, slots=True)
class Cap:
    """`by` is the mechanism; `weak` says why it is not the kernel's count of the whole, "" where it is."""

    by: str
    weak: str = ""


def in_force(how: str, named: str = "") -> Mapping[str, Cap]:
    """By what is capped: processes, memory, a file, the work folder, /tmp, output, time, system calls.

    `how`: the jail's mechanism; `named`: config sandbox.cgroup.
    """
    jailed = how != "none"
    return {
        "processes": _processes(named, jailed),
        "memory": _memory(named, jailed),
        "a file": Cap("RLIMIT_FSIZE"),
        "the work folder": _folder(),
        "/tmp": Cap("tmpfs of a size") if jailed else Cap("none", "no sandbox"),  # noqa: S108 - a name
        "output": Cap("cut by the reader"),
        "time": Cap("SIGKILL to the pid namespace") if jailed else Cap("SIGKILL to the process group", "no sandbox"),
        "system calls": _calls(jailed),
    }


def _processes(named: str, jailed: bool) -> Cap:
    found, refused = jail_groups.places(named)
    if not jailed:
        return Cap("none", "no sandbox")
    if "pids" in found:
        return Cap(f"pids control group (v{found['pids'].version})")
    if os.geteuid() != 0:
        return Cap("RLIMIT_NPROC in a user namespace")
    if jail.unused_uid() != jail.NOBODY:
        return Cap("RLIMIT_NPROC of a uid of its own")
    return Cap("RLIMIT_NPROC, over all sandboxes and browsers", f"no uid of its own; {refused['pids']}")


def _memory(named: str, jailed: bool) -> Cap:
    found, refused = jail_groups.places(named)
    if jailed and "memory" in found:
        return Cap(f"memory control group (v{found['memory'].version})")
    return Cap("RLIMIT_DATA a process, a watcher for the sum", refused.get("memory", "no sandbox"))


def _folder() -> Cap:
    why = _no_mounts()
    return Cap("a watcher", why) if why else Cap("tmpfs of a size")


@cache
def _no_mounts() -> str:
    """Why a worker would have no mounts of its own; tried in a process of its own."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "mounting needs root on Linux"
    code = f"import os; os.unshare({os.CLONE_NEWNS})"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


def _calls(jailed: bool) -> Cap:
    if jailed and jail_filter.program():
        return Cap("seccomp filter")
    return Cap("none", "no list for this machine" if jailed else "no sandbox")
