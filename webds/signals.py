"""Signals to processes that asyncio waits for. Only asyncio may read how its child ended.

`Process.kill` and `Process.terminate` look first whether the process lives, and that look reads the exit code of one
that has just ended: asyncio then finds none, says "exit status already read" and reports 255 (Python before 3.12.8 and
3.13.1, github.com/python/cpython/issues/127049).
"""

import os
import signal
from asyncio.subprocess import Process
from contextlib import suppress


def tell(process: Process, number: int = signal.SIGKILL) -> None:
    """Send a signal to a child of asyncio; to one that has ended, nothing.

    Its number stays taken until asyncio has read the exit code, which `returncode` tells a turn of the loop later.
    """
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)
