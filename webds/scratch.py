"""Everything temporary of a run lies in one folder, `<temp>/webds-run-<pid>-<8 letters>`; it shows if its owner lives.

The owner holds a lock on the file `owner` inside; the kernel gives it back however the owner dies, also where process
ids are reused or belong to another container. A later run sweeps what dead owners left: it kills the processes whose
environment names such a folder (workers get it as TMPDIR, browsers as HOME), then removes the folder.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from webds import config
from webds.files import is_locked

PREFIX = "webds-run-"
_UNBORN = "webds-new-"
_UNBORN_SECONDS = 3600
_DEATH_SECONDS = 5
_BIRTH_SECONDS = 0.5
_LOOK_SECONDS = 0.01


@contextmanager
def scratch(base: Path | None = None) -> Iterator[Path]:
    """A folder of one's own for the length of a block, in `base` (default: the system's place for temporary files)."""
    place = base or Path(tempfile.gettempdir())
    # Locked before it bears the name that a sweep looks for.
    folder = Path(tempfile.mkdtemp(prefix=f"{_UNBORN}{os.getpid()}-", dir=place))
    lock = os.open(folder / "owner", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = folder.rename(place / folder.name.replace(_UNBORN, PREFIX, 1))
        yield folder
    finally:
        end(folder)
        os.close(lock)


@contextmanager
def home() -> Iterator[Path]:
    """A scratch folder that this process and its children take for the place of temporary files, for the length of a
    block. For verbs that start browsers, proxies or judges without a runner; what dead owners left goes first."""
    sweep()
    with scratch() as folder, config.environment(TMPDIR=str(folder)):
        kept, tempfile.tempdir = tempfile.tempdir, str(folder)
        try:
            yield folder
        finally:
            tempfile.tempdir = kept


def end(folder: Path) -> list[int]:
    """Kill what still runs with `folder` in its environment and remove the folder; the ids of what was killed."""
    killed = []
    for _ in range(3):  # what is killed may have been starting another
        found = processes(folder)
        for process in found:
            with contextlib.suppress(psutil.Error):
                process.kill()
        killed += [process.pid for process in found]
        if not found:
            break
        _wait(found)
    empty(folder)
    return killed


def _wait(found: list[psutil.Process]) -> None:
    """Until all are dead, for at most _DEATH_SECONDS. Their exit codes stay for who started them: psutil reads them."""
    end_of_wait = time.monotonic() + _DEATH_SECONDS
    while any(lives(process) for process in found) and time.monotonic() < end_of_wait:
        time.sleep(_LOOK_SECONDS)


def lives(process: psutil.Process) -> bool:
    """Whether it runs; a dead one that nobody has waited for does not."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def empty(folder: Path) -> None:
    """Remove the folder with all that is in it."""
    shutil.rmtree(folder, ignore_errors=True)


def _environment(process: psutil.Process) -> list[str]:
    """The values; one that is just becoming its program shows none for a moment, and would be passed over."""
    end_of_wait = time.monotonic() + _BIRTH_SECONDS
    while not (found := list(process.environ().values())):
        if time.time() - process.create_time() > _BIRTH_SECONDS or time.monotonic() > end_of_wait:
            break
        time.sleep(_LOOK_SECONDS)
    return found


def processes(folder: Path) -> list[psutil.Process]:
    """Other processes whose environment names `folder`; those of other users cannot be seen, and are not ours."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and any(f"{folder}/" in f"{value}/" for value in _environment(process)):
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def sweep(base: Path | None = None) -> list[str]:
    """Clear away the folders of dead owners, and their processes; one line for each."""
    place = base or Path(tempfile.gettempdir())
    swept = []
    for folder in sorted(place.glob(f"{PREFIX}*")):
        if not _is_orphan(folder):
            continue
        killed = end(folder)
        left = f", {len(killed)} processes killed" if killed else ""
        swept.append(f"removed {folder}, left by a run that was killed{left}")
    for folder in place.glob(f"{_UNBORN}*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _UNBORN_SECONDS:
                empty(folder)
    return swept


def _is_orphan(folder: Path) -> bool:
    """Whether nobody holds the lock. A folder of another user is none of ours."""
    try:
        if folder.stat().st_uid != os.geteuid():
            return False
        return not is_locked(folder / "owner")
    except FileNotFoundError:
        return folder.is_dir()  # killed while it was removed
    except OSError:
        return False
