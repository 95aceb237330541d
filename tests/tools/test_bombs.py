"""What wants without end: processes, memory, files, time, output. The sandbox ends it, and the machine does not notice.

The small ones run always; those that really ask for 10 GB, or fork for as long as they may, are long.
"""

import asyncio
import os
import time
from collections.abc import Awaitable
from pathlib import Path

import psutil
import pytest

from tests.tools.test_folder import inside
from webds import jail, jail_groups
from webds.tools.sandbox import Limits, Result, Sandbox

LIMITS = Limits(seconds=60, memory_mb=512, output_chars=2000, file_mb=64, folder_mb=256, processes=40)
FORK = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
THREADS = (
    "import threading, time\nmade = 0\ntry:\n    while made < 5000:\n"
    "        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()\n        made += 1\n"
    "except RuntimeError: pass\nmade < 60"
)
FILE = """
import errno
try:
    with open('{0}', 'wb') as file:
        for _ in range(10_240): file.write(bytes(1 << 20))
except OSError as error: print(errno.errorcode[error.errno])
"""
FILES = """
import errno
try:
    for n in range(10_240):
        with open(str(n), 'wb') as file: file.write(bytes(1 << 20))
except OSError as error: print(errno.errorcode[error.errno])
"""
MEMORY = "x = bytearray(10 << 30)"
MEMORY_OF_MANY = (
    "import os, time\nfor _ in range(30):\n"
    "    if os.fork() == 0: x = bytearray(b'x') * (340 << 20); time.sleep(60)\ntime.sleep(60)"
)
MEMORY_SHARED = (
    "import mmap\nx = mmap.mmap(-1, 10 << 30)\nfor at in range(0, 10 << 30, 1 << 20): x[at:at + 4096] = bytes(4096)\n"
    "for at in range(0, 10 << 30, 4096): x[at] = 1"
)
OVER = "over 512 MB of memory in use"
LIMIT = "limit of one call"
DYING_SECONDS = 60


@pytest.fixture(params=["bubblewrap", "unshare"])
def how(request):
    if reason := jail.refusal(request.param):
        pytest.skip(f"{request.param}: {reason}")
    return request.param


def processes_of(uid: int) -> int:
    """Tasks of a uid on this machine, threads too."""
    found = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if folder.stat().st_uid == uid:
                found += len(list((folder / "task").iterdir()))
        except OSError:
            continue
    return found


async def watched(call: Awaitable[Result]) -> tuple[Result, int]:
    """What a call said, and the least memory that the machine had meanwhile, in bytes."""
    task, least = asyncio.ensure_future(call), psutil.virtual_memory().available
    while not task.done():
        await asyncio.wait({task}, timeout=0.05)
        least = min(least, psutil.virtual_memory().available)
    return await task, least


async def test_threads_are_bounded(how, tmp_path):
    async with Sandbox(tmp_path, LIMITS, how) as box:
        assert (await box.python(THREADS)).text == "True\n"


@pytest.mark.parametrize(("seconds", "limit"), [(2, 15), pytest.param(10, 40, marks=pytest.mark.long)])
async def test_a_fork_bomb_is_stopped_by_the_pids_group_or_the_limit_of_its_uid(how, tmp_path, seconds, limit):
    if os.geteuid() != 0:
        pytest.skip("not root: the uid inside is shared with whoever runs this")
    async with Sandbox(tmp_path, Limits(seconds=seconds, processes=limit), how) as box:
        await box.warm()
        groups = box._children["cell"]._bounds.groups
        call = asyncio.create_task(box.python(FORK))
        most = met = 0
        while not call.done():
            most = max(most, await asyncio.to_thread(processes_of, box._uid))
            met = max(met, groups.met("pids"))
            await asyncio.sleep(0.2)
        assert LIMIT in (await call).error
        assert limit / 2 < most <= limit + 3
        assert bool(met) == ("pids" in jail_groups.places()[0])
        killed = time.monotonic()  # on a machine that is busy, what is killed takes a while to die
        while (left := processes_of(box._uid)) and time.monotonic() < killed + DYING_SECONDS:
            most = max(most, left)
            await asyncio.sleep(0.2)
        assert not left
        assert most <= limit + 3
    print(
        f"\nfork bomb, {how}, limit {limit}: at most {most} tasks, {met} forks refused by the group, "
        f"all dead {time.monotonic() - killed:.1f} s after the call"
    )


async def test_an_endless_query_costs_its_time_and_no_more(how, tmp_path):
    async with Sandbox(tmp_path, Limits(seconds=2), how) as box:
        began = time.monotonic()
        assert LIMIT in (await box.sql("SELECT sum(a.range) FROM range(10000000) a, range(10000000) b")).error
        assert time.monotonic() - began < 10


async def test_memory_that_no_process_holds_is_bounded_too(how, tmp_path):
    """/tmp and /dev/shm are memory of a size; a shared mapping is counted with its process."""
    async with Sandbox(tmp_path, Limits(memory_mb=256, file_mb=8, processes=20), how) as box:
        for place in ("/tmp", "/dev/shm"):
            assert (await box.python(FILES.replace("str(n)", f"'{place}/' + str(n)"))).text == "ENOSPC\n"
        assert "over 256 MB of memory in use" in (await box.python(MEMORY_SHARED)).error


@pytest.mark.long
async def test_ten_gigabytes_of_memory(how, tmp_path):
    async with Sandbox(tmp_path, LIMITS, how) as box:
        before = psutil.virtual_memory().available
        for what, call, word in (
            ("one block", box.python(MEMORY), "MemoryError"),
            ("thirty processes", box.python(MEMORY_OF_MANY), OVER),
            ("a shared mapping", box.python(MEMORY_SHARED), OVER),
            ("a query", box.sql("SELECT list(range) FROM range(2000000000)"), "Out of Memory"),
        ):
            result, least = await watched(call)
            assert word in result.error
            assert before - least < 3 << 30  # other work of the machine is in it
            print(f"\n10 GB, {what}, {how}: {word}: {result.seconds:.1f} s, machine {(before - least) >> 20} MB less")


@pytest.mark.long
async def test_ten_gigabytes_of_files_under_the_watcher(how, tmp_path):
    async with Sandbox(tmp_path, LIMITS, how) as box:
        assert (await box.python(FILE.format("one"))).text == "EFBIG\n"
        assert (tmp_path / "one").stat().st_size == 64 << 20
        assert "over 256 MB in the work folder" in (await box.python(FILES)).error
        used = sum(path.stat().st_blocks * 512 for path in tmp_path.iterdir())
        print(f"\n10,240 files of 1 MB, {how}: {used >> 20} MB when the watcher came")
        assert used < 3 << 30  # what is written in a quarter of a second


@pytest.mark.long
def test_ten_gigabytes_of_files_in_a_sized_folder(tmp_path):
    work = tmp_path / "files"
    work.mkdir()
    assert inside(work, FILE.format("one"), FILES)[2:4] == ["ENOSPC", "ENOSPC"]
    assert sum(path.stat().st_size for path in work.iterdir()) <= 8 << 20


@pytest.mark.long
async def test_a_table_of_ten_gigabytes_by_sql(how, tmp_path):
    async with Sandbox(tmp_path, LIMITS, how) as box:
        error = (await box.sql("COPY (SELECT * FROM range(1500000000)) TO 'big.csv'")).error
        assert "File too large" in error or "limit" in error, error
        size = sum(path.stat().st_size for path in tmp_path.iterdir())
        assert size <= 64 << 20
    print(f"\nCOPY of 10 GB, {how}: {size >> 20} MB: {error[:60]!r}")
