"""Control groups of one jail: the kernel's caps on the memory and the processes of all that is inside, together.

A group is made only where groups are ours to make: below this process's own group where that is the root of what we
see (a plain machine without a service manager, a container), where it was delegated to us, or below a group that the
config names. Elsewhere the group belongs to whoever started us, who counts and ends processes by it.
"""

import contextlib
import fcntl
import os
import secrets
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psutil

from webds.errors import InfraFault
from webds.scratch import lives

CONTROLLERS = ("memory", "pids")
PREFIX = "webds-"
_END_SECONDS = 5.0
_DELEGATED = ("user.delegate", "trusted.delegate")
# By controller and version: the file that holds the cap, and (file, field) of the count of how often it was met.
_FILES = {
    ("memory", 1): ("memory.limit_in_bytes", ("memory.oom_control", "oom_kill")),
    ("memory", 2): ("memory.max", ("memory.events", "oom_kill")),
    ("pids", 1): ("pids.max", ("pids.events", "max")),
    ("pids", 2): ("pids.max", ("pids.events", "max")),
}
# Without these a jail would go on in swap; and half of a killed jail is of no use. Not every kernel has them.
_MORE = {("memory", 1): {"memory.swappiness": "0"}, ("memory", 2): {"memory.swap.max": "0", "memory.oom.group": "1"}}


@dataclass(frozen=True, slots=True)
class Place:
    """A group below which groups of jails may be made."""

    version: int
    folder: Path


@cache
def places(named: str = "") -> tuple[Mapping[str, Place], Mapping[str, str]]:
    """(places by controller, reasons in words for the controllers without one). `named`: a group's path, as /webds.

    Found by making a group and removing it, once a process; what killed owners left there is swept then.
    """
    found, refused = {}, {}
    for controller in CONTROLLERS:
        try:
            place = _place(controller, named)
            sweep(place.folder)
            with _made(place, controller):
                found[controller] = place
        except OSError as error:
            refused[controller] = error.strerror or str(error)
    return found, refused


@contextlib.contextmanager
def _made(place: Place, controller: str) -> Iterator[None]:
    folder = place.folder / f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
    folder.mkdir()
    try:
        (folder / _FILES[controller, place.version][0]).write_text("1000" if controller == "pids" else str(1 << 30))
        yield
    finally:
        folder.rmdir()


def _place(controller: str, named: str) -> Place:
    """Raises OSError with the reason where there is none."""
    if sys.platform != "linux":
        raise OSError(0, "control groups exist on Linux only")
    version, root, own = _hierarchy(controller)
    folder = root / (named or own).strip("/")
    if not folder.is_dir():
        raise OSError(0, f"there is no group {named or own}")
    if not named and own != "/" and not _is_delegated(folder):
        raise OSError(0, f"the group {own} belongs to what started this process; sandbox.cgroup may name another")
    if version == 2 and controller not in (folder / "cgroup.subtree_control").read_text().split():
        (folder / "cgroup.subtree_control").write_text(f"+{controller}")
    return Place(version, folder)


def _hierarchy(controller: str) -> tuple[int, Path, str]:
    """(version, mount point, path of this process's group) of the hierarchy that has the controller."""
    own = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        own.update(dict.fromkeys(names.split(","), path))
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        words, _, rest = line.partition(" - ")
        kind, _, options = rest.split(" ", 2)
        point = Path(words.split()[4])
        if kind == "cgroup" and controller in options.split(",") and controller in own:
            return 1, point, own[controller]
        if kind == "cgroup2" and controller in _words(point / "cgroup.controllers"):
            return 2, point, own.get("", "/")
    raise OSError(0, f"no hierarchy with the controller {controller} is mounted")


def _words(path: Path) -> list[str]:
    return path.read_text().split() if path.exists() else []


def _is_delegated(folder: Path) -> bool:
    """systemd marks what it gives away; a group that belongs to a plain user was given to that user."""
    with contextlib.suppress(OSError):
        if any(name in _DELEGATED for name in os.listxattr(folder)):
            return True
    return os.geteuid() != 0 and folder.stat().st_uid == os.geteuid()


class Groups:
    """The groups of one jail, made with caps: `memory` in bytes, `pids` in processes and threads. Close them."""

    def __init__(self, caps: Mapping[str, int], named: str = "") -> None:
        """Only the controllers that have a place are used: see `made`. Raises InfraFault where it then fails."""
        self._made: dict[str, Path] = {}
        self._version: dict[str, int] = {}
        self._locks: list[int] = []
        name = f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
        try:
            for controller, place in places(named)[0].items():
                if caps.get(controller):
                    self._make(controller, place, name, caps[controller])
        except OSError as error:
            self.close()
            raise InfraFault(str(error), "make control group") from error

    def _make(self, controller: str, place: Place, name: str, cap: int) -> None:
        folder = place.folder / name
        if folder not in self._made.values():
            folder.mkdir()
            self._locks.append(os.open(folder, os.O_RDONLY | os.O_CLOEXEC))
            fcntl.flock(self._locks[-1], fcntl.LOCK_EX)
        self._made[controller], self._version[controller] = folder, place.version
        (folder / _FILES[controller, place.version][0]).write_text(str(cap))
        for file, text in _MORE.get((controller, place.version), {}).items():
            with contextlib.suppress(OSError):
                (folder / file).write_text(text)

    @property
    def made(self) -> tuple[str, ...]:
        """The controllers in force."""
        return tuple(self._made)

    @property
    def doors(self) -> tuple[str, ...]:
        """For webds.jail.Jail.groups."""
        return tuple(str(folder / "cgroup.procs") for folder in dict.fromkeys(self._made.values()))

    def met(self, controller: str) -> int:
        """How often the cap was met: processes killed for memory, forks refused. 0 where it is not in force."""
        if controller not in self._made:
            return 0
        file, field = _FILES[controller, self._version[controller]][1]
        with contextlib.suppress(OSError):
            rows = (line.split() for line in (self._made[controller] / file).read_text().splitlines())
            return sum(int(row[1]) for row in rows if len(row) == 2 and row[0] == field)
        return 0

    def close(self) -> None:
        """Kill what is inside and remove the groups. Blocks for at most 5 s. May be called twice."""
        for folder in dict.fromkeys(self._made.values()):
            remove(folder)
        self._made.clear()
        while self._locks:
            os.close(self._locks.pop())


def remove(folder: Path) -> None:
    """Kill all in a group until it is empty, and remove it; what does not die within 5 s stays for a later sweep."""
    end = time.monotonic() + _END_SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            for word in (folder / "cgroup.procs").read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(word), signal.SIGKILL)
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.02)
        else:
            return


def clean(named: str = "") -> list[str]:
    """Sweep every place; one line for each group that is gone. `named`: as for `places`."""
    swept = []
    for controller in CONTROLLERS:
        with contextlib.suppress(OSError):
            swept += sweep(_place(controller, named).folder)
    return [f"removed control group {folder}, left by a run that was killed" for folder in swept]


def sweep(place: Path) -> list[Path]:
    """Remove the groups whose owners are dead: nobody holds the lock, and no process has the number in the name."""
    swept = []
    for folder in place.glob(f"{PREFIX}[0-9]*"):
        if _lives(folder.name.split("-")[1]):
            continue  # or being born: locked in a moment
        with contextlib.suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove(folder)
                swept += [] if folder.exists() else [folder]
            finally:
                os.close(lock)
    return swept


def _lives(number: str) -> bool:
    try:
        return lives(psutil.Process(int(number)))
    except (psutil.Error, ValueError):
        return False
