"""The jail of the python and sql tools: this interpreter and its packages, the scripts inside, the work folder.

Of the host there are names at most: the kernel's mount table inside says from which path a folder was mounted.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from webds import jail
from webds.jail_groups import Groups

type Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one sandbox."""

    seconds: float = 60
    """A call, the interpreter's start included."""
    memory_mb: int = 2048
    """Private memory a process, and also the sum over all processes of one interpreter; where a control group counts
    the sum, files that lie in memory (/tmp, the work folder) are in it."""
    output_chars: int = 20_000
    file_mb: int = 512
    """A file that the code writes; /tmp inside holds as much in all."""
    folder_mb: int = 1024
    """All files of the work folder together: a file system of that size, else looked at a few times a second."""
    processes: int = 64
    """Processes and threads of one interpreter."""
    cgroup: str = ""
    """A control group below which groups may be made (`/webds`); empty: this process's own, where that is ours."""


SCRIPTS = Path(__file__).with_name("inside")
WORK = "/work"
"""The work folder inside."""
_SCRIPTS_INSIDE = "/opt/webds-tools"
_VENV_INSIDE = "/opt/webds-python"
_KEEPERS = 3
"""Processes of the jail itself: the one that waits outside, pid 1, and what becomes the program."""
_OWN = ("webds", "webds_judge", "webds_recorder")
_ENV = {
    "HOME": "/tmp",  # noqa: S108 - the jail's own
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "MPLBACKEND": "Agg",
    "MPLCONFIGDIR": "/tmp/matplotlib",  # noqa: S108 - the jail's own
    "XDG_CACHE_HOME": "/tmp/cache",  # noqa: S108 - the jail's own
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONNOUSERSITE": "1",
    "PYTHONHASHSEED": "0",
}


def command(work: Path, kinds: tuple[str, ...], how: str, limits: Limits, uid: int, groups: Groups) -> list[str]:
    """The argv of an interpreter that serves `kinds` (names of the scripts inside) over `work`."""
    if how == "none":
        memory, file_size = limits.memory_mb << 20, limits.file_mb << 20
        plain = jail.Jail(cwd=str(work), env=_ENV, memory=memory, file_size=file_size, groups=groups.doors)
        return jail.command(plain, [sys.executable, str(SCRIPTS / "main.py"), *kinds], how)
    script = f"{_SCRIPTS_INSIDE}/main.py"
    jailed = bounded(work, limits, uid, groups, read_only=((str(SCRIPTS), _SCRIPTS_INSIDE),))
    return jail.command(jailed, [executable_inside(), script, *kinds], how)


def groups(limits: Limits, how: str) -> Groups:
    """The control groups that this host allows, for one jail."""
    caps = {"memory": limits.memory_mb << 20, "pids": limits.processes + _KEEPERS}
    return Groups(caps if how != "none" else {}, limits.cgroup)


def bounded(
    work: Path, limits: Limits, uid: int, groups: Groups, *, read_only: Pairs = (), env: Mapping[str, str] = _ENV
) -> jail.Jail:
    """The jail for code of strangers over `work`: python with its packages, no network, every cap of `limits`.

    `read_only`: further pairs (outside, inside). `uid`: see jail.unused_uid; `work` has to belong to it.
    """
    # With a group this is the fence behind it, and two interpreters share a uid.
    processes = 2 * (limits.processes + _KEEPERS) if "pids" in groups.made else limits.processes
    return jail.Jail(
        read_only=(*jail.system_paths(), *interpreter_paths(), *read_only),
        writable=((str(work), WORK),),
        hidden=tuple(own_packages()),
        cwd=WORK,
        env=env,
        uid=uid,
        memory=limits.memory_mb << 20,
        processes=processes,
        file_size=limits.file_mb << 20,
        scratch=limits.file_mb << 20,
        groups=groups.doors,
        guarded=True,
    )


def in_venv() -> bool:
    """Whether this interpreter runs in a virtual environment."""
    return sys.prefix != sys.base_prefix


def executable_inside() -> str:
    """A virtual environment is mounted elsewhere, so that neither the checkout's path nor a folder of the same name
    in the work folder gets in the way (it works: its pyvenv.cfg names the base by absolute path)."""
    if not in_venv():
        return sys.executable
    return str(Path(_VENV_INSIDE) / Path(sys.executable).relative_to(sys.prefix))


def interpreter_paths() -> list[tuple[str, str]]:
    """Read-only pairs: the virtual environment's own folder, and the base interpreter under each of its names."""
    names = {Path(sys.base_prefix), *_hops(Path(sys.executable))}
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    bases = {str(name) for name in names if (name / "lib" / version / "os.py").is_file()}
    pairs = [(base, base) for base in sorted(bases) if not Path(base).is_relative_to("/usr") and base != "/"]
    return [*pairs, (sys.prefix, _VENV_INSIDE)] if in_venv() else pairs


def _hops(executable: Path) -> list[Path]:
    """The prefix of each link on the way from the executable to the real file: pyenv and uv link by short names."""
    hops = []
    for _ in range(10):
        hops.append(executable.parent.parent)
        if not executable.is_symlink():
            break
        executable = executable.parent / executable.readlink()
    return [Path(os.path.normpath(hop)) for hop in (*hops, executable.resolve().parent.parent)]


def own_packages() -> list[str]:
    """Inside paths of our own packages where they are installed as copies; an editable install is outside anyway."""
    found = [spec for name in _OWN if (spec := find_spec(name)) and spec.submodule_search_locations]
    places = [Path(place) for spec in found for place in spec.submodule_search_locations or ()]
    if not in_venv():
        return [str(place) for place in places]
    inside = [place for place in places if place.is_relative_to(sys.prefix)]
    return [str(Path(_VENV_INSIDE) / place.relative_to(sys.prefix)) for place in inside]
