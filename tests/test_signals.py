"""Whoever ends a child of asyncio leaves its exit code to asyncio."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from webds.scratch import end, home
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


def test_a_home_is_where_everything_temporary_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what a verb that was killed left there goes when the next one begins."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = (
        "import os, subprocess, sys, tempfile\nfrom webds.scratch import home\n"
        "with home():\n"
        "    print(tempfile.mkdtemp(), flush=True)\n"
        "    print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).pid, flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        left, pid = (killed.stdout.readline().strip() for _ in range(2))
        assert killed.wait() == -signal.SIGKILL
    assert Path(left).is_dir()
    with home() as folder:
        assert folder.parent == tmp_path
        assert Path(tempfile.mkdtemp()).parent == folder
        assert not Path(left).exists()
        assert not psutil.pid_exists(int(pid)) or psutil.Process(int(pid)).status() == psutil.STATUS_ZOMBIE
    assert list(tmp_path.iterdir()) == []
