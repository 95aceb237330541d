"""Files that survive: what is written is on disk, whole or not at all, when a function here returns."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from webds.codec import canonical, loads, plain
from webds.errors import InputFault

_BLOCK = 1 << 16


def write_atomic(path: Path, data: bytes) -> None:
    """Write beside `path`, flush to disk, rename over it, and flush the folder: all of it or nothing."""
    make_folder(path.parent)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:  # after the rename it is not there
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Make a folder and what is missing above it; each new name is durable when this returns."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_file(path: Path) -> None:
    """Make the content of a file durable, whoever wrote it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_locked(path: Path) -> bool:
    """Whether a process holds the flock on this file. OSError where it cannot be opened."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


@contextmanager
def held(path: Path) -> Iterator[None]:
    """The flock on this file, made where it is missing, for the length of a block; waits for who holds it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Make a rename or a new name in `folder` durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_json(path: Path, value: object) -> None:
    """Readable JSON, atomically."""
    write_atomic(path, (json.dumps(plain(value), indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode())


def append_line(path: Path, value: object) -> None:
    """One canonical JSON line at the end of `path`, on disk when this returns. A line that a crash cut off goes."""
    new = not path.exists()
    with path.open("ab+") as file:
        _cut_torn(file)
        file.write(canonical(value) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    if new:
        sync_folder(path.parent)


def _cut_torn(file: BinaryIO) -> None:
    """Cut off what stands after the last newline."""
    size = end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - _BLOCK)
        file.seek(start)
        block = file.read(end - start)
        if end == size and block.endswith(b"\n"):
            return
        if (at := block.rfind(b"\n")) >= 0:
            end = start + at + 1
            break
        end = start
    file.truncate(end)
    file.seek(end)


def read_lines(path: Path) -> Iterator[Any]:
    """The JSON lines of `path`. A last line cut off by a crash is left out; any other bad line is an InputFault."""
    if not path.exists():
        return
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines[:-1], start=1):
        if line.strip():
            yield loads(line, f"{path}:{number}")


def read_json(path: Path) -> Any:
    """The JSON value in `path`, or InputFault naming the file."""
    try:
        return loads(path.read_bytes(), str(path))
    except OSError as error:
        raise InputFault(f"{path}: cannot be read: {error.strerror}") from error
