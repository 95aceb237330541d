"""Whoever ends a child of asyncio leaves its exit code to asyncio."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from webds.scratch import end
from webds.signals import tell


async def child(**env: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", "print(1, flush=True); input()", stdin=-1, stdout=-1, env={**os.environ, **env}
    )


def wait_dead(pid: int) -> None:
    """Until it is dead, without a turn of the loop: asyncio cannot have noticed."""
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


async def test_a_signal_to_one_that_has_just_ended(caplog: pytest.LogCaptureFixture) -> None:
    process = await child()
    assert process.stdout is not None
    await process.stdout.readline()
    os.kill(process.pid, signal.SIGTERM)
    wait_dead(process.pid)
    tell(process)
    assert await process.wait() == -signal.SIGTERM
    tell(process)
    assert not caplog.records


async def test_the_end_of_a_scratch_folder(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    process = await child(TMPDIR=str(tmp_path / "of-a-run" / "worker"))
    assert process.stdout is not None
    await process.stdout.readline()
    assert end(tmp_path / "of-a-run") == [process.pid]
    assert await process.wait() == -signal.SIGKILL
    assert not caplog.records
