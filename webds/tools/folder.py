"""A work folder that holds so many bytes and no more: in memory while the episode runs, files on disk after it."""

import asyncio
import contextlib
import ctypes
import errno
import os
import shutil
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

from webds import jail

_DETACH = 2
_NOSUID, _NODEV = 2, 4
_PIECE = 1 << 20
_BYTES_A_NAME = 1 << 14
"""One name is allowed for each so many bytes: names without bytes take memory too."""
_NAMES = 256


@asynccontextmanager
async def sized(work: Path, size: int) -> AsyncIterator[bool]:
    """Give the empty folder `work` room for `size` bytes for the length of a block; then its files lie there on disk.

    Yields False, and does nothing, where this process has no mounts of its own (webds.jail.own_mounts): a mount would
    outlive it. Of what code left in the folder regular files and folders are kept; links and devices are not.
    """
    if not jail.has_own_mounts():
        yield False
        return
    await asyncio.to_thread(_mount, work, size)
    try:
        yield True
    finally:
        await asyncio.to_thread(_settle, work)


def is_sized(work: Path) -> bool:
    """Whether `work` is inside `sized` now."""
    return os.path.ismount(work)


def _mount(work: Path, size: int) -> None:
    words = f"mode=755,size={size},nr_inodes={max(size // _BYTES_A_NAME, _NAMES)}".encode()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"tmpfs", os.fsencode(work), b"tmpfs", ctypes.c_ulong(_NOSUID | _NODEV), words) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"mount the work folder: {os.strerror(number)}")


def _settle(work: Path) -> None:
    """Copy the files out, take the file system away, and put the copy in its place."""
    beside = work.with_name(f".{work.name}.part")
    try:
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir()
        _copy(work, beside)
    finally:
        ctypes.CDLL(None).umount2(os.fsencode(work), _DETACH)
    work.rmdir()
    beside.rename(work)


def _copy(source: Path, target: Path) -> None:
    """Folders and regular files. What cannot be read or written under its name is left out, a full disk is not."""
    for parent, folders, files in os.walk(source):
        place = target / Path(parent).relative_to(source)
        for name in folders:
            with _left_out():
                (place / name).mkdir(exist_ok=True)
        for name in files:
            with _left_out():
                _copy_file(Path(parent, name), place / name)


@contextlib.contextmanager
def _left_out() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise


def _copy_file(source: Path, target: Path) -> None:
    """With its holes: a file may be longer than the folder is large."""
    reading = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        about = os.fstat(reading)
        if not stat.S_ISREG(about.st_mode):
            return
        writing = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            for start, end in _filled(reading, about.st_size):
                for at in range(start, end, _PIECE):
                    os.pwrite(writing, os.pread(reading, min(_PIECE, end - at), at), at)
            os.ftruncate(writing, about.st_size)
        finally:
            os.close(writing)
    finally:
        os.close(reading)


def _filled(file: int, size: int) -> Iterator[tuple[int, int]]:
    """(start, end) of each part of a file that is no hole."""
    at = 0
    while at < size:
        try:
            start = os.lseek(file, at, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # a hole to the end
                return
            raise
        at = os.lseek(file, start, os.SEEK_HOLE)
        yield start, at
